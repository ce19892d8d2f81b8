// The one run machine: starts a driver, owns the handle, ends the run with exactly one last event.
import { describeThrown } from '../error/describe.ts'
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { RunEvent } from '../message/event.ts'
import type { Json, Message } from '../message/part.ts'
import { checkMessage } from '../message/input.ts'
import { endEvents, readEvents } from './queue.ts'
import { closeRequests, decide } from './requests.ts'
import type { Run } from './run.ts'
import type { Snapshot, SnapshotSeal } from './snapshot.ts'
import { sealedText } from './snapshot.ts'
import { elapsedMs, emit, onAbort } from './state.ts'
import type { Ending, RunState } from './state.ts'

/** What a kind of run brings: the loop of an agent, later the scheduler of a plan. */
export interface Driver<Result> {
  /** The `driver` of its snapshots. */
  readonly kind: string
  /** Runs to its end; may throw, which fails the run. */
  drive(): Promise<Ending>
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
  const forget = followSignal(options.signal, abort)
  const result = finished(run, driver, options).finally(forget)
  let stream: ReadableStream | undefined
  const read = (): AsyncIterableIterator<RunEvent> =>
    readEvents(run.queue, () => {
      if (options.detached !== true) abort('The reader left')
    })
  return {
    id: run.id,
    result,
    get text() {
      return result.then((value) => answerText(run, driver, value))
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

async function finished<Result>(run: RunState, driver: Driver<Result>, options: MachineOptions): Promise<Result> {
  let ending: Ending
  try {
    ending = await driver.drive()
  } catch (thrown) {
    ending = run.aborted ? { status: 'aborted', stop: 'aborted' } : { status: 'failed', stop: 'failed', error: asError(thrown) }
  }
  closeRequests(run, 'aborted')
  const { error } = ending
  // From here on no observer can add an event, so the last `seq` is known before the last event is made.
  run.ended = ending
  const facts = { seq: run.seq + (error === undefined ? 1 : 2), elapsedMs: elapsedMs(run) }
  const make = once(() => snapshotOf(run, driver, ending, { ...options, ...facts }))
  const snapshot = await sealed(make, options.seal)
  if (error !== undefined) emit(run, { type: 'error', code: error.code, message: error.message })
  emit(run, { type: 'run-end', status: ending.status, stop: ending.stop })
  endEvents(run.queue)
  return driver.result(ending, snapshot)
}

interface Facts extends MachineOptions {
  readonly seq: number
  readonly elapsedMs: number
}

function snapshotOf<Result>(run: RunState, driver: Driver<Result>, ending: Ending, facts: Facts): Snapshot {
  return {
    version: 1,
    driver: driver.kind,
    run: run.id,
    seq: facts.seq,
    session: run.session,
    status: ending.status,
    stop: ending.stop,
    retryable: ending.error?.retryable ?? false,
    pending: run.pending,
    usage: run.usage,
    elapsedMs: facts.elapsedMs,
    grants: { allowed: [...run.grants.allowed], denied: [...run.grants.denied] },
    singleUse: facts.singleUse,
    body: driver.body(),
  }
}

/** With a seal the snapshot is made and signed before the run ends, as signing cannot wait for the first read. */
async function sealed(make: () => Snapshot, seal: SnapshotSeal | undefined): Promise<() => Snapshot> {
  if (seal === undefined) return make
  const plain = make()
  const signature = await seal.sign(sealedText(plain))
  return () => ({ ...plain, signature })
}

function once<Value>(make: () => Value): () => Value {
  let value: { readonly made: Value } | undefined
  return () => (value ??= { made: make() }).made
}

/** Ends the run from outside. A second abort changes nothing. */
export function abortRun(run: RunState, reason: unknown): void {
  if (run.aborted || run.ended !== undefined) return
  run.aborted = true
  run.abortReason = reason
  closeRequests(run, 'aborted')
  for (const listener of [...(run.abortListeners ?? [])]) listener()
  run.controller?.abort(reason)
}

/** A tool ended the run: nothing more starts, what runs may finish. */
export function stopFatally(run: RunState, error: SameloopError): void {
  run.fatal ??= error
  closeRequests(run, 'aborted')
}

/** The run's signal for the model's request; made when first asked for. */
export function runSignal(run: RunState): AbortSignal {
  if (run.controller === undefined) {
    run.controller = new AbortController()
    if (run.aborted) run.controller.abort(run.abortReason)
  }
  return run.controller.signal
}

/** Waits for `work`, but not beyond an abort: then it rejects at once, and `work` is left behind. */
export function untilAborted<Value>(run: RunState, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new SameloopError('run-internal', 'The run was aborted'))
    const forget = onAbort(run, leave)
    work.then(
      (value) => {
        forget()
        resolve(value)
      },
      (thrown: unknown) => {
        forget()
        reject(thrown)
      },
    )
    if (run.aborted) leave()
  })
}

function followSignal(signal: AbortSignal | undefined, abort: (reason: unknown) => void): () => void {
  if (signal === undefined) return () => {}
  const listener = (): void => abort(signal.reason)
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}

function steer(run: RunState, message: string | Message): void {
  if (typeof message !== 'string') checkMessage(message, 'the steering message')
  run.steering.push(typeof message === 'string' ? { role: 'user', content: [{ type: 'text', text: message }] } : message)
}

function answerText<Result>(run: RunState, driver: Driver<Result>, result: Result): string {
  const { status, stop, error } = run.ended as Ending
  if (status === 'done') return driver.text(result)
  throw new SameloopError('run-not-done', `The run has no final text: it ended ${status} (${stop})`, { data: { status, stop }, cause: error })
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

function asError(thrown: unknown): SameloopError {
  if (isSameloopError(thrown)) return thrown
  return new SameloopError('run-internal', `The run failed: ${describeThrown(thrown)}`, { cause: thrown })
}
