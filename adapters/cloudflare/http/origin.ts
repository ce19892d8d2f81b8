// Which web pages may use the API: its own, and those of an explicit list.
import { methodHeader, nameHeader, sessionHeader, versionHeader } from '../../../src/mcp-protocol/wire.ts'

/** The headers that let the page which asks read the answer; `undefined` where it may not ask. */
export function originHeaders(
  request: Request,
  allowed: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const origin = request.headers.get('origin')
  if (origin === null || origin === new URL(request.url).origin) return { vary: 'Origin' }
  if (!allowed.includes(origin)) return undefined
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': `etag, retry-after, ${sessionHeader}`,
  }
}

/** What a browser asks before it sends such a request. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-headers': `accept, authorization, content-type, idempotency-key, if-match, last-event-id, ${methodHeader}, ${nameHeader}, ${sessionHeader}, ${versionHeader}`,
  'access-control-allow-methods': 'DELETE, GET, POST, PUT',
  'access-control-max-age': '600',
}
