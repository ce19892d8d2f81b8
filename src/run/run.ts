// The public face of a run, whatever drives it.
import type { SameloopError } from '../error/error.ts'
import type { ApprovalRequest, Decision } from '../message/decision.ts'
import type { RunEvent, RunStatus, Stop } from '../message/event.ts'
import type { Message } from '../message/part.ts'
import type { Usage } from '../message/usage.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * A run that has started, whatever drives it. It is an async iterable of its events, which may be read once; a reader that leaves aborts
 * the run unless it is `detached`. While a reader is attached the run waits for it; before, events are kept up to 1 MiB.
 */
export interface RunHandle<Result> extends AsyncIterable<RunEvent> {
  readonly id: string
  /** The same events as a stream, made when first read. */
  readonly events: ReadableStream<RunEvent>
  /** Always resolves; `status` says how the run ended. */
  readonly result: Promise<Result>
  /** Ends the run: finished results are kept, unfinished calls answered `aborted`. */
  abort(reason?: unknown): void
  /**
   * Answers an open request and returns the settled decision, the same one when asked again.
   * Throws `run-unknown-call` for a call that was never asked about, `run-invalid-decision` for one that does not fit,
   * and `run-suspended` once the run is suspended (use `resume`).
   */
  decide(decision: Decision): Decision
}

/** A run of an agent. */
export interface Run<Result = RunResult> extends RunHandle<Result> {
  /** The answer's text; rejects with `run-not-done` unless the run is done. */
  readonly text: Promise<string>
  /** Adds a message after the results of the current step, or makes one more turn. */
  steer(message: string | Message): void
}

export interface RunResult {
  readonly status: RunStatus
  readonly stop: Stop
  /** The last answer; what was said so far, where the run ended early. */
  readonly text: string
  /** The checked value, where the agent has an `output` schema and the run is done. */
  readonly output?: unknown
  /** The whole conversation, input included: `agent.run([...messages, next])` goes on. */
  readonly messages: readonly Message[]
  /** What this run appended. */
  readonly added: readonly Message[]
  readonly pending: readonly ApprovalRequest[]
  readonly usage: Usage
  readonly steps: number
  /** Plain JSON that another runtime can resume; made when first read. */
  readonly snapshot: Snapshot
  readonly error?: SameloopError | undefined
}
