// What a server answered becomes what a tool returns.
import { guarded } from '../error/guard.ts'
import { cut, parseJson } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import { scrubbedJson } from './secret.ts'
import { base64 } from '../stream/base64.ts'
import { joinBytes } from '../stream/bytes.ts'
import { listen } from '../stream/signal.ts'
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
  const type = announced.split(';')[0]?.trim().toLowerCase() ?? ''
  const bytes = await readBytes(response.body, maxBytes, signal)
  if (bytes === undefined) return fail(`The answer has more than ${maxBytes} bytes`, { details })
  const isText = type === '' || type.startsWith('text/') || /[/+](?:json|xml)$|javascript$|urlencoded$/.test(type)
  const read = isText ? decoded(bytes, announced) : ''
  const parsed = isText && /[/+]json$/.test(type) ? parseJson(read) : undefined
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

/** Text as its charset says, UTF-8 where it says none that is known. */
function decoded(bytes: Uint8Array, contentType: string): string {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType) ?? []
  return guarded(() => new TextDecoder(charset), new TextDecoder()).decode(bytes)
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

/** `undefined` where there is more than `most`. */
async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const reader = body?.getReader()
  // Also a body that does not know the signal is let go.
  const forget = listen(signal, (reason) => void reader?.cancel(reason).catch(() => undefined))
  const pieces: Uint8Array[] = []
  let size = 0
  try {
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
  } finally {
    forget()
  }
  signal.throwIfAborted()
  return joinBytes(pieces)
}
