// What a client brings back with the answer to a question, where the server remembers nothing: signed, short-lived, for one call.
import { resolveSecret } from '../http/secret.ts'
import type { Secret } from '../http/secret.ts'
import type { Host } from '../host/host.ts'
import { isObject } from '../json/value.ts'
import { hex, sameText } from '../stream/bytes.ts'

/** Which call of whom a question is about. */
export interface TicketFor {
  readonly principal: string | undefined
  readonly tool: string
  /** The arguments as the client sent them. */
  readonly input: unknown
}

export interface Tickets {
  /** `shown` is what a person is asked about. */
  make(about: TicketFor, shown: unknown): Promise<string>
  /**
   * Says whether something is what was shown, if the ticket was made here, for this call, lately, and was not used
   * before: it is used up by that.
   */
  use(ticket: unknown, about: TicketFor): Promise<((shown: unknown) => Promise<boolean>) | undefined>
}

/** A person may take as long to answer. */
const lifeMs = 10 * 60_000

/** So many used ones are kept in mind; where there are more, none is taken until some have expired. */
const maxUsed = 10_000

/**
 * Without a secret one is made up that lasts as long as this process. That none is used twice is known to one process only:
 * where several share a secret, an approved call may be repeated until its ticket expires.
 */
export function tickets(host: Host, secret: Secret | undefined): Tickets {
  const encoder = new TextEncoder()
  /** By when each expires, the first one first. */
  const used = new Map<string, number>()
  let made: Promise<string> | undefined
  const key = async (): Promise<Uint8Array> =>
    encoder.encode(await (secret === undefined ? (made ??= unguessable(host)) : resolveSecret(secret, 'the secret')))
  const sign = async (body: string): Promise<string> =>
    hex(await host.hmac(await key(), encoder.encode(`mcp-question\n${body}`)))
  const digestOf = async (value: unknown): Promise<string> => hex(await host.digest(encoder.encode(sortedJson(value))))
  const callOf = ({ principal, tool, input }: TicketFor): Promise<string> => digestOf([principal ?? null, tool, input])
  const forget = (): void => {
    for (const [id, expiresAt] of used) if (expiresAt < host.now()) used.delete(id)
  }
  return {
    async make(about, value) {
      const [id, call, shown] = await Promise.all([unguessable(host), callOf(about), digestOf(value)])
      const body = JSON.stringify({ id, call, shown, expiresAt: host.now() + lifeMs })
      return `${await sign(body)}.${body}`
    },
    async use(ticket, about) {
      const [, signature = '', body = ''] =
        /^([0-9a-f]{64})\.(.{1,400})$/.exec(typeof ticket === 'string' ? ticket : '') ?? []
      if (!sameText(await sign(body), signature)) return undefined
      const { id, call, shown, expiresAt } = JSON.parse(body) as Body
      const isMeant = call === (await callOf(about))
      if (!isMeant || expiresAt < host.now() || used.has(id)) return undefined
      if (used.size >= maxUsed) forget()
      if (used.size >= maxUsed) return undefined
      used.set(id, expiresAt)
      return async (value) => (await digestOf(value)) === shown
    },
  }
}

/** What two ids of the host leave to guess is more than 128 bits. */
export const unguessable = async (host: Host): Promise<string> =>
  hex((await host.digest(new TextEncoder().encode(host.id('') + host.id('')))).subarray(0, 16))

/** What was signed here has this form. */
interface Body {
  readonly id: string
  readonly call: string
  readonly shown: string
  readonly expiresAt: number
}

/** JSON with the keys of objects in order: the client may write them in another one when it asks again. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
