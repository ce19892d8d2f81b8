// One request of a tool to an HTTP API, and what came back.
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { Fetch } from '../host/host.ts'
import type { Preview } from '../message/decision.ts'
import type { ToolContext } from '../tool/context.ts'
import { guardedFetch } from '../policy/guarded-fetch.ts'
import type { WebLimits } from '../policy/url-rule.ts'
import type { ToolAnswer } from '../tool/tool.ts'
import { restAnswer } from './answer.ts'
import type { Credentials, UnsignedRequest } from './auth.ts'
import type { Filled } from './parameter.ts'
import { setHeader } from '../http/header.ts'
import { scrubbedError, scrubber } from '../http/scrub.ts'
import { resolvedHeaders } from '../http/secret.ts'
import type { Secret } from '../http/secret.ts'

/** What all requests to a server share. */
export interface RestTarget {
  readonly name: string
  readonly base: URL
  readonly headers: Readonly<Record<string, Secret>>
  readonly fetch: Fetch | undefined
  readonly maxResponseBytes: number
}

/** The whole path of a request: what a person is shown is what is sent. */
const pathOf = ({ base }: RestTarget, path: string): string => base.pathname.replace(/\/$/, '') + path

/** A request with everything but what says who it comes from. */
export interface Outgoing {
  readonly method: string
  readonly filled: Filled
  /** The header that takes the call's idempotency key. */
  readonly idempotencyHeader: string | undefined
  sign(request: UnsignedRequest): Promise<Credentials>
}

/** What the person who decides is shown: all of the address but what authentication adds. */
export function previewOf(
  target: RestTarget,
  method: string,
  { path, query }: Pick<Filled, 'path' | 'query'>,
): Preview {
  return { summary: `${method} ${pathOf(target, path)}${query && `?${query}`}`, host: target.base.host }
}

/** Throws `source-failed` (retryable) where no answer came, and what the guarded fetch refuses with. */
export async function send(
  target: RestTarget,
  { method, filled, idempotencyHeader, sign }: Outgoing,
  context: ToolContext,
): Promise<ToolAnswer> {
  const { body, contentType = 'application/json' } = filled
  const url = new URL(target.base)
  url.pathname = pathOf(target, filled.path)
  url.search = filled.query
  const own = await resolvedHeaders(target.headers)
  const signed = await sign({ method, url: new URL(url), body: typeof body === 'string' ? body : undefined })
  url.search = withQuery(filled.query, signed.query)
  const scrub = scrubber([...own.secrets, ...signed.secrets])
  const headers = new Headers({ accept: 'application/json, text/*;q=0.9, */*;q=0.8' })
  if (body !== undefined) setHeader(headers, 'content-type', contentType)
  if (idempotencyHeader !== undefined) setHeader(headers, idempotencyHeader, context.idempotencyKey)
  // Ours last: what a model fills in never takes the place of a credential.
  for (const some of [filled.headers, own.headers, signed.headers])
    for (const [name, value] of Object.entries(some)) {
      const cookies = name.toLowerCase() === 'cookie' && headers.get(name)
      setHeader(headers, name, cookies ? `${cookies}; ${value}` : value)
    }
  // A runtime's own fetch takes an API key along to wherever it is redirected.
  const fetch = guardedFetch(target.fetch ?? context.fetch, anywhere)
  const asked = { method, path: filled.path, maxBytes: target.maxResponseBytes, scrub, signal: context.signal }
  try {
    const response = await fetch(url.href, {
      method,
      headers,
      body: (body ?? null) as BodyInit | null,
      signal: context.signal,
    })
    return await restAnswer(response, asked)
  } catch (cause) {
    // Refused by the policy, too large, or aborted: that is said already, and without the query.
    if (isSameloopError(cause)) throw scrubbedError(cause, scrub)
    context.signal.throwIfAborted()
    throw new SameloopError('source-failed', `Cannot reach the REST server "${target.name}"`, {
      cause: scrubbedError(cause, scrub),
      retryable: true,
    })
  }
}

/** Not by `searchParams`, which writes all of a query anew. */
function withQuery(query: string, added: Readonly<Record<string, string>>): string {
  const names = Object.keys(added)
  if (names.length === 0) return query
  // In the place of what a model filled in under that name.
  const isKept = (pair: string): boolean => !names.some((name) => new URLSearchParams(pair).has(name))
  const kept = query.split('&').filter((pair) => pair !== '' && isKept(pair))
  return [...kept, new URLSearchParams(added).toString()].join('&')
}

/** What may be reached is for the policy to say, and how much for `maxResponseBytes`. */
export const anywhere: WebLimits = { httpsOnly: false, allowPrivateHosts: true, maxResponseBytes: Infinity }
