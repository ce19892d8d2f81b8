// One client's stream of a session's events: read from the log at the client's own pace.
import type { Host } from '../../src/host/host.ts'
import { encodeSse } from '../../src/stream/sse-encoder.ts'
import type { SessionLog } from './log.ts'

const pingMs = 15_000
const retryMs = 1000

export interface StreamSource {
  readonly log: SessionLog
  readonly host: Pick<Host, 'timer'>
  /** `undefined` while more events may come; else the name of the event that closes the stream. */
  readonly closing: () => 'suspended' | 'idle' | undefined
}

/**
 * Server-sent events with the row's number as `id`, from the row after `after` on. It ends with an `event: suspended` or
 * `event: idle` when the run does, so that the object can sleep. Nothing is read before the client takes it, so a slow
 * client costs no memory and holds up nobody; `onLeave` is called once, when the stream ends on either side.
 */
export function eventStream(source: StreamSource, after: number, onLeave: () => void): ReadableStream<Uint8Array> {
  const { log, host, closing } = source
  const encoder = new TextEncoder()
  let cursor = after
  let forget: (() => void) | undefined
  const next = async (): Promise<{ readonly text: string; readonly last: boolean }> => {
    for (;;) {
      const rows = log.read(cursor)
      cursor = rows.at(-1)?.seq ?? cursor
      const text = rows.map(({ seq, data }) => encodeSse({ id: String(seq), data })).join('')
      if (text !== '') return { text, last: false }
      const event = log.durable === log.last ? closing() : undefined
      if (event !== undefined) return { text: encodeSse({ event, data: '{}' }), last: true }
      if (!(await change())) return { text: encodeSse({ comment: 'ping' }), last: false }
    }
  }
  /** True at the next change of the log, false when it is time for a ping. */
  const change = (): Promise<boolean> =>
    new Promise((resolve) => {
      const stopListening = log.onChange(() => {
        stopTimer()
        resolve(true)
      })
      const stopTimer = host.timer(pingMs, () => {
        stopListening()
        resolve(false)
      })
      forget = () => {
        stopTimer()
        stopListening()
      }
    })
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(encodeSse({ retry: retryMs }))),
      async pull(controller) {
        const { text, last } = await next()
        controller.enqueue(encoder.encode(text))
        if (!last) return
        controller.close()
        onLeave()
      },
      cancel() {
        forget?.()
        onLeave()
      },
    },
    { highWaterMark: 1 },
  )
}
