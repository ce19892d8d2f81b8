// Secrets: given as text or by a function, used for a request, seen by nobody else.
import { SameloopError } from '../error/error.ts'
import { base64Bytes } from '../stream/base64.ts'

/** A text, or a function that gives it each time it is needed: from a binding, a vault, a token that is renewed. */
export type Secret = string | (() => string | Promise<string>)

/** The text of a secret. Throws `source-failed`, with the name of what is missing and never the text. */
export async function resolveSecret(
  secret: Secret,
  what: string,
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): Promise<string> {
  let text: unknown
  try {
    text = typeof secret === 'function' ? await secret() : secret
  } catch (cause) {
    throw new SameloopError('source-failed', `Cannot resolve ${what}`, { cause })
  }
  if (typeof text === 'string' && (mayBeEmpty || text !== '')) return text
  throw new SameloopError(
    'source-failed',
    `Cannot resolve ${what}: wanted a text, got ${text === '' ? 'an empty one' : typeof text}`,
  )
}

/** What everybody knows, and answers hold too. */
const openHeader = /^(?:accept|content|if)-|^(?:accept|host|user-agent|date)$|-date$/i

/**
 * What is secret in a header, as a server may say any of it again: its value, what follows a scheme such as `Bearer`, what
 * Basic authentication is made of, and the values of cookies.
 */
export function secretsIn(name: string, value: string): readonly string[] {
  if (openHeader.test(name)) return []
  if (/^cookie$/i.test(name)) return [value, ...value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1))]
  const [scheme = '', ...parts] = value.trim().split(/[\s,]+/)
  const decoded = /^basic$/i.test(scheme) && base64Bytes(parts[0] ?? '')
  const pair = decoded ? new TextDecoder().decode(decoded) : ''
  return [value, ...parts, ...(pair === '' ? [] : [pair, pair.slice(pair.indexOf(':') + 1)])]
}

/**
 * Whether what is given under a name is to be kept from others: what a function gave is. A text stands in the program, as a
 * version of the API does, unless its name says otherwise.
 */
export const isSecret = (name: string, given: Secret): boolean =>
  typeof given === 'function' || /auth|key|token|secret|password|cookie/i.test(name)

/** The headers as texts, and which of these are secret. */
export async function resolvedHeaders(
  given: Readonly<Record<string, Secret>>,
): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly secrets: readonly string[] }> {
  const headers: Record<string, string> = {}
  const secrets: string[] = []
  for (const [name, secret] of Object.entries(given)) {
    const value = (headers[name] = await resolveSecret(secret, `the header "${name}"`))
    if (isSecret(name, secret)) secrets.push(...secretsIn(name, value))
  }
  return { headers, secrets }
}
