// The requests to a worker, and its refusals in words.
import { SameloopError } from '../../src/error/error.ts'
import type { Host } from '../../src/host/host.ts'
import { deadline, sleep } from '../../src/stream/signal.ts'

export interface RemoteAddress {
  /** Where the worker is, for example `https://agent.example.com`. Default: the page's own origin. */
  readonly url?: string | undefined
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string | (() => string | undefined) | undefined
  readonly host?: Host | undefined
}

export interface RemoteRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | undefined
  readonly json?: unknown
  readonly bytes?: Uint8Array | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * A failed request: `code` is the worker's own word, or `http-<status>`, or one of ours: `offline`, `no-json`, `no-stream`,
 * `no-session`, `no-run`, `unconfirmed`.
 */
export interface Refusal {
  readonly code: string
  readonly message: string
  readonly status: number
}

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'status' in value && 'code' in value && 'message' in value

/** Sends a request to `/api/<path>` of the worker. Throws a `Refusal`, or the signal's reason. */
export async function remoteRequest(
  at: RemoteAddress & { readonly host: Host },
  path: string,
  request: RemoteRequest = {},
): Promise<Response> {
  const { method = 'GET', json, bytes, signal } = request
  const token = typeof at.token === 'function' ? at.token() : at.token
  const headers: Record<string, string> = { ...request.headers }
  if (token !== undefined && token !== '') headers['authorization'] = `Bearer ${token}`
  if (json !== undefined) headers['content-type'] = 'application/json'
  const body = json === undefined ? bytes && new Uint8Array(bytes) : JSON.stringify(json)
  let response: Response
  try {
    response = await at.host.fetch(remoteUrl(at, path), {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch {
    // Not every browser rejects with the signal's own reason.
    if (signal?.aborted === true) throw signal.reason
    throw refusal(0, 'offline', 'The worker cannot be reached')
  }
  if (response.ok) return response
  throw await readRefusal(response)
}

const patienceMs = 30_000

/** The body as JSON; an answer that is none, or does not come within 30 seconds, is a `Refusal`. */
export async function remoteJson(
  at: RemoteAddress & { readonly host: Host },
  path: string,
  request: RemoteRequest = {},
): Promise<Record<string, unknown>> {
  const { signal, release } = deadline(at.host, { ms: patienceMs, signal: request.signal, reason: late })
  try {
    const response = await remoteRequest(at, path, { ...request, signal })
    const value: unknown = await response.json().catch(() => undefined)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
    throw refusal(response.status, 'no-json', 'The answer is no JSON: there may be no worker at this address')
  } finally {
    release()
  }
}

const pauseMs = 500
const unsure = 'The worker was asked twice, and its answer did not come'

/**
 * As `remoteJson`, for what may be asked twice: where the answer got lost it is asked for once more. A `Refusal` with the code `unconfirmed` says that nobody knows whether the worker did it.
 */
export async function remoteJsonTwice(
  at: RemoteAddress & { readonly host: Host },
  path: string,
  request: RemoteRequest,
): Promise<Record<string, unknown>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await remoteJson(at, path, request)
    } catch (thrown) {
      if (!isRefusal(thrown) || !isLost(thrown)) throw thrown
      if (attempt === 2) throw refusal(thrown.status, 'unconfirmed', unsure)
    }
    await sleep(at.host, pauseMs, request.signal)
  }
}

/** The worker, or one that stands before it, broke off: the request may have arrived. */
const isLost = ({ code, status }: Refusal): boolean =>
  code === 'offline' || code === 'no-json' || (status >= 500 && code === `http-${status}`)

const remoteUrl = ({ url = '' }: RemoteAddress, path: string): string =>
  `${url.endsWith('/') ? url.slice(0, -1) : url}/api/${path}`

export const refusal = (status: number, code: string, message: string): Refusal => ({ status, code, message })

/** The connection is there, or seems to be, and nothing comes. */
export const late = (): Refusal => refusal(0, 'offline', 'The worker gave no answer in time')

async function readRefusal(response: Response): Promise<Refusal> {
  const { status } = response
  const body = (await response.json().catch(() => undefined)) as
    | { readonly error?: { readonly code?: unknown; readonly message?: unknown } }
    | undefined
  const code = body?.error?.code
  const message = body?.error?.message
  const words = typeof message === 'string' ? message.slice(0, 500) : `The worker answered with status ${status}`
  return refusal(status, typeof code === 'string' ? code.slice(0, 80) : `http-${status}`, words)
}

/** A refusal as an error for whoever asked. */
export function refusalError(thrown: unknown): Error {
  if (!isRefusal(thrown)) return thrown instanceof Error ? thrown : new Error('The worker cannot be asked')
  const isUnsure = thrown.code === 'unconfirmed'
  const message = isUnsure
    ? 'Nobody knows whether your answer arrived: give it again, the first one counts'
    : thrown.message
  return new SameloopError('run-invalid-decision', message, {
    data: { code: thrown.code, status: thrown.status },
  })
}
