// JMESPath over JSON, for expressions and documents of strangers.
import { SameloopError } from '../error/error.ts'
import { evaluate } from './evaluate.ts'
import { parseQuery } from './parse.ts'
import { measured, startWork } from './work.ts'

/** Characters of JSON that a result may have. */
const mostResult = 2 ** 20

/**
 * What a JMESPath expression finds in plain JSON; `null` where it finds nothing. Nothing inherited is ever found. Throws
 * `expression-invalid` with `data.position`, and `expression-failed` with `data.kind`: `invalid-type`, `invalid-value`,
 * `invalid-arity`, `unknown-function`, or `limit` above two million steps or a result above 1 Mi characters.
 */
export function query(document: unknown, expression: string): unknown {
  const tree = parseQuery(expression)
  const work = startWork()
  try {
    const result = evaluate(work, tree, document)
    measured(work, result, mostResult)
    return result
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new SameloopError(
      'expression-failed',
      'Cannot run the JMESPath expression: the document is nested too deeply',
      {
        data: { kind: 'limit' },
      },
    )
  }
}
