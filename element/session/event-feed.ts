// Follows the events of a worker's session: reads the stream, and reads on after a broken connection.
import type { RunEvent } from '../../src/message/event.ts'
import type { Host } from '../../src/host/host.ts'
import { isObject } from '../../src/json/value.ts'
import { parseJson } from '../../src/json/text.ts'
import { listen, sleep } from '../../src/stream/signal.ts'
import { sseDecoder } from '../../src/stream/sse-decoder.ts'
import type { RemoteAddress } from './remote-calls.ts'
import { isRefusal, late, refusal, remoteRequest } from './remote-calls.ts'

export interface FeedOptions {
  readonly at: RemoteAddress & { readonly host: Host }
  readonly session: string
  readonly after: number
  readonly signal: AbortSignal
  onEvent(event: RunEvent, seq: number): void
  /** The connection broke, and came back. */
  onConnection(state: 'lost' | 'back'): void
}

const firstDelayMs = 500
const longestDelayMs = 15_000
/** The worker pings every 15 seconds: after a longer silence the connection is dead, whatever it says of itself. */
const longestSilenceMs = 40_000

type Ending = 'idle' | 'suspended'

interface Reading {
  after: number
  ending: Ending | undefined
}

/**
 * Reads until the worker says `idle` or `suspended`, and returns which. Each event is given once, however often the
 * connection breaks or falls silent. Throws a `Refusal` that will not go away, or the signal's reason.
 */
export async function followEvents(options: FeedOptions): Promise<Ending> {
  const { at, signal, onConnection } = options
  const reading: Reading = { after: options.after, ending: undefined }
  let attempt = 0
  let isLost = false
  const tell = (lost: boolean): void => {
    if (isLost !== lost) onConnection(lost ? 'lost' : 'back')
    isLost = lost
  }
  for (;;) {
    const { after } = reading
    const begun = at.host.now()
    try {
      await readOnce(options, reading, () => tell(false))
      if (reading.ending !== undefined) return reading.ending
    } catch (thrown) {
      if (signal.aborted || isFinal(thrown)) throw thrown
      tell(true)
    }
    // A server that closes at once, again and again, is treated as one that is away.
    const wasOfUse = reading.after > after || at.host.now() - begun > longestDelayMs
    attempt = wasOfUse ? 0 : attempt + 1
    await sleep(at.host, Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, attempt - 1)), signal)
  }
}

const isFinal = (thrown: unknown): boolean =>
  isRefusal(thrown) && thrown.status >= 200 && thrown.status < 500 && thrown.status !== 408 && thrown.status !== 429

async function readOnce(
  { at, session, signal, onEvent }: FeedOptions,
  reading: Reading,
  onOpen: () => void,
): Promise<void> {
  const path = `sessions/${encodeURIComponent(session)}/events?after=${reading.after}`
  const watch = watchdog(at.host, signal)
  try {
    const response = await remoteRequest(at, path, { headers: { accept: 'text/event-stream' }, signal: watch.signal })
    if (!/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? ''))
      throw refusal(response.status, 'no-stream', 'The answer is no stream of events: another server gave it')
    onOpen()
    const decoder = sseDecoder(({ event, data, id }) => {
      if (event === 'idle' || event === 'suspended') reading.ending = event
      if (event !== 'message') return
      const seq = Number(id)
      if (!Number.isSafeInteger(seq) || seq <= reading.after) return
      reading.after = seq
      const value = eventOf(data)
      if (value !== undefined) onEvent(value, seq)
    })
    const reader = response.body?.getReader()
    // Nobody waits for it: the end of a stream that is over, or dead, may never come.
    const cancel = (): void => void reader?.cancel().catch(() => undefined)
    const stop = listen(watch.signal, cancel)
    try {
      while (reader !== undefined && reading.ending === undefined) {
        const { done, value } = await reader.read()
        if (watch.signal.aborted) throw watch.signal.reason
        if (done) return
        watch.heard()
        decoder.push(value)
      }
    } finally {
      stop()
      cancel()
    }
  } finally {
    watch.release()
  }
}

interface Watchdog {
  /** Aborts with `signal`, or after too long a silence. */
  readonly signal: AbortSignal
  heard(): void
  release(): void
}

function watchdog(host: Host, signal: AbortSignal): Watchdog {
  const controller = new AbortController()
  const stop = listen(signal, (reason) => controller.abort(reason))
  const wait = (): (() => void) => host.timer(longestSilenceMs, () => controller.abort(late()))
  let cancel = wait()
  return {
    signal: controller.signal,
    heard() {
      cancel()
      cancel = wait()
    },
    release() {
      cancel()
      stop()
    },
  }
}

/** What is no event is skipped: the worker may be newer than this page. */
function eventOf(data: string): RunEvent | undefined {
  const parsed = parseJson(data)
  if (!parsed.ok || !isObject(parsed.value)) return undefined
  const { type, run } = parsed.value
  return typeof type === 'string' && typeof run === 'string' ? (parsed.value as unknown as RunEvent) : undefined
}
