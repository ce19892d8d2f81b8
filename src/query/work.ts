// How much a query may do, and what of a value costs: evaluation is synchronous, so it must end by itself.
import { SameloopError } from '../error/error.ts'

/** What one evaluation has left. */
export interface Work {
  left: number
}

/** Steps, each about the cost of reading a field: well under a second in all. */
const mostSteps = 2_000_000

export const startWork = (): Work => ({ left: mostSteps })

/** Counts steps; `expression-failed` when there are none left. */
export function spend(work: Work, steps: number): void {
  work.left -= steps
  if (work.left < 0) throw failed('limit', 'it takes too much work on this document: query less at once')
}

export type Fault = 'invalid-type' | 'invalid-value' | 'invalid-arity' | 'unknown-function' | 'limit'

export function failed(kind: Fault, why: string): SameloopError {
  return new SameloopError('expression-failed', `Cannot run the JMESPath expression: ${why}`, { data: { kind } })
}

/** Characters of text that cost one step. */
const textRate = 64

export const spendText = (work: Work, characters: number): void => spend(work, Math.ceil(characters / textRate))

/** The keys of an object, which cost more than the items of a list. */
export function keysOf(work: Work, object: object): readonly string[] {
  const keys = Object.keys(object)
  spend(work, 4 * keys.length)
  return keys
}

/**
 * The size of a value as JSON text, about. A list may hold the same list many times over, so it is counted, not written;
 * `expression-failed` above `most`.
 */
export function measured(work: Work, value: unknown, most: number): number {
  let size = 0
  const measure = (inner: unknown): void => {
    spend(work, 1)
    size += typeof inner === 'string' ? inner.length + 2 : 4
    if (size > most) throw failed('limit', `its result is larger than ${most} characters: query less at once`)
    if (Array.isArray(inner)) inner.forEach(measure)
    else if (typeof inner === 'object' && inner !== null)
      for (const [key, item] of Object.entries(inner)) {
        size += key.length + 3
        measure(item)
      }
  }
  measure(value)
  return size
}
