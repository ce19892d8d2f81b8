// One HTTP request to an MCP server: its headers, its credentials, and the refusals a server may answer with.
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { Fetch, Host } from '../host/host.ts'
import { readBytes } from '../http/body.ts'
import { setHeader } from '../http/header.ts'
import { scrubbedError, scrubber } from '../http/scrub.ts'
import { resolvedHeaders } from '../http/secret.ts'
import type { Secret } from '../http/secret.ts'
import { cut, parseJson } from '../json/text.ts'
import { readMessage } from '../json-rpc/message.ts'
import { sessionHeader, versionHeader } from '../mcp-protocol/wire.ts'
import { credentials } from '../rest/auth.ts'
import type { RestAuth } from '../rest/auth.ts'
import { serial } from '../stream/serial.ts'
import { answeredError } from './link.ts'
import { serverError } from './transport.ts'

export interface HttpTarget {
  readonly name: string
  readonly url: URL
  readonly host: Host
  readonly fetch: Fetch
  readonly headers: Readonly<Record<string, Secret>>
  readonly auth: RestAuth | undefined
  readonly maxResponseBytes: number
  /** Told what was ignored. */
  warn(text: string): void
}

export interface HttpLine {
  readonly target: HttpTarget
  /** What the server calls the session, once it has. */
  session: string | undefined
  /** How often credentials were renewed. */
  renewals: number
  readonly renew: ReturnType<typeof serial>
}

export const makeLine = (target: HttpTarget): HttpLine => ({ target, session: undefined, renewals: 0, renew: serial() })

export interface Asking {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly body?: string | undefined
  readonly version: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal: AbortSignal
}

export interface Answered {
  readonly response: Response
  /** Takes out of a text what the request kept secret. */
  readonly scrub: (text: string) => string
  /** Whether there is anything to take out. */
  readonly hasSecrets: boolean
}

/** A shorter name of a session is no secret, and may be a word of an answer. */
const isLong = (session: string | undefined): session is string => session !== undefined && session.length >= 16

/** A page of an error is read no further. */
const maxErrorBytes = 64 * 1024

/**
 * A good response, unread. After a 401 credentials are asked for once more, by one request at a time. Throws
 * `source-failed` for any other status, with `data.status`, `data.code` where the body is an error of JSON-RPC, and
 * `data.isLost` where the server does not know the session any more.
 */
export async function ask(line: HttpLine, asking: Asking): Promise<Answered> {
  const { target } = line
  const { renewals } = line
  const first = await fetched(line, asking)
  const { status } = first.response
  if (status !== 401 || !canRenew(target.auth)) return accepted(line, first, asking)
  await cancel(first.response)
  const refused = first.response.headers.get('www-authenticate') ?? ''
  const second = await line.renew(() => {
    const isFirst = renewals === line.renewals
    line.renewals++
    return fetched(line, asking, isFirst ? refused : undefined)
  })
  return accepted(line, second, asking)
}

/** A text is the same each time. */
const canRenew = (auth: RestAuth | undefined): boolean =>
  typeof auth === 'function' || Object.values(auth ?? {}).some((part) => typeof part === 'function')

async function fetched({ target, session }: HttpLine, asking: Asking, refused?: string): Promise<Answered> {
  const { method, body, version, signal } = asking
  const url = new URL(target.url)
  const signed = await credentials(target.auth, { method, url: new URL(url), body, refused })
  for (const [name, value] of Object.entries(signed.query)) url.searchParams.set(name, value)
  const own = await resolvedHeaders(target.headers)
  const secrets = [...signed.secrets, ...own.secrets, ...(isLong(session) ? [session] : [])]
  const scrub = scrubber(secrets)
  const headers = new Headers({
    accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
  })
  const all = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...asking.headers,
    ...(version !== undefined && { [versionHeader]: version }),
    ...(session !== undefined && { [sessionHeader]: session }),
    ...own.headers,
    ...signed.headers,
  }
  for (const [name, value] of Object.entries(all)) setHeader(headers, name, value)
  signal.throwIfAborted()
  const init = { method, headers, body: body ?? null, signal, redirect: 'manual' as const }
  const response = await target.fetch(url.href, init).catch((cause: unknown) => {
    signal.throwIfAborted()
    if (isSameloopError(cause)) throw scrubbedError(cause, scrub)
    throw serverError(target.name, 'cannot be reached', { cause: scrubbedError(cause, scrub), retryable: true })
  })
  return { response, scrub, hasSecrets: secrets.length > 0 }
}

export const cancel = (response: Response): Promise<void> | undefined => response.body?.cancel().catch(() => undefined)

async function accepted({ target, session }: HttpLine, answered: Answered, asking: Asking): Promise<Answered> {
  const { response, scrub } = answered
  const { status } = response
  // Credentials go to no address but the one that was given. A page hides what kind of redirect it was: its status is 0.
  if (response.redirected || status === 0 || (status >= 300 && status < 400)) {
    await cancel(response)
    throw serverError(target.name, 'redirects: give the address it leads to', { data: { status } })
  }
  if (response.ok) return answered
  const bytes = await readBytes(response.body, maxErrorBytes, asking.signal).catch(() => {
    asking.signal.throwIfAborted()
    return undefined
  })
  const text = scrub(new TextDecoder().decode(bytes))
  const parsed = parseJson(text)
  const message = parsed.ok ? readMessage(parsed.value) : undefined
  // Only where the session was named can it be the session that is not found.
  const data = { status, ...(status === 404 && session !== undefined && { isLost: true }) }
  if (message?.type === 'error') {
    const error = answeredError(target.name, message.error, status)
    throw new SameloopError(error.code, error.message, { data: { ...error.data, ...data } })
  }
  const said = text.trim().startsWith('<') ? '' : cut(text.trim(), 200)
  const what = `answered with status ${status}${said === '' ? '' : `: ${said}`}`
  throw serverError(target.name, what, { data, retryable: status === 429 || status >= 500 })
}
