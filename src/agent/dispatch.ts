// Runs the calls of one step side by side and gives their outcomes in call order.
import type { Outcome } from '../message/part.ts'
import { execute } from '../registry/call.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { reconsider } from '../run/requests.ts'
import type { AgentState } from './state.ts'

/** Ends when every call has its outcome; one that waits for a person is `pending`. Never rejects. */
export function dispatch(
  state: AgentState,
  calls: readonly PreparedCall[],
): readonly Outcome[] | Promise<readonly Outcome[]> {
  const { run } = state
  run.working += calls.length
  const settled = (outcome: Outcome): Outcome => {
    run.working--
    reconsider(run)
    return outcome
  }
  const outcomes = calls.map((call) => {
    const outcome = execute(call, state)
    return outcome instanceof Promise ? outcome.then(settled) : settled(outcome)
  })
  const isLater = outcomes.some((outcome) => outcome instanceof Promise)
  return isLater ? Promise.all(outcomes as readonly Promise<Outcome>[]) : (outcomes as readonly Outcome[])
}
