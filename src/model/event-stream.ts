// Reads the event stream of a model's response: retries before the first event, notices stalls, ends at once on abort.
import { isSameloopError, SameloopError } from '../error/error.ts'
import type { Fetch } from '../host/host.ts'
import type { ModelEvent } from '../message/model-event.ts'
import { type Hot, jsonEvents } from '../stream/json-events.ts'
import { parseJson } from '../stream/json.ts'
import { listen, sleep, throwIfAborted } from '../stream/signal.ts'
import type { ModelCall } from './model.ts'
import { type HttpRequest, post, readText } from './request.ts'
import { retryDelay } from './retry.ts'

export interface StreamOptions {
  /** In the place of the host's. Called without `this`. */
  readonly fetch?: Fetch | undefined
  /** Before the first event only. Default 2. */
  readonly maxRetries?: number | undefined
  /** The longest wait a server may ask for, in milliseconds; a longer one fails at once. Default 60,000. */
  readonly maxRetryWaitMs?: number | undefined
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
  payload(payload: unknown, name: string): void
  /** Data that is no JSON; returns whether it is known. */
  text?(data: string): boolean
  /** The body ended: says `finish` if the response is whole. */
  end(): void
}

/** How a dialect asks, and how it reads what comes. */
export interface Dialect {
  request(): HttpRequest | Promise<HttpRequest>
  /** For each attempt; `secret` is that of the request. */
  reader(secret: string | undefined): PayloadReader
  hot?: ((payload: unknown) => Hot | undefined) | undefined
}

const lingerMs = 1000
const maxBodyChars = 16 * 2 ** 20

interface Connection {
  open(request: HttpRequest): Promise<Response>
  /** The next bytes; `undefined` at the end. */
  read(): Promise<Uint8Array | undefined>
  /** The wait for the next event begins. */
  ask(): void
  /** A finished response lingers: its connection can be used again if the body ends at once. */
  close(how: 'ended' | 'linger' | 'drop'): void
}

/** One request and its response. What is waited for fails at once when the caller aborts or the server falls silent. */
function connect({ host, signal }: ModelCall, options: StreamOptions): Connection {
  const { idleTimeoutMs = 60_000, stallTimeoutMs = 600_000, fetch } = options
  const controller = new AbortController()
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let fail: ((reason: unknown) => void) | undefined
  let asked = 0
  let since = 0
  let stopTimer: (() => void) | undefined

  // One timer for the whole response: when it fires early, it is set again for what is left.
  const watch = (): void => {
    stopTimer = undefined
    // While nobody waits, time does not count.
    if (!fail) return
    const idle = reader ? since + idleTimeoutMs : Infinity
    const left = Math.min(idle, asked + stallTimeoutMs) - host.now()
    if (left > 0) stopTimer = host.timer(left, watch)
    else fail(new SameloopError('stream-stalled', 'Model stream stalled', { retryable: true }))
  }

  const wait = <Value>(work: Promise<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      fail = reject
      since = host.now()
      if (!stopTimer) watch()
      work.then(
        (value) => {
          fail = undefined
          resolve(value)
        },
        (cause: unknown) => {
          const lost = { cause, retryable: true }
          reject(isSameloopError(cause) ? cause : new SameloopError('model-connection', 'Connection to the model lost', lost))
        },
      )
    })

  const forget = listen(signal, (reason) => {
    fail?.(reason)
    controller.abort(reason)
  })

  return {
    async open(request) {
      const response = await wait(post(request, { host, fetch, signal: controller.signal }))
      reader = response.body?.getReader()
      stopTimer?.()
      stopTimer = undefined
      return response
    },
    read: async () => (reader ? (await wait(reader.read())).value : undefined),
    ask() {
      asked = host.now()
    },
    close(how) {
      forget()
      stopTimer?.()
      const drop = (): void => {
        controller.abort()
        reader?.cancel().catch(() => {})
      }
      if (how === 'drop') drop()
      if (how !== 'linger') return
      const cancel = host.timer(lingerMs, drop)
      reader?.read().then(({ done }) => {
        cancel()
        if (!done) drop()
      }, cancel)
    },
  }
}

/** Some servers answer a streaming request with one JSON body: it is read as one payload. */
function wholeBody(onPayload: (payload: unknown, name: string) => void): { push(bytes: Uint8Array): void; end(): void } {
  const utf8 = new TextDecoder()
  let body = ''
  return {
    push(bytes) {
      body += utf8.decode(bytes, { stream: true })
      if (body.length > maxBodyChars) throw new SameloopError('stream-too-large', 'Model answer is too long')
    },
    end() {
      const parsed = parseJson(body)
      if (parsed.ok) onPayload(parsed.value, '')
    },
  }
}

/**
 * The events of one request, an array per network chunk. Retries retryable failures before the first event; an abort is
 * thrown as the signal's reason.
 */
export async function* eventStream(call: ModelCall, dialect: Dialect, options: StreamOptions): AsyncGenerator<readonly ModelEvent[], void> {
  const { host, signal } = call
  let begun = false
  for (let attempt = 1; ; attempt++) {
    throwIfAborted(signal)
    const connection = connect(call, options)
    let how: 'ended' | 'linger' | 'drop' = 'drop'
    let delay = 0
    try {
      const request = await dialect.request()
      const reader = dialect.reader(request.secret)
      const onPayload = (payload: unknown, name: string): void => {
        if (!reader.finished) reader.payload(payload, name)
      }
      const onText = (data: string): boolean => reader.finished || (reader.text?.(data) ?? false)
      connection.ask()
      const { headers } = await connection.open(request)
      const isWhole = /[/+]json/.test(headers.get('content-type') ?? '')
      const decoder = isWhole ? wholeBody(onPayload) : jsonEvents(onPayload, { hot: dialect.hot, onText })
      while (how === 'drop') {
        const bytes = await connection.read()
        let failure: { readonly error: unknown } | undefined
        try {
          if (bytes) decoder.push(bytes)
          else {
            decoder.end()
            if (!reader.finished) reader.end()
            if (!reader.finished) throw new SameloopError('model-truncated', 'Model stream ended early', { retryable: true })
          }
        } catch (error) {
          failure = { error }
        }
        // What came before a failure is handed out first, however the bytes were cut.
        const { events } = reader
        if (reader.finished) how = bytes ? 'linger' : 'ended'
        if (events.length > 0) {
          reader.events = []
          begun = true
          yield events
          throwIfAborted(signal)
          connection.ask()
        }
        if (failure) throw failure.error
      }
      return
    } catch (error) {
      if (begun || !isSameloopError(error) || !error.retryable || attempt > (options.maxRetries ?? 2)) throw error
      delay = retryDelay(host, attempt, error.data['retryAfterMs'])
      if (delay > (options.maxRetryWaitMs ?? 60_000)) throw error
      call.onRetry?.(attempt, delay, error.message)
    } finally {
      connection.close(how)
    }
    await sleep(host, delay, signal)
  }
}
