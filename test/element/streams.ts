// Streams of a made-up worker, for tests.
import type { ChatRecord } from '../../element/session/session.ts'

export const idle = 'event: idle\ndata: {}\n\n'
export const suspended = 'event: suspended\ndata: {}\n\n'

/** Server-sent events of these records, numbered from `first`. */
export const rows = (records: readonly ChatRecord[], first: number): string =>
  records
    .map(
      (record, index) =>
        `id: ${first + index}\ndata: ${JSON.stringify(record.type === 'event' ? record.event : {})}\n\n`,
    )
    .join('')

export const eventResponse = (body: string | ReadableStream<Uint8Array>): Response =>
  new Response(body, { headers: { 'content-type': 'text/event-stream' } })

/** A stream that is written by hand. */
export function handStream(): { readonly response: Response; write(text: string): void; end(): void } {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) })
  return {
    response: eventResponse(body),
    write: (text) => controller?.enqueue(new TextEncoder().encode(text)),
    end: () => controller?.close(),
  }
}
