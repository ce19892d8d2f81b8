// The one run machine: starts a driver, owns the handle, ends the run with exactly one last event.
import { addGrants, grants } from '../approval/grants.ts'
import { describeThrown } from '../error/describe.ts'
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { RunEvent, RunStatus, Stop } from '../message/event.ts'
import { newInput } from '../message/input.ts'
import type { Json } from '../json/value.ts'
import { tooLate } from '../registry/perform.ts'
import { freeSlots } from '../registry/slots.ts'
import { listen } from '../stream/signal.ts'
import { endEvents, readEvents } from './queue.ts'
import { closeRequests, decide, reconsider } from './requests.ts'
import type { Run } from './run.ts'
import { sealedText } from './snapshot.ts'
import type { Snapshot } from './snapshot.ts'
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
}

export interface MachineOptions {
  readonly signal?: AbortSignal | undefined
  readonly detached?: boolean | undefined
}

/** Starts the driver at once and returns the handle. */
export function startRun<Result extends { readonly text: string }>(
  run: RunState,
  driver: Driver<Result>,
  options: MachineOptions,
): Run<Result> {
  const abort = (reason?: unknown): void => abortRun(run, reason)
  const forget = listen(options.signal, abort)
  const result = finished(run, driver).finally(forget)
  let stream: ReadableStream<RunEvent> | undefined
  const onIdle = (): void => reconsider(run)
  const onLeave = (): void => {
    if (!options.detached) abort('The reader left')
  }
  const read = (): AsyncIterableIterator<RunEvent> => readEvents(run.queue, { onIdle, onLeave })
  return {
    id: run.id,
    result,
    get text() {
      return result.then(({ text }) => {
        const { status, stop, error } = run.ended as Ending
        if (status === 'done') return text
        throw new SameloopError('run-not-done', `The run is not done: it ended ${status} (${stop})`, {
          data: { status, stop },
          cause: error,
        })
      })
    },
    get events() {
      return (stream ??= streamOf(read()))
    },
    [Symbol.asyncIterator]: read,
    abort,
    steer: (message) => {
      if (run.ended) throw new SameloopError('run-invalid-input', 'Cannot steer: the run has ended')
      run.steering.push(...newInput(typeof message === 'string' ? message : [message]))
    },
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

async function finished<Result>(run: RunState, driver: Driver<Result>): Promise<Result> {
  const seal = run.options.snapshots
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
  const seq = run.seq + (error ? 2 : 1)
  const worked = elapsedMs(run)
  let made: Snapshot | undefined
  let unsigned: SameloopError | undefined
  const snapshot = (): Snapshot => {
    if (unsigned) throw unsigned
    return (made ??= {
      version: 1,
      driver: driver.kind,
      run: run.id,
      seq,
      session: run.session,
      status: ending.status,
      stop,
      retryable: error?.retryable ?? false,
      pending: run.pending,
      usage: run.usage,
      elapsedMs: worked,
      grants: addGrants(grants(), run.grants),
      singleUse: run.options.env?.store ? 'store' : 'process',
      body: driver.body(),
    })
  }
  try {
    // Signing cannot wait for the first read.
    if (seal) made = { ...snapshot(), signature: await seal.sign(sealedText(snapshot())) }
  } catch (thrown) {
    // The run has ended all the same; only its snapshot cannot be had.
    unsigned = asError(thrown)
  }
  if (error) emit(run, { type: 'error', code: error.code, message: error.message })
  emit(run, { type: 'run-end', status: ending.status, stop })
  endEvents(run.queue)
  return driver.result(ending, snapshot)
}

function asError(thrown: unknown): SameloopError {
  if (isSameloopError(thrown)) return thrown
  return new SameloopError('run-internal', `The run failed: ${describeThrown(thrown)}`, { cause: thrown })
}

/** Ends the run from outside. A second abort changes nothing. */
export function abortRun(run: RunState, reason: unknown): void {
  if (run.aborted || run.ended) return
  run.aborted = true
  run.abortReason = reason
  stopRun(run)
  for (const listener of [...run.abortListeners]) listener()
  // Who waits for a slot must be answered now, and who waits for the reader must not.
  freeSlots(run.slots, 0, Infinity)
  run.queue.onDrained?.()
  run.controller?.abort(reason)
}

/** A tool ended the run: nothing more starts, what runs may finish. */
export function stopFatally(run: RunState, error: SameloopError): void {
  run.fatal ??= error
  stopRun(run)
}

function stopRun(run: RunState): void {
  run.stopped = true
  closeRequests(run, tooLate())
  for (const listener of [...run.stopListeners]) listener()
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

function streamOf<Item>(iterator: AsyncIterableIterator<Item>): ReadableStream<Item> {
  return new ReadableStream<Item>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
