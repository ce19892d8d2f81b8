// Which tools of a set are wanted, by their names.
import { SameloopError } from '../error/error.ts'
import { starTest } from '../pattern/star.ts'

/** Whether a name is wanted: all are, or those that one of the patterns names. `config-invalid` for one that names none. */
export function selection(include: readonly string[] | undefined, names: readonly string[]): (name: string) => boolean {
  if (include === undefined) return () => true
  const tests = include.map(starTest)
  const useless = include.find((_, index) => !names.some(tests[index]!))
  if (useless !== undefined) {
    throw new SameloopError(
      'config-invalid',
      `Cannot include "${useless}": wanted one of ${names.join(', ')}, or a pattern with "*"`,
    )
  }
  return (name) => tests.some((test) => test(name))
}
