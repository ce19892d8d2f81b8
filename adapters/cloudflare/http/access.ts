// Who may ask, and for which session: bearer tokens, and session ids that cannot be guessed. What is unclear is refused.
import type { Host } from '../../../src/host/host.ts'
import { hex, sameText } from '../../../src/stream/bytes.ts'
import type { Refusal } from '../refusal.ts'

/** Whose request it is; a tenant's sessions cannot be named by another tenant. */
export interface Access {
  readonly tenant: string
}

/** Says whose request it is, or why it is refused. */
export type Auth<Env> = (request: Request, env: Env) => Access | Refusal | Promise<Access | Refusal>

/** What the default access reads of the environment. */
export interface AccessVariables {
  /** Tokens that may use the API, separated by commas, each of at least 16 characters. */
  readonly AGENT_TOKEN?: string | undefined
  /** Signs session ids; at least 16 characters. */
  readonly SESSION_SECRET?: string | undefined
  /**
   * "1" serves pages on a loopback address without token and secret: for `wrangler dev`. A program says of itself what a
   * browser does: `Sec-Fetch-Site: none`.
   */
  readonly DEV?: string | undefined
}

const minSecret = 16

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The page is of the same origin, or it was not a page that asked. */
const vouched = new Set(['same-origin', 'none'])

/**
 * Whether this is development: said so, and asked through a loopback address, which no deployed worker has. A page whose
 * name was rebound to this machine may lie about the address, as `wrangler dev` believes a header that says another; so
 * the browser must vouch, in a header that no page can set. It sends Sec-Fetch-Site to a loopback address but not to such
 * a name, and an Origin, of which `agentRoutes` knows whether it may ask.
 */
const isDevelopment = ({ url, headers }: Request, env: AccessVariables): boolean =>
  env.DEV === '1' &&
  loopback.has(new URL(url).hostname) &&
  (headers.has('origin') || vouched.has(headers.get('sec-fetch-site') ?? ''))

/**
 * Access by `Authorization: Bearer` with one of the tokens of AGENT_TOKEN. Without a token to compare with nobody is let
 * in (503), but in development everybody is.
 */
export function bearerAuth(host: Pick<Host, 'digest'>): Auth<AccessVariables> {
  return async (request, env) => {
    const tokens = (env.AGENT_TOKEN ?? '').split(',').map((token) => token.trim())
    if (tokens.join('') === '') {
      if (isDevelopment(request, env)) return { tenant: 'dev' }
      const more = env.DEV === '1' ? ' but pages of this machine, and programs that send "Sec-Fetch-Site: none"' : ''
      const message = `No AGENT_TOKEN is configured, so nobody is let in${more}`
      return { status: 503, code: 'not-configured', message }
    }
    if (tokens.some((token) => token.length < minSecret)) {
      return {
        status: 503,
        code: 'not-configured',
        message: `Each AGENT_TOKEN must have at least ${minSecret} characters`,
      }
    }
    const given = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
    const digest = async (text: string): Promise<string> => hex(await host.digest(new TextEncoder().encode(text)))
    const wanted = await Promise.all(tokens.map(digest))
    const got = await digest(given)
    // Every token is compared, so that the time tells nothing.
    const fits = wanted.filter((one) => sameText(one, got)).length > 0
    return fits ? { tenant: 'main' } : { status: 401, code: 'unauthorized', message: 'Wanted a valid bearer token' }
  }
}

/** Session ids of one worker: 128 random bits and as many of their HMAC, so that a guess never reaches an object. */
export interface SessionIds {
  make(tenant: string): Promise<string>
  /** The name of the object of a session, or `undefined` for an id that was not made here for this tenant. */
  objectName(tenant: string, id: string): Promise<string | undefined>
}

const idForm = /^[0-9a-f]{64}$/

/** What two ids of the host leave to guess is more than 128 bits; the digest spreads it evenly. */
export function sessionIds(secret: string, host: Pick<Host, 'digest' | 'hmac' | 'id'>): SessionIds {
  const encoder = new TextEncoder()
  const key = encoder.encode(secret)
  const sign = async (tenant: string, name: string): Promise<string> =>
    hex((await host.hmac(key, encoder.encode(`session\n${tenant}\n${name}`))).subarray(0, 16))
  return {
    async make(tenant) {
      const seed = await host.digest(encoder.encode(host.id('') + host.id('')))
      const name = hex(seed.subarray(0, 16))
      return name + (await sign(tenant, name))
    },
    async objectName(tenant, id) {
      if (!idForm.test(id)) return undefined
      const name = id.slice(0, 32)
      return sameText(await sign(tenant, name), id.slice(32)) ? `${tenant}:${name}` : undefined
    },
  }
}

/** A function that gives the secret of session ids: the configured one, in development one for as long as this process lives. */
export function sessionSecret(host: Pick<Host, 'id'>): (request: Request, env: AccessVariables) => string | Refusal {
  let temporary: string | undefined
  return (request, env) => {
    const { SESSION_SECRET: secret = '' } = env
    if (secret.length >= minSecret) return secret
    if (secret === '' && isDevelopment(request, env)) {
      return (temporary ??= host.id('') + host.id(''))
    }
    const message = `A SESSION_SECRET of at least ${minSecret} characters is needed`
    return { status: 503, code: 'not-configured', message }
  }
}
