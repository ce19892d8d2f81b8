// One client's stream of a session's events: read from the log at the client's own pace.
import type { Host } from '../../../src/host/host.ts'
import { encodeSse } from '../../../src/stream/sse-encoder.ts'
import type { OnError } from '../refusal.ts'
import type { SessionLog } from './log.ts'

const pingMs = 15_000
const retryMs = 1000

export interface StreamSource {
  readonly log: SessionLog
  readonly host: Pick<Host, 'timer'>
  /** `undefined` while more events may come; else the name of the event that closes the stream. */
  readonly closing: () => 'suspended' | 'idle' | undefined
  readonly onError: OnError | undefined
}

export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  /** Ends it early, as if the connection had been lost. */
  close(): void
}

/**
 * Server-sent events with the row's number as `id`, from the row after `after` on. It ends with an `event: suspended` or
 * `event: idle` when the run does, so that the object can sleep. Nothing is read before the client takes it, so a slow
 * client costs no memory and holds up nobody; `onEnd` is called once, whoever ends it.
 */
export function eventStream(source: StreamSource, after: number, onEnd: () => void): EventStream {
  const { log, host, closing, onError } = source
  const encoder = new TextEncoder()
  let cursor = after
  let isOpen = true
  let stopWaiting: (() => void) | undefined
  const end = (): boolean => {
    if (!isOpen) return false
    isOpen = false
    stopWaiting?.()
    onEnd()
    return true
  }
  /** True at the next change of the log, false when it is time for a ping or over. */
  const change = (): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (changed: boolean): void => {
        stopListening()
        stopTimer()
        resolve(changed)
      }
      const stopListening = log.onChange(() => settle(true))
      const stopTimer = host.timer(pingMs, () => settle(false))
      stopWaiting = () => settle(false)
    })
  const next = async (): Promise<{ readonly text: string; readonly isLast: boolean }> => {
    for (;;) {
      const rows = log.read(cursor)
      cursor = rows.at(-1)?.seq ?? cursor
      const text = rows.map(({ seq, data }) => encodeSse({ id: String(seq), data })).join('')
      if (text !== '') return { text, isLast: false }
      const event = log.durable === log.last ? closing() : undefined
      if (event !== undefined) return { text: encodeSse({ event, data: '{}' }), isLast: true }
      if (!(await change())) return { text: encodeSse({ comment: 'ping' }), isLast: false }
    }
  }
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
        given.enqueue(encoder.encode(encodeSse({ retry: retryMs })))
      },
      async pull(given) {
        try {
          const { text, isLast } = await next()
          if (!isOpen) return
          given.enqueue(encoder.encode(text))
          if (isLast && end()) given.close()
        } catch (thrown) {
          // The client sees a lost connection, and comes back.
          if (!end()) return
          onError?.(thrown)
          given.error(thrown)
        }
      },
      cancel: () => void end(),
    },
    { highWaterMark: 1 },
  )
  return { body, close: () => void (end() && controller?.close()) }
}
