// What a kind of run brings, the same for all its runs: the loop of an agent, the scheduler of a plan, an engine.
import type { Stop } from '../message/event.ts'
import type { Json } from '../json/value.ts'
import type { Failure } from '../message/outcome.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import type { StepFacts } from '../tool/rule.ts'
import type { Snapshot } from './snapshot.ts'
import type { Ending, RunState } from './state.ts'

export interface Driver<State = RunState, Result = unknown> {
  /** The `driver` of its snapshots. */
  readonly kind: string
  /** Runs to its end; may reject, which fails the run. */
  drive(run: State): Promise<Stop>
  /** The log needs the values of its calls, which events do not hold. */
  readonly keepsValues?: boolean
  /** Records what the log does not know yet, before the end. */
  close?(run: State): void
  /** Its part of the snapshot. */
  body(run: State): Json
  result(run: State, ending: Ending, snapshot: () => Snapshot): Result
  /** Why a call that a tool makes is one too many, if it is. */
  admit?(run: State, call: PreparedCall): Failure | undefined
  /** Which of its limits is reached: it holds for the runs within it too. */
  spent?(run: State): Stop | undefined
  /** Who says which tools are told of: they speak for the runs within it too. */
  tellers?(run: State): readonly Telling[]
}

export interface Telling {
  readonly advertises?: ((name: string, uri: string, facts: StepFacts) => boolean) | undefined
}
