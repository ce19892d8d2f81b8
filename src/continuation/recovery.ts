// What a log says of a run that was cut off, beside its snapshot. Only who read a log can say it: no JSON can.
import type { Effect } from '../message/decision.ts'
import type { Outcome } from '../message/part.ts'
import type { Snapshot } from '../run/snapshot.ts'

export interface Recovery {
  /** The how manieth try this is since the run last got on; absent where it was not cut off. */
  readonly attempt: number | undefined
  /** The calls that had begun and have no result. */
  readonly started: Readonly<Record<string, StartedCall>>
  /** The outcomes of calls that ended, where nothing of them is in the body yet. */
  readonly answered?: Readonly<Record<string, Outcome>> | undefined
  /** All calls of the last step have their results, and nothing followed from them yet. */
  readonly isAnswered: boolean
}

export interface StartedCall {
  readonly attempt: number
  /** Its own, or that of a call it made, whichever is worse to repeat. */
  readonly effect: Effect
}

const recoveryKey: unique symbol = Symbol('recovery')

export const withRecovery = (snapshot: Snapshot, recovery: Recovery): Snapshot =>
  Object.assign({ ...snapshot }, { [recoveryKey]: recovery })

export const recoveryOf = (snapshot: Snapshot): Recovery | undefined =>
  (snapshot as { readonly [recoveryKey]?: Recovery })[recoveryKey]
