// The decision that an event of a log tells of.
import type { Decision } from '../message/decision.ts'
import type { RunEvent } from '../message/event.ts'
import type { Script } from './script.ts'

/** What a result was is in a record of its own. */
export function decisionOf(
  { results }: Pick<Script, 'results'>,
  { callId, decision, reason, input }: Extract<RunEvent, { readonly type: 'approval-response' }>,
): Decision {
  return decision === 'result' ? { callId, result: results.get(callId) ?? null } : { callId, decision, reason, input }
}
