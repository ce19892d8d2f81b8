// One call of a REST tool: the request, and what came back.
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { Fetch } from '../host/host.ts'
import type { ToolContext } from '../tool/context.ts'
import { guardedFetch } from '../policy/guarded-fetch.ts'
import { fail } from '../tool/tool.ts'
import type { ToolAnswer } from '../tool/tool.ts'
import { restAnswer } from './answer.ts'
import { credentials } from './auth.ts'
import type { RestAuth } from './auth.ts'
import { fillRequest } from './parameter.ts'
import type { RestShape } from './parameter.ts'
import { scrubbedError, scrubber } from '../http/scrub.ts'
import { resolvedHeaders } from '../http/secret.ts'
import type { Secret } from '../http/secret.ts'

/** What all routes of a server share. */
export interface RestTarget {
  readonly name: string
  readonly base: URL
  readonly headers: Readonly<Record<string, Secret>>
  readonly auth: RestAuth | undefined
  readonly fetch: Fetch | undefined
  readonly maxResponseBytes: number
}

/** The whole path of a route: what a person is shown is what is sent. */
export const pathOf = ({ base }: RestTarget, path: string): string => base.pathname.replace(/\/$/, '') + path

export interface Route {
  readonly target: RestTarget
  readonly shape: RestShape
  readonly idempotencyHeader: string | undefined
}

/** Throws `source-failed` (retryable) where no answer came, and what the guarded fetch refuses with. */
export async function sendRest(
  { target, shape, idempotencyHeader }: Route,
  input: unknown,
  context: ToolContext,
): Promise<ToolAnswer> {
  const { method } = shape
  const filled = fillRequest(shape, input)
  if (typeof filled === 'string') return fail(filled)
  const url = new URL(target.base)
  url.pathname = pathOf(target, filled.path)
  url.search = filled.query.toString()
  const { body } = filled
  const own = await resolvedHeaders(target.headers)
  const signed = await credentials(target.auth, { method, url: new URL(url), body })
  for (const [name, value] of Object.entries(signed.query)) url.searchParams.set(name, value)
  const scrub = scrubber([...own.secrets, ...signed.secrets])
  const headers = new Headers({ accept: 'application/json, text/*;q=0.9, */*;q=0.8' })
  const set = (name: string, value: string): void => {
    try {
      headers.set(name, value)
    } catch {
      // The engine's words quote the value.
      throw new SameloopError('source-failed', `Cannot send the header "${name}": its value cannot travel in a header`)
    }
  }
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (idempotencyHeader !== undefined) headers.set(idempotencyHeader, context.idempotencyKey)
  // Ours last: what a model fills in never takes the place of a credential.
  for (const some of [filled.headers, own.headers, signed.headers])
    for (const [name, value] of Object.entries(some)) set(name, value)
  // A runtime's own fetch takes an API key along to wherever it is redirected.
  const fetch = guardedFetch(target.fetch ?? context.fetch, anywhere)
  const asked = { method, path: filled.path, maxBytes: target.maxResponseBytes, scrub, signal: context.signal }
  try {
    const response = await fetch(url.href, { method, headers, body: body ?? null, signal: context.signal })
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

/** What may be reached is for the policy to say, and how much for `maxResponseBytes`. */
const anywhere = { httpsOnly: false, allowPrivateHosts: true, maxResponseBytes: Infinity }
