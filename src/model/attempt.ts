// One request to a model and its response, read an array of events at a time.
import { SameloopError } from '../error/error.ts'
import type { Fetch, Host } from '../host/host.ts'
import type { ModelEvent } from '../message/model-event.ts'
import { jsonEvents } from '../stream/json-events.ts'
import { listen } from '../stream/signal.ts'
import type { ModelCall } from './model.ts'
import type { Dialect, PayloadReader } from './payload-reader.ts'
import { post, scrubber } from './request.ts'
import { silence, type SilenceOptions } from './silence.ts'

export interface AttemptOptions extends SilenceOptions {
  /** In the place of the host's. Called without `this`. */
  readonly fetch?: Fetch | undefined
}

export type Result = IteratorResult<readonly ModelEvent[], undefined>

export interface Attempt {
  /** The next events, or the end. Asked for one at a time. */
  next(): Promise<Result>
  /** Nothing more is read; who waits hears of the end. */
  close(): void
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** A response that is being read. */
interface Answer {
  readonly reader: Reader
  /** What was said since the array was last replaced: that happens after each network chunk. */
  events: ModelEvent[]
  isFinished: boolean
  /** Takes bytes in, or the end of the body. */
  feed(bytes?: Uint8Array): void
}

const lingerMs = 1000
export const over: Result = { done: true, value: undefined }

const drop = (reader: Reader | undefined): void => void reader?.cancel().catch(() => {})

/** The connection of a finished response can be used again if its body ends at once; else it is dropped. */
function linger(reader: Reader, host: Host): void {
  const cancel = host.timer(lingerMs, () => drop(reader))
  reader.read().then((last) => {
    cancel()
    if (!last.done) drop(reader)
  }, cancel)
}

async function respond({ host, signal }: ModelCall, how: Dialect & AttemptOptions): Promise<Answer> {
  const request = await how.request()
  const scrub = scrubber(request.headers)
  const { body, isWhole } = await post(request, { host, fetch: how.fetch, signal, scrub })
  const emit = (event: ModelEvent): void => {
    answer.events.push(event)
    answer.isFinished ||= event.type === 'finish'
  }
  const payloads = how.reader(emit, scrub)
  const onPayload: PayloadReader['payload'] = (payload, name) => {
    if (!answer.isFinished) payloads.payload(payload, name)
  }
  const onText = (data: string): boolean => answer.isFinished || payloads.text?.(data) === true
  const decoder = jsonEvents(onPayload, { hot: how.hot, isWhole, onText })
  const answer: Answer = {
    reader: body.getReader(),
    events: [],
    isFinished: false,
    feed(bytes) {
      if (bytes) return decoder.push(bytes)
      decoder.end()
      if (!answer.isFinished) payloads.end()
      if (!answer.isFinished)
        throw new SameloopError('model-truncated', 'Model stream ended early', { retryable: true })
    },
  }
  return answer
}

/**
 * The request is sent when the first events are asked for. Nothing races for every chunk: what ends the attempt from
 * outside cancels the body, and the read that was waiting then finds how it ended.
 */
export function attempt(call: ModelCall, how: Dialect & AttemptOptions): Attempt {
  const { host, signal } = call
  let answer: Answer | undefined
  let isOver = false
  let settle!: { resolve(result: Result): void; reject(error: unknown): void }
  const ended = new Promise<Result>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // It may be asked for later, or never.
  ended.catch(() => {})
  let forget = (): void => {}
  const close = (): void => {
    isOver = true
    timer.stop()
    forget()
    drop(answer?.reader)
    settle.resolve(over)
  }
  const fail = (error: unknown): Promise<Result> => {
    settle.reject(error)
    close()
    return ended
  }
  const timer = silence(host, how, fail)

  const read = (): Promise<Result> => {
    if (isOver || !answer) return ended
    timer.wait()
    return answer.reader.read().then(take, lost)
  }
  const lost = (cause: unknown): Promise<Result> =>
    fail(new SameloopError('model-connection', 'Connection to the model lost', { cause, retryable: true }))
  const take = ({ value }: { readonly value?: Uint8Array | undefined }): Result | Promise<Result> => {
    if (isOver || !answer) return ended
    try {
      answer.feed(value)
    } catch (error) {
      // Heard of after what came before it, however the bytes were cut.
      if (!answer.isFinished) void fail(error)
    }
    const { events, isFinished, reader } = answer
    if (isFinished) {
      if (value) linger(reader, host)
      answer = undefined
      close()
    } else if (!isOver && events.length === 0) return read()
    else answer.events = []
    timer.rest()
    return events.length > 0 ? { done: false, value: events } : ended
  }

  return {
    close,
    next() {
      if (isOver || answer) return read()
      forget = listen(signal, (error) => void fail(error))
      const opened = respond(call, how).then((came) => {
        // A body that comes after all is cancelled.
        if (isOver) drop(came.reader)
        else answer = came
      })
      return Promise.race([ended, opened]).then(read, fail)
    },
  }
}
