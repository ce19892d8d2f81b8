// The decision that an event of a log tells of.
import type { Decision } from '../message/decision.ts'
import type { RunEvent } from '../message/event.ts'
import { eventOf } from './script.ts'
import type { Script } from './script.ts'

/** What a result was stands in the end of its call. */
export function decisionOf(
  records: Script['records'],
  { callId, decision, reason, input }: Extract<RunEvent, { readonly type: 'approval-response' }>,
): Decision {
  if (decision !== 'result') return { callId, decision, reason, input }
  const end = records.map(eventOf).find((event) => event.type === 'tool-end' && event.callId === callId)
  return { callId, result: { parts: end?.type === 'tool-end' ? end.outcome.parts : [] } }
}
