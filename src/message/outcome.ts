// Making outcomes that are no value.
import { describeThrown } from '../error/describe.ts'
import type { FailureReason, Outcome, PublicOutcome } from './part.ts'
import { textPart } from './text.ts'

export type Failure = Extract<Outcome, { readonly ok: false }>

export function failure(reason: FailureReason, text: string, cause?: unknown): Failure {
  return { ok: false, reason, parts: [textPart(text)], cause }
}

/** What a tool threw, as an outcome: its own words for the model, the thrown value for the host program only. */
export function thrownFailure(thrown: unknown): Failure {
  return failure('failed', describeThrown(thrown), thrown)
}

/** Without `value` and `cause`, as events and the journal hold it. */
export function publicOutcome(outcome: Outcome): PublicOutcome {
  const { parts, details } = outcome
  return outcome.ok
    ? { ok: true, parts, final: outcome.final, coercions: outcome.coercions, details }
    : { ok: false, reason: outcome.reason, parts, details }
}
