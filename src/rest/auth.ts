// How a request says who it comes from.
import { base64 } from '../stream/base64.ts'
import { SameloopError } from '../error/error.ts'
import { isObject } from '../json/value.ts'
import { resolveSecret, secretsIn } from '../http/secret.ts'
import type { Secret } from '../http/secret.ts'

/** What a function of your own may look at when it signs a request. */
export interface UnsignedRequest {
  readonly method: string
  readonly url: URL
  readonly body: string | undefined
  /** The `www-authenticate` of the server that has just refused what was given before, so that a token can be renewed. */
  readonly refused?: string | undefined
}

/** A function gives headers for each request, so that it can sign them or renew a token. */
export type RestAuth =
  | { readonly type: 'bearer'; readonly token: Secret }
  | { readonly type: 'basic'; readonly username: Secret; readonly password: Secret }
  | { readonly type: 'header'; readonly name: string; readonly value: Secret }
  | { readonly type: 'cookie'; readonly name: string; readonly value: Secret }
  | { readonly type: 'query'; readonly name: string; readonly value: Secret }
  | ((request: UnsignedRequest) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)

/** What authentication adds to a request. `secrets` are the texts that nobody may read. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
}

/** Resolves what the request needs. Throws `source-failed` where a secret cannot be had. */
export async function credentials(auth: RestAuth | undefined, request: UnsignedRequest): Promise<Credentials> {
  if (auth === undefined) return { headers: {}, query: {}, secrets: [] }
  if (typeof auth === 'function') {
    const headers = await signature(auth, request)
    const secrets = Object.entries(headers).flatMap(([name, value]) => secretsIn(name, value))
    return { headers, query: {}, secrets }
  }
  switch (auth.type) {
    case 'bearer': {
      const token = await resolveSecret(auth.token, 'the bearer token')
      return { headers: { authorization: `Bearer ${token}` }, query: {}, secrets: [token] }
    }
    case 'basic': {
      const name = await resolveSecret(auth.username, 'the user name')
      // With some APIs the user name is the key, and there is no password.
      const password = await resolveSecret(auth.password, 'the password', { mayBeEmpty: true })
      // RFC 7617 names UTF-8 as the charset that servers may ask for; it is what all of them take today.
      const code = base64(new TextEncoder().encode(`${name}:${password}`))
      return {
        headers: { authorization: `Basic ${code}` },
        query: {},
        secrets: [
          code,
          `${name}:${password}`,
          password,
          ...(typeof auth.username === 'function' || password === '' ? [name] : []),
        ],
      }
    }
    case 'header': {
      const value = await resolveSecret(auth.value, `the header "${auth.name}"`)
      return { headers: { [auth.name]: value }, query: {}, secrets: secretsIn(auth.name, value) }
    }
    case 'cookie': {
      const value = await resolveSecret(auth.value, `the cookie "${auth.name}"`)
      // More of RFC 6265 than servers themselves keep to would only stand in the way.
      if (/[;\s]/.test(auth.name + value.trim()))
        throw new SameloopError(
          'source-failed',
          `Cannot send the cookie "${auth.name}": wanted no ";" and no space in it`,
        )
      return { headers: { cookie: `${auth.name}=${value.trim()}` }, query: {}, secrets: [value] }
    }
    case 'query': {
      const value = await resolveSecret(auth.value, `the query parameter "${auth.name}"`)
      return { headers: {}, query: { [auth.name]: value }, secrets: [value] }
    }
  }
}

async function signature(
  auth: Extract<RestAuth, (...args: never) => unknown>,
  request: UnsignedRequest,
): Promise<Readonly<Record<string, string>>> {
  let headers: unknown
  try {
    headers = await auth(request)
  } catch (cause) {
    // Its words may hold the very token that could not be renewed.
    throw new SameloopError('source-failed', 'Cannot sign the request', { cause })
  }
  if (!isObject(headers)) throw unsigned(typeof headers)
  const odd = Object.keys(headers).find((name) => typeof headers[name] !== 'string')
  if (odd !== undefined) throw unsigned(`${typeof headers[odd]} as "${odd}"`)
  return headers as Record<string, string>
}

const unsigned = (got: string): SameloopError =>
  new SameloopError('source-failed', `Cannot sign the request: wanted an object of texts as headers, got ${got}`)
