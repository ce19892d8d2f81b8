// Numbers that callers give as options: sizes, counts and times.
import { SameloopError } from './error.ts'

export interface AmountRange {
  /** Default 0. */
  readonly least?: number
  /** Default: there is none, and `Infinity` may be given. */
  readonly most?: number
}

/**
 * Options that are numbers, with the defaults of those that are not given. Throws `config-invalid` for anything but a
 * number within the range: compared with NaN or a text, nothing is ever too much.
 */
export function amounts<Name extends string>(
  given: { readonly [Option in NoInfer<Name>]?: unknown },
  defaults: Readonly<Record<Name, number>>,
  { least = 0, most = Infinity }: AmountRange = {},
): Record<Name, number> {
  const found: Record<Name, number> = { ...defaults }
  for (const name in defaults) {
    const { [name]: value = defaults[name] } = given
    if (typeof value !== 'number' || !(value >= least && value <= most)) {
      const words = typeof value === 'number' ? value : `a value of type ${value === null ? value : typeof value}`
      throw new SameloopError(
        'config-invalid',
        `Cannot use ${name}: wanted a number from ${least} to ${most}, got ${words}`,
      )
    }
    found[name] = value
  }
  return found
}
