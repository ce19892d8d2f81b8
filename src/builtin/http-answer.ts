// What a server answered to `http_request`, as its result.
import { isSameloopError } from '../error/error.ts'
import { decoderFor, isJsonType, isTextType, mediaTypeOf, readBody } from '../http/body.ts'
import { scrubbedJson } from '../http/scrub.ts'
import { parseJson } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import { joinBytes } from '../stream/bytes.ts'
import { ok } from '../tool/tool.ts'
import type { ToolAnswer } from '../tool/tool.ts'
import { tellingHeaders } from './http-headers.ts'

export interface HttpAsked {
  readonly method: string
  readonly url: URL
  /** Takes secrets out of a text. */
  readonly scrub: (text: string) => string
  /** Characters at the end of what was cut off that may be the beginning of a secret. */
  readonly longest: number
  readonly signal: AbortSignal
}

/**
 * `{ status, headers, body, truncated? }`, whatever the status: JSON as its value, text as text, the beginning of what is
 * larger than allowed; of other types how large it is, as a model can do nothing with its bytes.
 */
export async function httpAnswer(
  response: Response,
  { method, url, scrub, longest, signal }: HttpAsked,
): Promise<ToolAnswer> {
  const announced = response.headers.get('content-type') ?? ''
  const { bytes, truncated } = await beginning(response, signal)
  const read = scrubbedJson(bodyOf(bytes, { announced, truncated }), scrub)
  const body = truncated && typeof read === 'string' ? read.slice(0, Math.max(0, read.length - longest)) : read
  const value: Json = {
    status: response.status,
    headers: tellingHeaders(response.headers, scrub),
    body,
    ...(truncated ? { truncated } : {}),
  }
  const details: Json = { method, url: scrub(url.origin + url.pathname), status: response.status }
  return ok(value, { details })
}

interface Beginning {
  readonly bytes: Uint8Array
  readonly truncated: boolean
}

/** Bytes until the end, or until the policy allows no more. */
export async function beginning({ body }: Response, signal: AbortSignal): Promise<Beginning> {
  const pieces: Uint8Array[] = []
  try {
    await readBody(body, { signal, most: Infinity, take: (piece) => void pieces.push(piece) })
    return { bytes: joinBytes(pieces), truncated: false }
  } catch (error) {
    if (!isSameloopError(error, 'stream-too-large')) throw error
    return { bytes: joinBytes(pieces), truncated: true }
  }
}

function bodyOf(bytes: Uint8Array, { announced, truncated }: { announced: string; truncated: boolean }): Json {
  if (bytes.length === 0) return null
  const type = mediaTypeOf(announced)
  // Text has no NUL, whatever it is called, but for UTF-16, which says so.
  const isText = isTextType(type) && (!bytes.includes(0) || /utf-?16/i.test(announced))
  if (!isText)
    return `[${truncated ? 'more than ' : ''}${bytes.length} bytes${type && ` of ${type.slice(0, 80)}`}, which is no text]`
  const text = decoderFor(announced).decode(bytes)
  const parsed = isJsonType(type) && !truncated ? parseJson(text) : undefined
  return parsed?.ok ? (parsed.value as Json) : text
}
