// The one run machine: starts a driver, owns the handle, ends the run with exactly one last event.
import { describeThrown } from '../error/describe.ts'
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { RunEvent, RunStatus, Stop } from '../message/event.ts'
import { checkMessage } from '../message/input.ts'
import type { Json, Message } from '../message/part.ts'
import { textMessage } from '../message/text.ts'
import { abortSignal } from '../registry/context.ts'
import { tooLate } from '../registry/perform.ts'
import { freeSlots } from '../registry/slots.ts'
import { listen } from '../stream/signal.ts'
import { endEvents, readEvents } from './queue.ts'
import { closeRequests, decide, reconsider } from './requests.ts'
import type { Run } from './run.ts'
import { sealedText } from './snapshot.ts'
import type { Snapshot, SnapshotSeal } from './snapshot.ts'
import { elapsedMs, emit } from './state.ts'
import type { Ending, RunState } from './state.ts'

/** What a kind of run brings: the loop of an agent, later the scheduler of a plan. */
export interface Driver<Result> {
  /** The `driver` of its snapshots. */
  readonly kind: string
  /** Runs to its end; may throw, which fails the run. */
  drive(): Promise<Stop>
  /** Its part of the snapshot. */
  body(): Json
  result(ending: Ending, snapshot: () => Snapshot): Result
  /** For `Run.text`. */
  text(result: Result): string
}

export interface MachineOptions {
  readonly signal?: AbortSignal | undefined
  readonly detached?: boolean | undefined
  readonly seal?: SnapshotSeal | undefined
  readonly singleUse: Snapshot['singleUse']
}

/** Starts the driver at once and returns the handle. */
export function startRun<Result>(run: RunState, driver: Driver<Result>, options: MachineOptions): Run<Result> {
  const abort = (reason?: unknown): void => abortRun(run, reason)
  const forget = listen(options.signal, abort)
  const result = finished(run, driver, options).finally(forget)
  let stream: ReadableStream<RunEvent> | undefined
  const read = (): AsyncIterableIterator<RunEvent> =>
    readEvents(run.queue, {
      onIdle: () => reconsider(run),
      onLeave: () => {
        if (options.detached !== true) abort('The reader left')
      },
    })
  return {
    id: run.id,
    result,
    get text() {
      return result.then((value) => {
        const { status, stop, error } = run.ended as Ending
        if (status === 'done') return driver.text(value)
        const message = `The run has no final text: it ended ${status} (${stop})`
        throw new SameloopError('run-not-done', message, { data: { status, stop }, cause: error })
      })
    },
    get events() {
      return (stream ??= streamOf(read()))
    },
    [Symbol.asyncIterator]: read,
    abort,
    steer: (message) => steer(run, message),
    decide: (decision) => decide(run, decision),
  }
}

const statuses: { readonly [stop in Stop]?: RunStatus } = {
  end: 'done',
  'return-direct': 'done',
  'stop-sequence': 'done',
  approval: 'suspended',
  'client-tool': 'suspended',
  aborted: 'aborted',
  failed: 'failed',
}

async function finished<Result>(run: RunState, driver: Driver<Result>, options: MachineOptions): Promise<Result> {
  let stop: Stop
  let error: SameloopError | undefined
  try {
    stop = await driver.drive()
  } catch (thrown) {
    stop = run.aborted ? 'aborted' : 'failed'
    if (!run.aborted) error = asError(thrown)
  }
  closeRequests(run, tooLate())
  // From here on no observer can add an event, so the last `seq` is known before the last event is made.
  const ending: Ending = { status: statuses[stop] ?? 'stopped', stop, error }
  run.ended = ending
  const facts = { ...ending, seq: run.seq + (error === undefined ? 1 : 2), elapsedMs: elapsedMs(run), singleUse: options.singleUse }
  let made: Snapshot | undefined
  const snapshot = (): Snapshot => (made ??= snapshotOf(run, driver, facts))
  // Signing cannot wait for the first read.
  if (options.seal !== undefined) made = { ...snapshot(), signature: await options.seal.sign(sealedText(snapshot())) }
  if (error !== undefined) emit(run, { type: 'error', code: error.code, message: error.message })
  emit(run, { type: 'run-end', status: ending.status, stop })
  endEvents(run.queue)
  return driver.result(ending, snapshot)
}

function asError(thrown: unknown): SameloopError {
  if (isSameloopError(thrown)) return thrown
  return new SameloopError('run-internal', `The run failed: ${describeThrown(thrown)}`, { cause: thrown })
}

function snapshotOf<Result>(
  { id, session, pending, usage, grants }: RunState,
  driver: Driver<Result>,
  { error, ...facts }: Ending & Pick<Snapshot, 'seq' | 'elapsedMs' | 'singleUse'>,
): Snapshot {
  return {
    version: 1,
    driver: driver.kind,
    run: id,
    session,
    retryable: error?.retryable ?? false,
    pending,
    usage,
    grants: { allowed: [...grants.allowed], denied: [...grants.denied] },
    ...facts,
    body: driver.body(),
  }
}

/** Ends the run from outside. A second abort changes nothing. */
export function abortRun(run: RunState, reason: unknown): void {
  if (run.aborted || run.ended !== undefined) return
  run.stopped = true
  run.aborted = true
  closeRequests(run, tooLate())
  for (const listener of [...run.abortListeners]) listener()
  // Who waits for a slot must be answered now.
  freeSlots(run.slots, 0, Infinity)
  abortSignal(run, reason)
}

/** A tool ended the run: nothing more starts, what runs may finish. */
export function stopFatally(run: RunState, error: SameloopError): void {
  run.fatal ??= error
  run.stopped = true
  closeRequests(run, tooLate())
}

/** Waits for `work`, but not beyond an abort: then it rejects at once, and `work` is left behind. */
export function untilAborted<Value>(run: RunState, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new SameloopError('run-internal', 'The run was aborted'))
    if (run.aborted) leave()
    run.abortListeners.add(leave)
    work.then(resolve, reject).finally(() => run.abortListeners.delete(leave))
  })
}

function steer(run: RunState, message: string | Message): void {
  if (typeof message !== 'string') checkMessage(message, 'the steering message')
  run.steering.push(typeof message === 'string' ? textMessage('user', message) : message)
}

function streamOf<Item>(iterator: AsyncIterableIterator<Item>): ReadableStream<Item> {
  return new ReadableStream<Item>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
