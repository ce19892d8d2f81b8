// How a request says who it comes from.
import { base64 } from '../stream/base64.ts'
import { resolveSecret } from './secret.ts'
import type { Secret } from './secret.ts'

/** What a function of your own may look at when it signs a request. */
export interface UnsignedRequest {
  readonly method: string
  readonly url: URL
  readonly body: string | undefined
}

/** A function gives headers for each request, so that it can sign them or renew a token. */
export type RestAuth =
  | { readonly type: 'bearer'; readonly token: Secret }
  | { readonly type: 'basic'; readonly username: Secret; readonly password: Secret }
  | { readonly type: 'header'; readonly name: string; readonly value: Secret }
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
    const headers = await auth(request)
    const secrets = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)])
    return { headers, query: {}, secrets }
  }
  switch (auth.type) {
    case 'bearer': {
      const token = await resolveSecret(auth.token, 'the bearer token')
      return { headers: { authorization: `Bearer ${token}` }, query: {}, secrets: [token] }
    }
    case 'basic': {
      const name = await resolveSecret(auth.username, 'the user name')
      const password = await resolveSecret(auth.password, 'the password')
      // RFC 7617 names UTF-8 as the charset that servers may ask for; it is what all of them take today.
      const code = base64(new TextEncoder().encode(`${name}:${password}`))
      return { headers: { authorization: `Basic ${code}` }, query: {}, secrets: [code, password] }
    }
    case 'header': {
      const value = await resolveSecret(auth.value, `the header "${auth.name}"`)
      return { headers: { [auth.name]: value }, query: {}, secrets: [value] }
    }
    case 'query': {
      const value = await resolveSecret(auth.value, `the query parameter "${auth.name}"`)
      return { headers: {}, query: { [auth.name]: value }, secrets: [value] }
    }
  }
}
