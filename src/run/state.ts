// The state of one run: a plain object that the functions of this module work on, and the emitting of events.
import type { Grants } from '../approval/grants.ts'
import type { SameloopError } from '../error/error.ts'
import type { Host } from '../host/host.ts'
import type { Answer, ApprovalRequest, Decision } from '../message/decision.ts'
import type { EventBody, RunEvent, RunStatus, Stop, WarningCode } from '../message/event.ts'
import type { Json, Message } from '../message/part.ts'
import type { Usage } from '../message/usage.ts'
import type { OpenRequest } from './requests.ts'
import { observe } from './hooks.ts'
import type { Hooks } from './hooks.ts'
import { eventQueue, pushEvent } from './queue.ts'
import type { EventQueue } from './queue.ts'

export interface Ending {
  readonly status: RunStatus
  readonly stop: Stop
  readonly error?: SameloopError | undefined
}

export interface RunState {
  readonly id: string
  readonly host: Host
  readonly session: string | undefined
  readonly hooks: Hooks
  readonly grants: Grants
  readonly approve: ((request: ApprovalRequest) => Answer | undefined | Promise<Answer | undefined>) | undefined
  readonly approvalWaitMs: number
  readonly queue: EventQueue
  /** Open questions by call id; calls merged into one share the object. */
  readonly requests: Map<string, OpenRequest>
  readonly settled: Map<string, Decision>
  /** Decisions given to `resume`, taken when their call asks. */
  readonly ahead: Map<string, Decision>
  readonly steering: Message[]
  abortListeners: Set<() => void> | undefined
  controller: AbortController | undefined
  aborted: boolean
  abortReason: unknown
  fatal: SameloopError | undefined
  /** Calls of the current batch that are neither settled nor waiting for a person. */
  working: number
  cancelWait: (() => void) | undefined
  seq: number
  step: number
  usage: Usage
  readonly startedAt: number
  /** Work time before this resume. */
  readonly earlierMs: number
  ended: Ending | undefined
  pending: readonly ApprovalRequest[]
}

export type RunSetup = Pick<RunState, 'id' | 'host' | 'session' | 'hooks' | 'grants' | 'approve' | 'approvalWaitMs'> &
  Partial<Pick<RunState, 'seq' | 'step' | 'usage' | 'earlierMs'>>

export function runState(setup: RunSetup, onStarved: (run: RunState) => void): RunState {
  const run: RunState = {
    id: setup.id,
    host: setup.host,
    session: setup.session,
    hooks: setup.hooks,
    grants: setup.grants,
    approve: setup.approve,
    approvalWaitMs: setup.approvalWaitMs,
    queue: eventQueue(() => onStarved(run)),
    requests: new Map(),
    settled: new Map(),
    ahead: new Map(),
    steering: [],
    abortListeners: undefined,
    controller: undefined,
    aborted: false,
    abortReason: undefined,
    fatal: undefined,
    working: 0,
    cancelWait: undefined,
    seq: setup.seq ?? 0,
    step: setup.step ?? 0,
    usage: setup.usage ?? {},
    startedAt: setup.host.now(),
    earlierMs: setup.earlierMs ?? 0,
    ended: undefined,
    pending: [],
  }
  return run
}

/** Adds an event to the run's one log. The body becomes the event; it must not be used again. */
export function emit(run: RunState, body: EventBody): void {
  const event = body as { -readonly [key in keyof RunEvent]: RunEvent[key] }
  event.seq = ++run.seq
  event.at = run.host.now()
  event.run = run.id
  publish(run, event as RunEvent)
}

/** The same for the many small ones, in one object literal. */
export function emitDelta(
  run: RunState,
  type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta',
  id: string,
  delta: string,
): void {
  publish(run, { type, seq: ++run.seq, at: run.host.now(), run: run.id, step: run.step, id, delta })
}

function publish(run: RunState, event: RunEvent): void {
  const { onEvent } = run.hooks
  if (onEvent !== undefined) observe(() => onEvent(event), (message) => reportObserver(run, 'onEvent', message))
  pushEvent(run.queue, event)
}

export function warn(run: RunState, code: WarningCode, message: string, data?: Json): void {
  emit(run, { type: 'warning', code, message, data })
}

/** An observer or an `approve` that threw. Told to the reader only, or a broken `onEvent` would hear of itself for ever. */
export function reportObserver(run: RunState, observer: string, message: string): void {
  if (run.ended !== undefined) return
  pushEvent(run.queue, { type: 'observer-error', observer, message, seq: ++run.seq, at: run.host.now(), run: run.id })
}

/** Calls back once when the run is aborted; the returned function unsubscribes. */
export function onAbort(run: RunState, listener: () => void): () => void {
  const listeners = (run.abortListeners ??= new Set())
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Milliseconds of work, over all resumes. */
export const elapsedMs = (run: RunState): number => run.earlierMs + run.host.now() - run.startedAt
