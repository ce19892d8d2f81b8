// What a server answered becomes what a tool returns.
import { cut, parseJson } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import { base64 } from '../stream/base64.ts'
import { fail, ok } from '../tool/tool.ts'
import type { ToolAnswer } from '../tool/tool.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly maxBytes: number
  /** Takes secrets out of a text. */
  readonly scrub: (text: string) => string
}

const maxErrorChars = 2000

/**
 * JSON as the value, other text as text, anything else as a file part; nothing for an empty body. A status of 400 or more
 * is a failure that the model reads, with the status and the beginning of the body.
 */
export async function restAnswer(response: Response, { method, path, maxBytes, scrub }: Asked): Promise<ToolAnswer> {
  const { status } = response
  const details: Json = { method, path, status }
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const bytes = await readBytes(response.body, maxBytes)
  if (bytes === undefined) return fail(`The answer has more than ${maxBytes} bytes`, { details })
  const isText = type === '' || type.startsWith('text/') || /[/+](?:json|xml)$|javascript$|urlencoded$/.test(type)
  const text = isText ? scrub(new TextDecoder().decode(bytes)) : ''
  if (!response.ok) {
    // A redirect that nobody followed says nothing a model could use.
    const said = text.trim() === '' ? '' : `: ${cut(text.trim(), maxErrorChars)}`
    return fail(`The server answered with status ${status}${said}`, { details })
  }
  if (bytes.length === 0) return ok(method === 'HEAD' ? { status } : undefined, { details })
  if (!isText) return ok([{ type: 'file', mediaType: type, data: base64(bytes) }], { details })
  if (!/[/+]json$/.test(type)) return ok(text, { details })
  const parsed = parseJson(text)
  return parsed.ok
    ? ok(parsed.value as Json, { details })
    : fail('The server announced JSON and sent something else', { details })
}

/** `undefined` where there is more than `most`. */
async function readBytes(body: ReadableStream<Uint8Array> | null, most: number): Promise<Uint8Array | undefined> {
  const reader = body?.getReader()
  const pieces: Uint8Array[] = []
  let size = 0
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > most) {
      reader.cancel().catch(() => undefined)
      return undefined
    }
    pieces.push(value)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
