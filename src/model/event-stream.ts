// Reads the event stream of a model's response: retries before the first event, notices stalls, ends at once on abort.
import { SameloopError } from '../error/error.ts'
import type { Fetch, Host } from '../host/host.ts'
import type { ModelEvent } from '../message/model-event.ts'
import { type Hot, jsonEvents } from '../stream/json-events.ts'
import { parseJson } from '../json/text.ts'
import type { Wild } from '../json/wild.ts'
import { listen, sleep } from '../stream/signal.ts'
import type { ModelCall } from './model.ts'
import { type HttpRequest, post, type Scrub, scrubber } from './request.ts'
import { retryDelay, type RetryOptions } from './retry.ts'

export interface StreamOptions extends RetryOptions {
  /** In the place of the host's. Called without `this`. */
  readonly fetch?: Fetch | undefined
  /** The longest silence within a body, in milliseconds, before it is `stream-stalled`. Default 60,000. */
  readonly idleTimeoutMs?: number | undefined
  /** The longest time without an event, in milliseconds, keep-alive comments notwithstanding. Default 600,000. */
  readonly stallTimeoutMs?: number | undefined
}

/** Reads the payloads of one response into events. */
export interface PayloadReader {
  /** What was said since the array was last replaced: that happens after each network chunk. */
  events: ModelEvent[]
  /** `finish` was said: no more is read. */
  finished: boolean
  /** `payload` must not be kept or changed. `name` is the event's. */
  payload(payload: Wild | undefined, name: string): void
  /** Data that is no JSON; returns whether it is known. */
  text?(data: string): boolean
  /** The body ended: says `finish` if the response is whole. */
  end(): void
}

/** How a dialect asks, and how it reads what comes. */
export interface Dialect {
  request(): HttpRequest | Promise<HttpRequest>
  /** For each attempt; `scrub` takes the request's secrets out of what the server says about itself. */
  reader(scrub: Scrub): PayloadReader
  hot?: ((payload: Wild | undefined) => Hot | undefined) | undefined
}

const lingerMs = 1000
const maxBodyChars = 16 * 2 ** 20

/** Some servers answer a streaming request with one JSON body: it is read as one payload. */
function wholeBody(onPayload: (payload: Wild | undefined, name: string) => void): {
  push(bytes: Uint8Array): void
  end(): void
} {
  const utf8 = new TextDecoder()
  let body = ''
  return {
    push(bytes) {
      body += utf8.decode(bytes, { stream: true })
      if (body.length > maxBodyChars) throw new SameloopError('stream-too-large', 'Model answer is too long')
    },
    end() {
      const parsed = parseJson(body)
      if (parsed.ok) onPayload(parsed.value as Wild, '')
    },
  }
}

interface Failed {
  readonly error: unknown
}

/** Takes bytes, or the end, to a response's events; what goes wrong is returned, for the events before it come first. */
type Feed = (bytes: Uint8Array | undefined) => Failed | undefined

function feeder(payloads: PayloadReader, isWhole: boolean, hot: Dialect['hot']): Feed {
  const onPayload = (payload: Wild | undefined, name: string): void => {
    if (!payloads.finished) payloads.payload(payload, name)
  }
  const onText = (data: string): boolean => payloads.finished || (payloads.text?.(data) ?? false)
  const decoder = isWhole ? wholeBody(onPayload) : jsonEvents(onPayload, { hot, onText })
  return (bytes) => {
    try {
      if (bytes) decoder.push(bytes)
      else {
        decoder.end()
        if (!payloads.finished) payloads.end()
        if (!payloads.finished)
          throw new SameloopError('model-truncated', 'Model stream ended early', { retryable: true })
      }
      return undefined
    } catch (error) {
      return { error }
    }
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

const drop = (reader: Reader | undefined): void => void reader?.cancel().catch(() => {})

/** The connection of a finished response can be used again if its body ends at once; else it is dropped. */
function linger(reader: Reader, host: Host): void {
  const cancel = host.timer(lingerMs, () => drop(reader))
  reader.read().then((last) => {
    cancel()
    if (!last.done) drop(reader)
  }, cancel)
}

/** What becomes of an attempt. Nothing comes after `fail`, `last` or its `close`. */
interface Listener {
  isAsked(): boolean
  events(events: readonly ModelEvent[]): void
  /** Events after which there are no more, by failure or because the response is whole. */
  last(events: readonly ModelEvent[], failure: Failed | undefined): void
  /** It failed, with no events left to give. */
  fail(error: unknown): void
}

/** Notices silence. While nobody waits, time does not count. */
interface Watch {
  /** Events are waited for from now on. */
  ask(): void
  /** Bytes are waited for from now on; before the first call the response itself is. */
  wait(): void
  stop(): void
}

/** Calls `late` once the wait is too long. It has one timer, set again when it fires early. */
function watch(host: Host, { idleTimeoutMs = 60_000, stallTimeoutMs = 600_000 }: StreamOptions, on: Listener): Watch {
  let asked = host.now()
  let since = Infinity
  let cancel: (() => void) | undefined
  const stop = (): void => {
    cancel?.()
    cancel = undefined
  }
  const check = (): void => {
    cancel = undefined
    if (!on.isAsked()) return
    const left = Math.min(since + idleTimeoutMs, asked + stallTimeoutMs) - host.now()
    if (left > 0) cancel = host.timer(left, check)
    else on.fail(new SameloopError('stream-stalled', 'Model stream stalled', { retryable: true }))
  }
  check()
  return {
    stop,
    ask() {
      asked = host.now()
    },
    wait() {
      if (since === Infinity) stop()
      since = host.now()
      if (!cancel) check()
    },
  }
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined }

type Result = IteratorResult<readonly ModelEvent[]>

/** Where the one who asks and what comes meet. */
interface Counter {
  /** Asks for the next events; `work` is called where none are to be had without. */
  ask(work: () => void): Promise<Result>
  isAsked(): boolean
  give(events: readonly ModelEvent[]): void
  /** Nothing more comes, or a failure and then nothing more. */
  finish(why?: Failed): void
  isDone(): boolean
}

function counter(): Counter {
  let resolve: ((result: Result) => void) | undefined
  let reject: ((error: unknown) => void) | undefined
  let failure: Failed | undefined
  let done = false
  return {
    ask: (work) =>
      new Promise((yes, no) => {
        if (failure) no(failure.error)
        else if (done) yes(over)
        else {
          resolve = yes
          reject = no
          work()
        }
        failure = undefined
      }),
    isAsked: () => reject !== undefined,
    isDone: () => done,
    give(events) {
      resolve?.({ done: false, value: events })
      resolve = reject = undefined
    },
    finish(why) {
      if (done) return
      done = true
      if (!why) resolve?.(over)
      else if (reject) reject(why.error)
      else failure = why
      resolve = reject = undefined
    },
  }
}

interface Attempt {
  /** Asks for the next events. */
  pull(): void
  close(): void
}

/** One request and its response. It waits for the response's first events at once, for further ones when asked. */
function attempt({ host, signal }: ModelCall, how: Dialect & StreamOptions, on: Listener): Attempt {
  let reader: Reader | undefined
  let read = (): void => {}
  let closed = false

  const close = (): void => {
    closed = true
    timer.stop()
    drop(reader)
  }
  const fail = (error: unknown): void => {
    if (closed) return
    close()
    on.fail(error)
  }
  const timer = watch(host, how, { ...on, fail })

  const follow = (body: ReadableStream<Uint8Array>, payloads: PayloadReader, feed: Feed): void => {
    const own = (reader = body.getReader())
    const take = ({ value }: { readonly value?: Uint8Array | undefined }): void => {
      if (closed) return
      const failure = feed(value)
      const { events, finished } = payloads
      if (events.length === 0) return failure ? fail(failure.error) : read()
      payloads.events = []
      if (!finished && !failure) return on.events(events)
      // What came before a failure is handed out first, however the bytes were cut.
      if (finished && value) {
        reader = undefined
        linger(own, host)
      }
      close()
      on.last(events, finished ? undefined : failure)
    }
    const lost = (cause: unknown): void =>
      fail(new SameloopError('model-connection', 'Connection to the model lost', { cause, retryable: true }))
    read = () => {
      timer.wait()
      own.read().then(take, lost)
    }
    read()
  }

  const open = async (): Promise<void> => {
    const request = await how.request()
    // The caller's own signal goes to `fetch`; a body that comes after all is cancelled.
    const scrub = scrubber(request.headers)
    const { body, isWhole } = await post(request, { host, fetch: how.fetch, signal, scrub })
    if (closed) return body.cancel()
    const payloads = how.reader(scrub)
    follow(body, payloads, feeder(payloads, isWhole, how.hot))
  }
  open().catch(fail)
  return {
    close,
    pull() {
      timer.ask()
      read()
    },
  }
}

function reading(call: ModelCall, how: Dialect & StreamOptions): AsyncIterator<readonly ModelEvent[]> {
  const { host, signal } = call
  const { ask, isAsked, isDone, give, finish } = counter()
  let attempts = 0
  let begun = false
  let current: Attempt | undefined

  const forget = listen(signal, (error) => {
    current?.close()
    finish({ error })
  })
  const close = (failure?: Failed): void => {
    forget()
    finish(failure)
  }
  const retry = async (error: unknown): Promise<void> => {
    try {
      const delay = begun ? undefined : retryDelay(error, attempts, { ...how, host })
      if (delay === undefined) return close({ error })
      call.onRetry?.(attempts, delay, (error as Error).message)
      await sleep(host, delay, signal)
      if (!isDone()) open()
    } catch (thrown) {
      close({ error: thrown })
    }
  }
  const listener: Listener = {
    isAsked,
    events(events) {
      begun = true
      give(events)
    },
    last(events, failure) {
      give(events)
      close(failure)
    },
    fail: (error) => void retry(error),
  }
  const open = (): void => {
    attempts++
    current = attempt(call, how, listener)
  }
  return {
    next: () => ask(() => (current ? current.pull() : open())),
    return() {
      current?.close()
      close()
      return Promise.resolve(over)
    },
  }
}

/**
 * The events of one request, an array per network chunk, asked for one at a time. Retries retryable failures before the
 * first event; an abort is thrown as the signal's reason. Written without a generator: this runs for every chunk.
 */
export function eventStream(
  call: ModelCall,
  dialect: Dialect,
  options: StreamOptions,
): AsyncIterable<readonly ModelEvent[]> {
  return { [Symbol.asyncIterator]: () => reading(call, { ...options, ...dialect }) }
}
