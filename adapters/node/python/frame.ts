// Messages as bytes, for a pipe: JSON, and after it the bytes that it names. What comes out is anybody's.
import { parseJson } from '../../../src/json/text.ts'
import { isPlain, own } from '../../../src/json/value.ts'
import type { JsonObject } from '../../../src/json/value.ts'
import { joinBytes } from '../../../src/stream/bytes.ts'

/** Text, then bytes: a frame begins with both lengths. */
const headBytes = 8
/** The picture of Python's memory, and a file, are the largest that are sent. */
const maxFrame = 2 ** 28
const mark = '$bytes'

export function frameOf(message: unknown): Uint8Array {
  const parts: Uint8Array[] = []
  const text = JSON.stringify(message, (_key, value: unknown) => {
    if (!(value instanceof Uint8Array)) return value
    parts.push(value)
    return { [mark]: value.length }
  })
  const words = new TextEncoder().encode(text)
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  const head = new Uint8Array(headBytes)
  const view = new DataView(head.buffer)
  view.setUint32(0, words.length)
  view.setUint32(4, size)
  return joinBytes([head, words, ...parts])
}

export interface FrameReader {
  /** Takes what came, and gives the messages that are whole with it; `undefined` where it is none of ours. */
  readonly push: (chunk: Uint8Array) => readonly unknown[] | undefined
}

export function frameReader(): FrameReader {
  let chunks: Uint8Array[] = []
  let size = 0
  let wanted = headBytes
  // A single piece is not copied.
  const joined = (): Uint8Array => (chunks.length === 1 ? chunks[0]! : joinBytes(chunks))
  return {
    push: (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      const messages: unknown[] = []
      while (size >= wanted) {
        const bytes = joined()
        const view = new DataView(bytes.buffer, bytes.byteOffset)
        const [text, rest] = [view.getUint32(0), view.getUint32(4)]
        const end = headBytes + text + rest
        if (end > maxFrame) return undefined
        chunks = [bytes]
        wanted = end
        if (size < end) break
        const message = readFrame(bytes.subarray(headBytes, headBytes + text), bytes.subarray(headBytes + text, end))
        if (message === undefined) return undefined
        messages.push(message)
        chunks = [bytes.subarray(end)]
        size -= end
        wanted = headBytes
      }
      return messages
    },
  }
}

function readFrame(words: Uint8Array, rest: Uint8Array): unknown {
  const parsed = parseJson(new TextDecoder().decode(words))
  if (!parsed.ok) return undefined
  let at = 0
  const filled = (value: unknown): unknown => {
    if (!isPlain(value)) return value
    const length = own(value, mark)
    if (typeof length === 'number') {
      // A copy, whose buffer is its own and may be given away.
      const bytes = rest.slice(at, at + length)
      at += length
      return bytes
    }
    if (Array.isArray(value)) return value.map(filled)
    const object: JsonObject = { __proto__: null } as unknown as JsonObject
    for (const [key, item] of Object.entries(value)) object[key] = filled(item)
    return object
  }
  return filled(parsed.value)
}
