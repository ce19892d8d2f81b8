// What a person's decision makes of the call that waits for it.
import { SameloopError } from '../error/error.ts'
import { plainJson } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { Decision } from '../message/decision.ts'
import { failure } from '../message/outcome.ts'
import type { Outcome } from '../message/part.ts'
import { contentText } from '../message/text.ts'
import { toolOutcome } from '../tool/outcome.ts'
import { denied } from './call.ts'
import { attempt, unknownOutcome } from './perform.ts'
import { prepare } from './prepare.ts'
import type { PreparedCall, ReadyCall } from './prepare.ts'

/** The call to run, or the outcome that answers it. */
export type Settlement = PreparedCall | Outcome

/** The call with the input of an edit. Throws `run-invalid-decision` where that does not fit. */
export function editedCall(call: ReadyCall, decision: Decision): ReadyCall | undefined {
  if ('result' in decision || decision.decision !== 'edit') return undefined
  const edited = prepare(call, plainJson(decision.input) ?? null, new Map([[call.name, call.entry]]))
  if (!edited.failed) return edited as ReadyCall
  throw new SameloopError('run-invalid-decision', contentText(edited.failed.parts), { data: { callId: call.callId } })
}

/** What a decision makes of the call that waited for it, edited where it was. */
export function settlement(decision: Decision, call: ReadyCall): Settlement | Promise<Outcome> {
  if (!('result' in decision)) {
    if (!decision.decision.startsWith('deny')) return call
    return call.interrupted ? failure('unknown-outcome', unknownOutcome(call)) : denied(call, decision.reason)
  }
  const { result } = decision
  const parts = own(result, 'parts')
  return attempt(
    () => (Array.isArray(parts) ? parts : result),
    (given) => toolOutcome(given, call.entry),
  )
}
