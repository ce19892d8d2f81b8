// The messages of an event stream, and where to go on when it breaks.
import { isSameloopError } from '../error/error.ts'
import { readBody } from '../http/body.ts'
import { parseJson } from '../json/text.ts'
import { sseDecoder } from '../stream/sse-decoder.ts'

/** Where a stream is: kept over its connections. */
export interface Place {
  /** Of the last event; empty where the server gives none. */
  id: string
  /** What the server wants to be waited before the next connection, in milliseconds. */
  retryMs: number
  /** Events so far. */
  count: number
  /** Bytes that may still come. */
  left: number
}

export const beginning = (left: number): Place => ({ id: '', retryMs: 1000, count: 0, left })

export interface Reading {
  readonly signal: AbortSignal
  readonly maxEventChars: number
  /** Whether anything is still awaited: what follows is not read. */
  isOpen(): boolean
  receive(message: unknown): void
  warn(text: string): void
}

/**
 * Reads one connection to its end. A connection that breaks ends like one that is closed. `limit`: there were more bytes
 * than may come. Throws `stream-too-large` for an event that is too long.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array> | null,
  place: Place,
  { signal, maxEventChars, isOpen, receive, warn }: Reading,
): Promise<'end' | 'limit' | 'enough'> {
  const decoder = sseDecoder(
    ({ data, id }) => {
      place.count++
      if (id !== '') place.id = id
      // The first event may only tell its id.
      if (data === '' || !isOpen()) return
      const parsed = parseJson(data)
      if (parsed.ok) receive(parsed.value)
      else warn('An event that is no JSON was ignored')
    },
    { maxEventChars, onRetry: (ms) => (place.retryMs = ms) },
  )
  const take = (piece: Uint8Array): boolean => {
    place.left -= piece.length
    decoder.push(piece)
    return isOpen()
  }
  try {
    return await readBody(body, { signal, most: place.left, take })
  } catch (thrown) {
    signal.throwIfAborted()
    if (isSameloopError(thrown)) throw thrown
    return 'end'
  }
}
