// What is wrong with a plan, as an error.
import { SameloopError } from '../error/error.ts'
import { excerpt } from '../json/text.ts'

/** `data.problem` of a `plan-invalid` error. */
export type PlanProblem = 'duplicate-id' | 'unknown-tool' | 'unknown-dependency' | 'cycle' | 'schema' | 'shape'

export interface ProblemPlace {
  /** The step's id, or its number where the id is what is wrong. */
  readonly step?: string | number | undefined
  /** Of a cycle: the ids, the first one again at the end. Else the field and the keys within it. */
  readonly path?: readonly string[] | undefined
  readonly cause?: unknown
}

/** The error `plan-invalid`. Its `data` has `problem` and, where they are known, `step` (an id) and `path`. */
export function planInvalid(
  problem: PlanProblem,
  why: string,
  { step, path, cause }: ProblemPlace = {},
): SameloopError {
  const numbered = typeof step === 'number' ? `step number ${step} of the plan` : `step ${excerpt(step)}`
  const data = {
    problem,
    ...(typeof step === 'string' ? { step } : {}),
    ...(path ? { path: [...path] } : {}),
  }
  return new SameloopError('plan-invalid', `Cannot use ${step === undefined ? 'the plan' : numbered}: ${why}`, {
    data,
    cause,
  })
}
