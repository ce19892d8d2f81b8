// The one run machine: starts a driver, owns the handle, ends the run with exactly one last event.
import { describeThrown } from '../error/describe.ts'
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { EventBody, RunEvent, RunStatus, Stop } from '../message/event.ts'
import { newInput } from '../message/input.ts'
import { tooLate } from '../registry/perform.ts'
import { unless } from '../registry/scope.ts'
import { freeSlots } from '../registry/slots.ts'
import { listen } from '../stream/signal.ts'
import { endEvents, readEvents } from '../observer/queue.ts'
import { closeRequests, decide, reconsider, withdraw } from './requests.ts'
import type { Driver } from './driver.ts'
import { record, snapshotOf } from './log.ts'
import type { Run } from './run.ts'
import { sealedText } from './snapshot.ts'
import type { Snapshot } from './snapshot.ts'
import { elapsedMs, emit, homeId, homeOf } from './state.ts'
import type { Ending, RunState } from './state.ts'

export interface MachineOptions {
  readonly signal?: AbortSignal | undefined
  readonly detached?: boolean | undefined
}

/** Starts the driver at once and returns the handle. */
export function startRun<State extends RunState, Result extends object>(
  run: State,
  driver: Driver<State, Result>,
  { signal, detached }: MachineOptions,
): Run<Result> {
  const abort = (reason?: unknown): void => abortRun(run, reason)
  const forget = signal && listen(signal, abort)
  const result = driver.drive(run).then(
    (stop) => end(run, driver, { stop }),
    (thrown) => end(run, driver, run.aborted ? { stop: 'aborted' } : { stop: 'failed', error: asError(thrown) }),
  )
  if (forget) void result.finally(forget)
  const own: Omit<Handle<Result>, keyof typeof handle> = {
    id: run.id,
    result,
    abort,
    steer: (message) => {
      if (run.ended) throw new SameloopError('run-invalid-input', 'Cannot steer: the run has ended')
      const said = newInput(typeof message === 'string' ? message : [message])
      run.steering = [...run.steering, ...said]
      record(run, 'journal-steer', { messages: said })
    },
    decide: (decision) => decide(run, decision),
    [Symbol.asyncIterator]: () =>
      readEvents(run.queue, (hasLeft) => {
        if (hasLeft && !detached) abort('The reader left')
        reconsider(run)
      }),
    [runKey]: run,
  }
  return Object.assign(Object.create(handle) as typeof handle, own)
}

const runKey: unique symbol = Symbol('run')

interface Handle<Result> extends Run<Result> {
  readonly [runKey]: RunState
}

/** The getters of all handles: an object with getters of its own costs as much as all the rest of the handle. */
const handle = {
  get text(): Promise<string> {
    const { result, [runKey]: run } = this as unknown as Handle<{ readonly text?: string }>
    return result.then(({ text }) => {
      const { status, stop, error } = run.ended as Ending
      if (status === 'done') return text ?? ''
      throw new SameloopError('run-not-done', `The run is not done: it ended ${status} (${stop})`, {
        data: { status, stop },
        cause: error,
      })
    })
  },
  get events(): ReadableStream<RunEvent> {
    const self = this as unknown as Handle<unknown>
    return (self[runKey].stream ??= streamOf(self[Symbol.asyncIterator]() as AsyncIterableIterator<RunEvent>))
  },
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

async function end<State extends RunState, Result>(
  run: State,
  driver: Driver<State, Result>,
  by: Omit<Ending, 'status'>,
): Promise<Result> {
  let ending: Ending = { ...by, status: statuses[by.stop] ?? 'stopped' }
  try {
    closeRequests(run, tooLate())
    driver.close?.(run)
    // From here on no observer can add an event, so the last `seq` is known before the last event is made.
    run.ended = ending
    await lastWords(run, ending)
  } catch (thrown) {
    run.ended = ending = { status: 'failed', stop: 'failed', error: asError(thrown) }
  }
  const snapshot = await lastSnapshot(run, ending)
  for (const event of farewell(ending)) emit(run, event)
  if (!run.parent) endEvents(run.queue)
  return driver.result(run, ending, snapshot)
}

/** What is said last: exactly one `run-end`. */
const farewell = ({ status, stop, error }: Ending): EventBody[] => [
  ...(error ? [{ type: 'error' as const, code: error.code, message: error.message }] : []),
  { type: 'run-end', status, stop },
]

/** The log has the end before anybody is told of it. */
function lastWords(run: RunState, ending: Ending): Promise<void> | undefined {
  const { journal, id, parent } = run
  if (!journal || parent) return undefined
  let { seq } = run
  const at = run.host.now()
  for (const event of farewell(ending)) journal.note(event.type, { ...event, seq: ++seq, at, run: id })
  return journal.commit()
}

/** Signing cannot wait for the first read; all else of it can. */
async function lastSnapshot(run: RunState, ending: Ending): Promise<() => Snapshot> {
  const { snapshots } = run.options
  // A part of its parent's snapshot needs no seal of its own.
  const seal = run.parent ? undefined : snapshots
  const seq = run.seq + (ending.error ? 2 : 1)
  const worked = elapsedMs(run)
  let made: Snapshot | undefined
  let unsigned: SameloopError | undefined
  const snapshot = (): Snapshot => {
    if (unsigned) throw unsigned
    return (made ??= { ...snapshotOf(run, ending), seq, elapsedMs: worked })
  }
  try {
    if (seal) made = { ...snapshot(), signature: await seal.sign(sealedText(snapshot())) }
  } catch (thrown) {
    // The run has ended all the same; only its snapshot cannot be had.
    unsigned = asError(thrown)
  }
  return snapshot
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
  // Whoever finds the run cut off later must not revive it.
  if (!run.parent) record(run, 'journal-abort', {})
  stopRun(run)
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
  if (run.parent) withdraw(homeOf(run), homeId(run, ''))
  for (const listener of [...(run.listeners ?? [])]) listener()
}

/** Waits for `work`, but not beyond an abort: then it rejects at once, and `work` is left behind. */
export const untilAborted = <Value>(run: RunState, work: Value | Promise<Value>): Promise<Value> =>
  unless(run, 'aborted', Promise.resolve(work), () =>
    Promise.reject(new SameloopError('run-internal', 'The run was aborted')),
  )

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
