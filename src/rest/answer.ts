// What a server answered becomes what a tool returns.
import { cut, parseJson } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import { decoderFor, isJsonType, isTextType, mediaTypeOf, readBytes } from '../http/body.ts'
import { scrubbedJson } from '../http/scrub.ts'
import { base64 } from '../stream/base64.ts'
import { fail, ok } from '../tool/tool.ts'
import type { ToolAnswer } from '../tool/tool.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Takes secrets out of a text. */
  readonly scrub: (text: string) => string
}

const maxErrorChars = 2000

/**
 * JSON as the value, other text as text, anything else as a file part; nothing for an empty body. Any status but
 * those from 200 to 299 is a failure that the model reads, with the status and the beginning of the body.
 */
export async function restAnswer(
  response: Response,
  { method, path, maxBytes, scrub, signal }: Asked,
): Promise<ToolAnswer> {
  const { status } = response
  const details: Json = { method, path, status }
  const announced = scrub(response.headers.get('content-type') ?? '')
  const type = mediaTypeOf(announced)
  const bytes = await readBytes(response.body, maxBytes, signal)
  if (bytes === undefined) return fail(`The answer has more than ${maxBytes} bytes`, { details })
  const isText = isTextType(type)
  const read = isText ? decoderFor(announced).decode(bytes) : ''
  const parsed = isText && isJsonType(type) ? parseJson(read) : undefined
  const value = parsed?.ok ? scrubbedJson(parsed.value as Json, scrub) : undefined
  const text = value === undefined ? scrub(read) : JSON.stringify(value)
  if (!response.ok) {
    const said = text.trim() === '' ? '' : `: ${cut(text.trim(), maxErrorChars)}`
    return fail(`The server answered with status ${status}${said}`, { details })
  }
  if (bytes.length === 0) return ok(method === 'HEAD' ? { status } : undefined, { details })
  if (!isText) return fileAnswer(bytes, type, { details, scrub })
  if (!parsed) return ok(text, { details })
  return value === undefined
    ? fail('The server announced JSON and sent something else', { details })
    : ok(value, { details })
}

function fileAnswer(
  bytes: Uint8Array,
  type: string,
  { details, scrub }: { readonly details: Json; readonly scrub: Asked['scrub'] },
): ToolAnswer {
  const characters = new TextDecoder().decode(bytes)
  if (scrub(characters) !== characters) return fail('The answer was left out: it holds a credential', { details })
  const mediaType = /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/.test(type) ? type : 'application/octet-stream'
  return ok([{ type: 'file', mediaType, data: base64(bytes) }], { details })
}
