// The state of one run: a plain object that the functions of this module work on, and the emitting of events.
import type { Grants } from '../approval/grants.ts'
import { describeThrown } from '../error/describe.ts'
import type { SameloopError } from '../error/error.ts'
import type { Answer, ApprovalRequest, Decision } from '../message/decision.ts'
import type { EventBody, RunEvent, RunStatus, Stop, WarningCode } from '../message/event.ts'
import type { Json } from '../json/value.ts'
import type { Message, Outcome } from '../message/part.ts'
import { addUsage } from '../message/usage.ts'
import type { Usage } from '../message/usage.ts'
import type { Abortable } from '../registry/context.ts'
import type { ToolTable } from '../registry/table.ts'
import type { Settlement } from '../registry/decided.ts'
import type { PreparedCall, ReadyCall } from '../registry/prepare.ts'
import type { CallScope } from '../registry/scope.ts'
import type { Environment } from '../tool/environment.ts'
import type { RunJournal, RunStore } from '../tool/run-store.ts'
import type { Hooks } from '../observer/hooks.ts'
import { pushEvent } from '../observer/queue.ts'
import type { EventQueue } from '../observer/queue.ts'
import type { Driver } from './driver.ts'
import type { SnapshotSeal } from './snapshot.ts'

export interface Ending {
  readonly status: RunStatus
  readonly stop: Stop
  readonly error?: SameloopError | undefined
}

export interface Waiting {
  readonly call: ReadyCall
  readonly resolve: (settlement: Settlement | Promise<Outcome>) => void
}

export interface OpenRequest {
  readonly request: ApprovalRequest
  /** The call that asked, and identical ones that joined it. */
  readonly waiting: [Waiting, ...Waiting[]]
  /** Ends the waiting for its expiry. */
  forget?: (() => void) | undefined
  /** `approve` thinks about it: work that the run waits for. */
  consulting?: boolean
}

/** What a run needs of the options of whatever it runs. */
export interface RunPolicy {
  readonly hooks?: Hooks | undefined
  readonly approve?: ((request: ApprovalRequest) => Answer | undefined | Promise<Answer | undefined>) | undefined
  readonly approvalWaitMs?: number | undefined
  readonly approvalExpiryMs?: number | undefined
  readonly concurrency?: number | undefined
  readonly snapshots?: SnapshotSeal | undefined
  readonly env?: Environment | undefined
}

/** What a run is started with; what is absent begins at nothing. */
export interface RunSetup extends Belonging {
  readonly id?: string | undefined
  readonly seq?: number
  readonly step?: number
  readonly usage?: Usage
  /** Work time before this resume. */
  readonly earlierMs?: number
}

/** Whose run it is: its session with what was granted in it, and the run it is a part of. */
export interface Belonging {
  readonly session: string | undefined
  readonly grants: Grants
  readonly parent?: Parent | undefined
  readonly agent?: string | undefined
}

export interface Parent {
  readonly run: RunState
  readonly callId: string
  /** How many tools called the agent: its run cannot be put away in the middle of them. */
  readonly depth?: number | undefined
}

/** Many runs live at once and most are never asked about anything, so what only some need is made when needed. */
export interface RunState extends CallScope, Abortable {
  aborted: boolean
  readonly options: RunPolicy
  readonly driver: Driver
  /** In the place of the environment's. */
  readonly store?: RunStore | null | undefined
  /** Of the outermost run, where there is a store. */
  journal?: RunJournal | undefined
  /** The calls that a resumed run still has to answer. */
  open?: readonly PreparedCall[] | undefined
  readonly table: ToolTable
  /** Snapshots of runs within this one that wait, by the call that began them. */
  children?: Readonly<Record<string, Json>> | undefined
  /** The runs within this one that work or were cut off, by the call that began them. */
  inners?: Map<string, RunState> | undefined
  /** What people made of the input of calls that are not over, by call. */
  edits?: Readonly<Record<string, Json>> | undefined
  readonly queue: EventQueue
  /** Open questions; calls merged into one share it. */
  requests: readonly OpenRequest[]
  /** The run of the agent that called this one, and the call. Events, questions and usage go up to it. */
  readonly parent?: Parent | undefined
  /** Decisions by call id. */
  settled?: Map<string, Decision>
  /** Decisions given to `resume`, taken when their call asks. */
  ahead?: ReadonlyMap<string, Decision>
  /** What was asked before the resume, by call id. */
  asked?: ReadonlyMap<string, ApprovalRequest>
  steering: readonly Message[]
  stopped: boolean
  fatal?: SameloopError
  /** Calls of the current batch that are neither settled nor waiting for a person. */
  working: number
  cancelWait?: (() => void) | undefined
  /** Since when nothing is done but people are waited for. */
  idleSince?: number | undefined
  /** How long that was, before. */
  idledMs?: number
  seq: number
  step: number
  usage: Usage
  /** Before the run by the work time of what it resumes. */
  readonly startedAt: number
  ended?: Ending
  /** The events as a stream, once somebody asked for one. */
  stream?: ReadableStream<RunEvent>
  pending: readonly ApprovalRequest[]
}

/** Adds an event to the run's one log. The body becomes the event; it must not be used again. */
export function emit(run: RunState, body: EventBody): void {
  const event = body as { -readonly [key in keyof RunEvent]: RunEvent[key] }
  event.seq = ++run.seq
  event.at = run.host.now()
  event.run = run.id
  // First the reader: an observer may cause the next event.
  if (run.parent) passUp(run.parent, event as RunEvent)
  else tell(run, event as RunEvent)
  if (run.options.hooks) callHook(run, 'onEvent', event as RunEvent)
}

/** The reader, and the log; what is said of the end the log knows already. */
function tell(run: RunState, event: RunEvent): void {
  if (!run.ended) run.journal?.note(event.type, event)
  pushEvent(run.queue, event)
}

/** The call of the parent stands for the run as a whole: its start and end are no events there. */
function passUp({ run, callId }: NonNullable<RunState['parent']>, event: RunEvent): void {
  const { type, path = [] } = event
  if (run.ended || type === 'run-start' || type === 'run-end' || type === 'error') return
  if (type === 'usage') run.usage = addUsage(run.usage, event.usage)
  emit(run, { ...event, path: [callId, ...path] } as EventBody)
}

/** The run that people see: the outermost one. */
export const homeOf = (run: RunState): RunState => (run.parent ? homeOf(run.parent.run) : run)

/** A call as the outermost run knows it: `outer/inner`. */
export const homeId = ({ parent }: RunState, callId: string): string =>
  parent ? homeId(parent.run, `${parent.callId}/${callId}`) : callId

/** The call ids of the sub-agents that lead to a run, outermost first. */
export const pathOf = ({ parent }: RunState): readonly string[] =>
  parent ? [...pathOf(parent.run), parent.callId] : []

/** Whether a tool in the middle of its work waits for the run, or for one above it. */
export const isWithinTool = ({ parent }: RunState): boolean =>
  parent !== undefined && (!!parent.depth || isWithinTool(parent.run))

export function warn(run: RunState, code: WarningCode, message: string, data?: Json): void {
  if (!run.ended) emit(run, { type: 'warning', code, message, data })
}

/** Calls an observer; a throw or a rejection becomes a report instead of an error. */
export function callHook<Name extends keyof Hooks>(
  run: RunState,
  name: Name,
  ...args: Parameters<NonNullable<Hooks[Name]>>
): void {
  const hook = run.options.hooks?.[name] as ((...args: readonly unknown[]) => unknown) | undefined
  if (!hook) return
  const report = (thrown: unknown): void => reportObserver(run, name, thrown)
  try {
    const answer = hook(...args)
    if (answer instanceof Promise) answer.catch(report)
  } catch (thrown) {
    report(thrown)
  }
}

/** An observer or `approve` that threw. Told to the reader alone, or a broken `onEvent` would hear of itself. */
export function reportObserver(run: RunState, observer: string, thrown: unknown): void {
  const home = homeOf(run)
  if (run.ended || home.ended) return
  const message = describeThrown(thrown)
  const path = pathOf(run)
  const event = {
    type: 'observer-error',
    observer,
    message,
    seq: ++home.seq,
    at: home.host.now(),
    run: home.id,
  } as const
  tell(home, path.length ? { ...event, path } : event)
}

/** Milliseconds of work, over all resumes. */
export const elapsedMs = (run: RunState): number => run.host.now() - run.startedAt

/** Of these, how long only people were waited for, in this part of the run. */
export const idleMs = ({ idleSince, idledMs = 0, host }: RunState): number =>
  idleSince === undefined ? idledMs : idledMs + host.now() - idleSince
