// A request of the network that is made in one thread and asked for in another.
import { SameloopError } from '../error/error.ts'
import type { Fetch } from '../host/host.ts'
import { joinBytes } from '../stream/bytes.ts'
import type { SentRequest } from './worker-message.ts'

export interface SentResponse {
  readonly url: string
  readonly redirected: boolean
  readonly status: number
  readonly statusText: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

/** The most bytes of an answer. */
const maxAnswer = 2 ** 25
/** The statuses whose answers have no body, not even an empty one. */
const bare = new Set([101, 204, 205, 304])

/** `fetch` for a thread that has none: `ask` takes the request to where there is one. */
export function fetchThrough(ask: (sent: SentRequest, signal: AbortSignal) => Promise<unknown>): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { url, method, signal } = request
    // Cloudflare's types say only that it is a string.
    const redirect = request.redirect as SentRequest['redirect']
    const body = new Uint8Array(await request.arrayBuffer())
    const sent = { url, method, redirect, headers: [...request.headers], body: body.length ? body : undefined }
    return responseOf((await ask(sent, signal)) as SentResponse)
  }
}

function responseOf({ url, redirected, status, statusText, headers, body }: SentResponse): Response {
  const init = { status, statusText, headers: headers.map(([name, value]): [string, string] => [name, value]) }
  const response = new Response(bare.has(status) ? null : new Uint8Array(body), init)
  // Both say where the answer came from, and cannot be given to a constructor.
  Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } })
  return response
}

/** Makes the request; the whole answer is read first, up to 32 MiB. */
export async function fetchFor(fetch: Fetch, sent: SentRequest, signal: AbortSignal): Promise<SentResponse> {
  const { url, method, headers, body, redirect } = sent
  const response = await fetch(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    redirect,
    signal,
    ...(body && { body: new Uint8Array(body) }),
  })
  const { status, statusText, redirected } = response
  return {
    url: response.url,
    redirected,
    status,
    statusText,
    headers: [...response.headers],
    body: await read(response),
  }
}

async function read(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) break
    size += value.length
    if (size > maxAnswer) {
      await reader?.cancel().catch(() => undefined)
      throw new SameloopError('stream-too-large', `Cannot read the answer: at most ${maxAnswer} bytes are taken`)
    }
    chunks.push(value)
  }
  return joinBytes(chunks)
}
