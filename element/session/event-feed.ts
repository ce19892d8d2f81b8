// Follows the events of a worker's session: reads the stream, and reads on after a broken connection.
import type { RunEvent } from '../../src/message/event.ts'
import type { Host } from '../../src/host/host.ts'
import { isJsonObject, parseJson } from '../../src/stream/json.ts'
import { sleep } from '../../src/stream/signal.ts'
import { sseDecoder } from '../../src/stream/sse-decoder.ts'
import type { RemoteAddress } from './remote-calls.ts'
import { isRefusal, remoteRequest } from './remote-calls.ts'

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

/**
 * Reads until the worker says `idle` or `suspended`, and returns which. Each event is given once, however often the
 * connection breaks. Throws a `Refusal` that will not go away, or the signal's reason.
 */
export async function followEvents(options: FeedOptions): Promise<'idle' | 'suspended'> {
  const { at, signal, onConnection } = options
  const reading = { after: options.after, ending: undefined as 'idle' | 'suspended' | undefined }
  let attempt = 0
  for (;;) {
    try {
      const before = reading.after
      await readOnce(options, reading, () => {
        if (attempt > 0) onConnection('back')
        attempt = 0
      })
      if (reading.ending !== undefined) return reading.ending
      // A server that closes at once, again and again, is treated as one that is away.
      if (reading.after === before) attempt++
    } catch (thrown) {
      if (signal.aborted) throw thrown
      if (isRefusal(thrown) && thrown.status >= 400 && thrown.status < 500 && thrown.status !== 429) throw thrown
      attempt++
      if (attempt === 1) onConnection('lost')
    }
    await sleep(at.host, Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, attempt - 1)), signal)
  }
}

async function readOnce(
  { at, session, signal, onEvent }: FeedOptions,
  reading: { after: number; ending: 'idle' | 'suspended' | undefined },
  onOpen: () => void,
): Promise<void> {
  const path = `sessions/${encodeURIComponent(session)}/events?after=${reading.after}`
  const response = await remoteRequest(at, path, { headers: { accept: 'text/event-stream' }, signal })
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
  while (reader !== undefined && reading.ending === undefined) {
    const { done, value } = await reader.read()
    if (done) return
    decoder.push(value)
  }
  // Nobody waits for it: the end of a stream that is over may never come.
  reader?.cancel().catch(() => undefined)
}

/** What is no event is skipped: the worker may be newer than this page. */
function eventOf(data: string): RunEvent | undefined {
  const parsed = parseJson(data)
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined
  const { type, run } = parsed.value
  return typeof type === 'string' && typeof run === 'string' ? (parsed.value as unknown as RunEvent) : undefined
}
