// A fetch for tools: every address is checked, redirects included, and no answer is larger than allowed.
import { amounts } from '../error/amount.ts'
import { SameloopError } from '../error/error.ts'
import { cut } from '../json/text.ts'
import { listen } from '../stream/signal.ts'
import type { Fetch } from '../host/host.ts'
import { addressKind, isPublicAddress } from './address.ts'
import { urlCheck } from './url-rule.ts'
import type { Resolve, UrlCheck, WebLimits } from './url-rule.ts'

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])
/** All else, whatever its name, may be a credential and stays with the origin it was meant for. */
const harmless = new Set(['accept', 'accept-language', 'content-type', 'range', 'user-agent'])

interface Hop {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: RequestInit['body']
}

/**
 * `fetch` within the limits. `tool-denied` for a URL they refuse, `stream-too-large` for a larger answer. At most 5
 * redirects are followed, each checked like the first; to another origin only harmless headers go along. Where a runtime
 * hides redirects (a page), one is refused. Names are judged by their spelling and, with `resolve`, by their addresses. Throws
 * `config-invalid` for limits that cannot be read.
 */
export function guardedFetch(fetch: Fetch, limits: WebLimits = {}): Fetch {
  const check = urlCheck(limits)
  const { resolve, allowPrivateHosts = false } = limits
  const { maxResponseBytes } = amounts(limits, { maxResponseBytes: 2 ** 21 })
  return async (input, init = {}) => {
    let hop = await firstHop(input, init)
    const signal = init.signal ?? (typeof input === 'object' && 'signal' in input ? input.signal : undefined)
    const mode = init.redirect ?? (typeof input === 'object' && 'redirect' in input ? input.redirect : 'follow')
    for (let count = 0; ; count += 1) {
      refuse(hop.url, check)
      if (resolve && !allowPrivateHosts) await refuseInside(hop.url, resolve, signal)
      const { url, method, headers, body } = hop
      const response = await fetch(url.href, {
        ...init,
        method,
        headers,
        body: body ?? null,
        signal: signal ?? null,
        redirect: 'manual',
      })
      if ((response.type as string) === 'opaqueredirect')
        throw denied(url, 'it redirects, and this runtime does not show where to')
      // A fetch that followed by itself all the same: at least the answer is not used.
      if (response.redirected) refuse(parse(response.url), check)
      const next = redirects.has(response.status) ? response.headers.get('location') : null
      if (next === null || mode === 'manual') return capped(response, url, maxResponseBytes)
      await response.body?.cancel().catch(() => undefined)
      if (mode === 'error') throw denied(url, 'it redirects')
      if (count === maxRedirects) throw denied(url, `it redirects more than ${maxRedirects} times`)
      hop = nextHop(hop, next, response.status)
    }
  }
}

function denied(url: URL, reason: string): SameloopError {
  return new SameloopError('tool-denied', `Cannot request "${url.origin}": ${reason}`, { data: { origin: url.origin } })
}

function refuse(url: URL, check: UrlCheck): void {
  const reason = check(url)
  if (reason !== undefined) throw denied(url, reason)
}

/** A name that leads into a network of ours: by mistake, or made for that. */
async function refuseInside(url: URL, resolve: Resolve, signal: AbortSignal | null | undefined): Promise<void> {
  if (addressKind(url.hostname) !== 'name') return
  const addresses: unknown = await addressesOf(url.hostname, resolve, signal ?? undefined)
  if (addresses === undefined) return
  const isOutside = (address: unknown): boolean =>
    typeof address === 'string' && isPublicAddress(address.includes(':') ? `[${address}]` : address)
  // What is no list of addresses tells nothing good.
  if (!Array.isArray(addresses) || !addresses.every(isOutside))
    throw denied(url, 'its name leads to an address that is not on the public internet')
}

/** `undefined` where the resolver fails; an abort ends the waiting. */
function addressesOf(host: string, resolve: Resolve, signal: AbortSignal | undefined): Promise<unknown> {
  return new Promise((settle, reject) => {
    const forget = listen(signal, reject)
    const ask = async (): Promise<unknown> => resolve(host)
    ask()
      .then(settle, () => settle(undefined))
      .finally(forget)
  })
}

async function firstHop(input: string | URL | Request, init: RequestInit): Promise<Hop> {
  const request = typeof input === 'object' && 'url' in input ? input : undefined
  const method = (init.method ?? request?.method ?? 'GET').toUpperCase()
  const headers = new Headers(init.headers ?? request?.headers)
  // The host is the URL's, or a rule for one site would open its neighbours on the same server.
  headers.delete('host')
  const bodied = method !== 'GET' && method !== 'HEAD'
  const body = bodied ? (init.body ?? (request?.body ? await request.arrayBuffer() : null)) : null
  return { url: parse(request?.url ?? String(input)), method, headers, body }
}

function parse(text: string, base?: URL): URL {
  try {
    return new URL(text, base)
  } catch {
    throw new SameloopError('tool-denied', `Cannot request "${cut(text, 200)}": it is not a valid URL`)
  }
}

/** Fetch standard, "HTTP-redirect fetch": 303, and 301 or 302 after a POST, go on as GET without a body. */
function nextHop(hop: Hop, location: string, status: number): Hop {
  const url = parse(location, hop.url)
  const { method } = hop
  const headers = new Headers(hop.headers)
  const asGet = (status === 303 && method !== 'HEAD') || (status < 303 && method === 'POST')
  if (url.origin !== hop.url.origin) {
    for (const name of [...headers.keys()]) if (!harmless.has(name)) headers.delete(name)
  }
  if (!asGet && hop.body instanceof ReadableStream)
    throw denied(hop.url, 'it redirects, and a streamed body cannot be sent twice')
  if (!asGet) return { url, method, headers, body: hop.body }
  headers.delete('content-type')
  return { url, method: 'GET', headers, body: null }
}

/** The same response with a body that fails once it is larger than `most` bytes. */
function capped(response: Response, url: URL, most: number): Response {
  const tooLarge = (): SameloopError =>
    new SameloopError('stream-too-large', `Cannot read the answer of "${url.origin}": it has more than ${most} bytes`, {
      data: { limit: most },
    })
  const { body } = response
  if (body === null) return response
  const reader = body.getReader()
  if (Number(response.headers.get('content-length') ?? 0) > most) {
    reader.cancel().catch(() => undefined)
    throw tooLarge()
  }
  let size = 0
  let isFull = false
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (isFull) throw tooLarge()
      const { done, value } = await reader.read()
      if (done) return controller.close()
      size += value.length
      isFull = size > most
      if (!isFull) return controller.enqueue(value)
      reader.cancel().catch(() => undefined)
      const rest = value.subarray(0, value.length - (size - most))
      // What is enqueued would be lost with an error of the same turn.
      if (rest.length === 0) throw tooLarge()
      controller.enqueue(rest)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const headers = new Headers(response.headers)
  // They describe the bytes on the wire; the body here is decoded.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  const { status, statusText } = response
  const answer = new Response(stream, { status, statusText, headers })
  Object.defineProperty(answer, 'url', { value: url.href })
  return answer
}
