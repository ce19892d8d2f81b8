// What the API answers with: JSON, errors in one shape, and headers that keep answers out of pages and caches.
import { isSameloopError } from '../../../src/error/error.ts'
import type { ErrorCode } from '../../../src/error/codes.ts'
import type { OnError, Refusal } from '../refusal.ts'

const secureHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'code' in value && 'status' in value && 'message' in value

/** The answer with the headers that every answer has. */
export function secured(response: Response, headers: Readonly<Record<string, string>> = {}): Response {
  const { status, body } = response
  const all = new Headers(response.headers)
  for (const [name, value] of Object.entries({ ...secureHeaders, ...headers })) all.set(name, value)
  return new Response(body, { status, headers: all })
}

function refuse({ status, code, message }: Refusal): Response {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return Response.json({ error: { code, message } }, { status, headers })
}

/** A response as it is, a refusal as an error, any other value as JSON. */
export function answer(value: object): Response {
  if (value instanceof Response) return value
  return isRefusal(value) ? refuse(value) : Response.json(value)
}

const statuses: Partial<Record<ErrorCode, number>> = {
  'config-invalid': 400,
  'run-invalid-decision': 400,
  'run-invalid-input': 400,
  'run-invalid-snapshot': 409,
  'run-snapshot-used': 409,
  'run-tool-changed': 409,
  'run-unknown-call': 404,
  'vfs-conflict': 409,
  'vfs-denied': 403,
  'vfs-exists': 409,
  'vfs-failed': 500,
  'vfs-no-space': 413,
  'vfs-not-found': 404,
  'vfs-read-only': 403,
  'vfs-too-large': 413,
}

/** A thrown value as a refusal: our own errors in their words, anything else without any. */
export function refusalOf(thrown: unknown, onError: OnError | undefined): Refusal {
  const { status, ...refusal } = isSameloopError(thrown)
    ? {
        status: statuses[thrown.code] ?? (thrown.code.startsWith('vfs-') ? 400 : 500),
        code: thrown.code,
        message: thrown.message,
      }
    : { status: 500, code: 'internal', message: 'The request failed' }
  if (status === 500) onError?.(thrown)
  return { status, ...refusal }
}
