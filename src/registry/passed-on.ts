// The outcomes that middleware makes itself: as plain as those of a tool, or a failure.
import { plainJson } from '../json/text.ts'
import { contentMisfit } from '../message/input.ts'
import { failure } from '../message/outcome.ts'
import type { ContentPart, FailureReason, Outcome } from '../message/part.ts'
import { misfit } from '../message/shape.ts'

/** All but `pending`: where middleware says that a call waits, nobody was asked. */
const reasons = {
  'not-found': true,
  'invalid-input': true,
  denied: true,
  timeout: true,
  failed: true,
  'invalid-output': true,
  aborted: true,
  'unknown-outcome': true,
  limit: true,
} satisfies Record<Exclude<FailureReason, 'pending'>, true>

export function passedOn(given: unknown): Outcome {
  const outcome = given as Outcome
  const wrong =
    misfit(given, { ok: 'boolean', parts: 'array' }) ??
    (outcome.ok ? undefined : misfit(given, { reason: Object.keys(reasons) })) ??
    contentMisfit(outcome.parts)
  const parts = wrong ? undefined : (plainJson(outcome.parts) as readonly ContentPart[] | undefined)
  if (!parts) return failure('failed', 'The middleware gave no outcome')
  return { ...outcome, parts, details: plainJson(outcome.details) }
}
