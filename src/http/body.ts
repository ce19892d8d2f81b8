// Bodies of answers: read piece by piece within a limit, and as text.
import { guarded } from '../error/guard.ts'
import { joinBytes } from '../stream/bytes.ts'
import { listen } from '../stream/signal.ts'

export interface BodyReading {
  readonly signal: AbortSignal
  /** Bytes. */
  readonly most: number
  /** Given each piece; `false` for enough. */
  take(piece: Uint8Array): boolean | void
}

/**
 * Reads until the end, until there is more than `most`, or until `take` has enough; what is left is cancelled. Throws the
 * signal's reason when it aborts, also where the body does not know the signal.
 */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  { signal, most, take }: BodyReading,
): Promise<'end' | 'limit' | 'enough'> {
  const reader = body?.getReader()
  const cancel = (reason?: unknown): void => void reader?.cancel(reason).catch(() => undefined)
  const forget = listen(signal, cancel)
  let size = 0
  try {
    while (reader) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) break
      size += value.length
      const isOver = size > most
      if (!isOver && take(value) !== false) continue
      cancel()
      return isOver ? 'limit' : 'enough'
    }
  } finally {
    forget()
  }
  signal.throwIfAborted()
  return 'end'
}

/** All bytes, or `undefined` where there is more than `most`. */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = []
  const end = await readBody(body, { signal, most, take: (piece) => void pieces.push(piece) })
  return end === 'limit' ? undefined : joinBytes(pieces)
}

/** A decoder for the charset that a content type names; UTF-8 where it names none that is known. */
export function decoderFor(contentType: string): TextDecoder {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType) ?? []
  return guarded(() => new TextDecoder(charset), new TextDecoder())
}

/** The type without its parameters, in lower case. */
export const mediaTypeOf = (contentType: string): string => contentType.split(';')[0]?.trim().toLowerCase() ?? ''

/** Whether what a server calls so is text. One that is not named may be. */
export const isTextType = (mediaType: string): boolean =>
  mediaType === '' || mediaType.startsWith('text/') || /[/+](?:json|xml)$|javascript$|urlencoded$/.test(mediaType)

export const isJsonType = (mediaType: string): boolean => /[/+]json$/.test(mediaType)
