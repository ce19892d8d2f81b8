// The further tries of a call whose terms ask for them: in its one slot, approved once, with one start and one end.
import { isSameloopError } from '../error/error.ts'
import type { Outcome } from '../message/part.ts'
import { prepare } from './prepare.ts'
import type { ReadyCall } from './prepare.ts'
import { unless } from './scope.ts'
import type { CallScope } from './scope.ts'

/** What a wait that doubles comes to at the most. */
const longestMs = 30_000

/** The last try's outcome, or `undefined` where the run ended between two. */
export async function retried(
  call: ReadyCall,
  scope: CallScope,
  trying: (call: ReadyCall) => Outcome | Promise<Outcome>,
): Promise<Outcome | undefined> {
  const { retries = 0, delayMs: firstMs = 100 } = call.terms?.retry ?? {}
  for (let tries = 1; ; tries++) {
    const outcome = await trying(tries === 1 ? call : anew(call, tries))
    if (outcome.ok || tries > retries || scope.stopped || !isWorthIt(outcome)) return outcome
    const delayMs = Math.min(longestMs, firstMs * 2 ** (tries - 1))
    scope.owner?.report(scope, call, { type: 'retry', attempt: tries, delayMs, reason: outcome.reason })
    await pause(scope, delayMs)
    if (scope.stopped) return undefined
  }
}

/** A tool may have changed what it was given, and a run within the call begins from the start. */
const anew = (call: ReadyCall, tries: number): ReadyCall => ({
  ...call,
  value: prepare(call, call.input, new Map([[call.name, call.entry]])).value,
  attempt: call.attempt + tries - 1,
  continues: undefined,
})

const isWorthIt = ({ reason, cause }: Extract<Outcome, { readonly ok: false }>): boolean =>
  (reason === 'failed' || reason === 'timeout') && !isSameloopError(cause, 'tool-fatal')

/** Ends early with the run. */
async function pause(scope: CallScope, ms: number): Promise<void> {
  let cancel: (() => void) | undefined
  const waited = new Promise<void>((resolve) => {
    cancel = scope.host.timer(ms, resolve)
  })
  await unless(scope, 'stopped', waited, () => cancel?.())
}
