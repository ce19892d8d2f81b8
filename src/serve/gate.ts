// Before a message is read: which pages, hosts and media types may come in, and what browsers are told of it.
import { isJsonType, mediaTypeOf, readBytes } from '../http/body.ts'
import type { Host } from '../host/host.ts'
import { invalidRequestCode, parseErrorCode } from '../json-rpc/error-code.ts'
import { rpcFailure } from '../json-rpc/message.ts'
import type { RpcId } from '../json-rpc/message.ts'
import { parseJson } from '../json/text.ts'
import { methodHeader, nameHeader, sessionHeader, versionHeader } from '../mcp-protocol/wire.ts'
import { deadline } from '../stream/signal.ts'

export interface GateRules {
  readonly host: Host
  readonly origins: readonly string[]
  readonly hosts: readonly string[] | undefined
  readonly maxBodyBytes: number
}

/** Which kinds of answers a client takes. */
export interface Takes {
  readonly json: boolean
  readonly events: boolean
}

/** A body comes within this time, or not at all. */
const bodyMs = 30_000

interface RefusalDetails {
  readonly id?: RpcId | undefined
  readonly code?: number | undefined
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** An answer without a result: the status is for HTTP, the code for the protocol. */
export function refusal(status: number, message: string, details: RefusalDetails = {}): Response {
  const { id, code = invalidRequestCode, data, headers = {} } = details
  return Response.json(rpcFailure(id, { code, message, ...(data !== undefined && { data }) }), { status, headers })
}

/**
 * The headers that let the page which asks read the answer, or the refusal. A page of this server's own origin may come in
 * where its host is known not to be a stranger's name that was rebound to this machine.
 */
export function originHeaders(request: Request, options: GateRules): Readonly<Record<string, string>> | Response {
  const url = new URL(request.url)
  const stranger = strangerOf(request, url, options)
  if (stranger !== undefined) return refusal(421, `This server does not answer for the host ${stranger}`)
  const origin = request.headers.get('origin')
  if (origin === null) return {}
  const isKnownHost = options.hosts !== undefined || isLoopback(url.hostname)
  if (options.origins.includes(origin) || (isKnownHost && origin === url.origin))
    return {
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': `${sessionHeader}, retry-after, www-authenticate`,
    }
  return refusal(403, 'This page may not use the server', { headers: { vary: 'Origin' } })
}

/** The name by which it was asked, if it is none of its own. What a proxy wrote into the URL may differ from the header. */
function strangerOf({ headers }: Request, url: URL, { hosts }: GateRules): string | undefined {
  if (!hosts) return undefined
  const names = [url.host, headers.get('host') ?? url.host]
  return names.find((name) => !hosts.includes(name) && !hosts.includes(name.replace(/:\d+$/, '')))
}

const isLoopback = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

/** What a browser asks before it sends such a request. */
export function preflight(methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-headers': `accept, authorization, content-type, last-event-id, ${methodHeader}, ${nameHeader}, ${versionHeader}, ${sessionHeader}`,
      'access-control-allow-methods': methods.join(', '),
      'access-control-max-age': '600',
    },
  })
}

/** What the client says that it takes; nothing said is anything. */
export function takenBy(request: Request): Takes {
  const types = (request.headers.get('accept') ?? '*/*').split(',').map(mediaTypeOf)
  const takes = (...names: readonly string[]): boolean => names.some((name) => types.includes(name))
  return {
    json: takes('*/*', 'application/*', 'application/json'),
    events: takes('*/*', 'text/*', 'text/event-stream'),
  }
}

/** The JSON that was posted, or why it cannot be read. */
export async function postedJson(
  request: Request,
  { host, maxBodyBytes }: GateRules,
): Promise<{ readonly value: unknown } | Response> {
  const mediaType = mediaTypeOf(request.headers.get('content-type') ?? '')
  if (!isJsonType(mediaType)) return refusal(415, 'Wanted the content type application/json')
  const tooLarge = (): Response => refusal(413, `Wanted a body of at most ${maxBodyBytes} bytes`)
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) return tooLarge()
  let text: string
  const limit = deadline(host, { ms: bodyMs, signal: request.signal, reason: () => slow })
  try {
    const bytes = await bytesOf(request, maxBodyBytes, limit.signal)
    if (!bytes) return tooLarge()
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return limit.signal.aborted
      ? refusal(408, `Wanted the whole body within ${bodyMs} ms`)
      : refusal(400, 'Wanted a body of UTF-8', { code: parseErrorCode })
  } finally {
    limit.release()
  }
  const parsed = parseJson(text)
  return parsed.ok ? parsed : refusal(400, 'Wanted JSON that nests at most 500 deep', { code: parseErrorCode })
}

const slow = 'slow'

/** In Firefox the body of a request is no stream: there it is read whole, and then measured. A page made it, so it is all there. */
async function bytesOf(request: Request, most: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const { body } = request as { readonly body?: Request['body'] }
  if (body !== undefined) return readBytes(body, most, signal)
  const whole = new Uint8Array(await request.arrayBuffer())
  return whole.length > most ? undefined : whole
}
