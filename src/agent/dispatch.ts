// Runs the calls of one step side by side and gives their outcomes in call order.
import type { Outcome } from '../message/part.ts'
import { execute } from '../registry/call.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { reconsider } from '../run/requests.ts'
import { onAbort } from '../run/state.ts'
import { openSlots } from './slots.ts'
import type { AgentState } from './state.ts'

/** Resolves when every call has its outcome; one that waits for a person is `pending`. Never rejects. */
export function dispatch(state: AgentState, calls: readonly PreparedCall[]): readonly Outcome[] | Promise<readonly Outcome[]> {
  const { run, scope, slots } = state
  const outcomes = new Array<Outcome>(calls.length)
  const later: Promise<void>[] = []
  run.working += calls.length
  calls.forEach((call, index) => {
    const outcome = execute(call, scope)
    if (outcome instanceof Promise) {
      later.push(
        outcome.then((settled) => {
          outcomes[index] = settled
          run.working--
          reconsider(run)
        }),
      )
    } else {
      outcomes[index] = outcome
      run.working--
    }
  })
  if (later.length === 0) return outcomes
  reconsider(run)
  const forget = onAbort(run, () => openSlots(slots))
  return Promise.all(later).then(() => {
    forget()
    return outcomes
  })
}
