// The requests to a worker, and its refusals in words.
import { SameloopError } from '../../src/error/error.ts'
import type { Host } from '../../src/host/host.ts'

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

/** A failed request: `code` is the worker's own word, or `offline`, or `http-<status>`. */
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
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown
    throw refusal(0, 'offline', 'The worker cannot be reached')
  }
  if (response.ok) return response
  throw await readRefusal(response)
}

/** The body as JSON; an answer that is none is a `Refusal`. */
export async function remoteJson(
  at: RemoteAddress & { readonly host: Host },
  path: string,
  request?: RemoteRequest,
): Promise<Record<string, unknown>> {
  const response = await remoteRequest(at, path, request)
  const value: unknown = await response.json().catch(() => undefined)
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  throw refusal(
    response.status,
    'no-json',
    'The answer of the worker is no JSON: there may be no worker at this address',
  )
}

const remoteUrl = ({ url = '' }: RemoteAddress, path: string): string =>
  `${url.endsWith('/') ? url.slice(0, -1) : url}/api/${path}`

const refusal = (status: number, code: string, message: string): Refusal => ({ status, code, message })

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
  return new SameloopError('run-invalid-decision', thrown.message, {
    data: { code: thrown.code, status: thrown.status },
  })
}
