// What tools of this library may do with an agent, an orchestrator or an engine beyond its public face.
import type { RunHandle } from '../run/run.ts'
import type { Snapshot } from '../run/snapshot.ts'
import type { Belonging, RunState } from '../run/state.ts'
import type { GivenToResume } from './resume.ts'
import type { RunnerSetup } from './setup.ts'

/** A run that is ready to start. */
export interface Ready<Result> {
  readonly state: RunState
  start(): RunHandle<Result>
}

export interface RunnerParts<Result = unknown> {
  readonly setup: RunnerSetup
  /** A run from a snapshot, of one that was never begun too, with another setup: nothing is checked or used up. */
  ready(setup: RunnerSetup, from: Snapshot, given: ReadyOptions): Ready<Result>
}

export interface ReadyOptions extends GivenToResume {
  readonly of: Belonging
  /** What is said of the history and the tools at the start, in the place of what is found. */
  readonly repairs: readonly string[]
  /** Absent where the run began. */
  readonly changed: readonly string[] | undefined
}

const partsKey: unique symbol = Symbol.for('sameloop.runner') as never

export const withParts = <Runner extends object>(runner: Runner, parts: RunnerParts): Runner =>
  Object.assign(runner, { [partsKey]: parts })

export const partsOf = (runner: object): RunnerParts | undefined =>
  (runner as { readonly [partsKey]?: RunnerParts })[partsKey]
