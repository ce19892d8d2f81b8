// The client: connects when it is needed, connects again when a session or a process is gone, and answers what servers
// want to know before they can answer.
import { isSameloopError } from '../error/error.ts'
import { excerpt } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { isStateless } from '../mcp-protocol/version.ts'
import type { ProtocolVersion } from '../mcp-protocol/version.ts'
import { sleep } from '../stream/signal.ts'
import { capability, endLink, exchange, makeLink, receive } from './link.ts'
import type { Exchange, Link, LinkOptions } from './link.ts'
import { negotiate } from './negotiate.ts'
import { serverError } from './transport.ts'
import type { Transport } from './transport.ts'

export interface ClientSetup extends LinkOptions {
  /** A new one for each connection. Throws `config-invalid` where there can be none. */
  transport(): Transport
  readonly version: ProtocolVersion | undefined
  /** Of a request that is for no tool call, in milliseconds. */
  readonly timeoutMs: number
  /** Whether anybody wants to hear of changed lists. */
  listens(): boolean
}

export interface McpClient {
  /** Resolves at once where it is connected; the same attempt for all who ask meanwhile. */
  connect(): Promise<void>
  /** Connects first where it has to. Throws `source-failed`, or the reason of the signal. */
  request(method: string, params: JsonObject, how?: Exchange): Promise<JsonObject>
  /** Listens for changed lists from now on, where the server tells of them. */
  listen(): void
  /** Of the last connection. */
  readonly version: ProtocolVersion | undefined
  readonly facts: JsonObject
  /** Whether the server says that it has this: `tools`, `resources`, `prompts`. */
  has(feature: string): boolean
  close(): Promise<void>
}

/** How often a server may ask for more before it answers, and for how much at once. */
const maxRounds = 10
const maxInputs = 16
/** Streams in a row that say nothing, after which changes are not listened for any more. */
const maxVainTries = 5
const longLivedMs = 60_000

const allLists = ['tools', 'resources', 'prompts'] as const
const mayAsk = new Set(['tools/call', 'resources/read', 'prompts/get'])

export function mcpClient(options: ClientSetup): McpClient {
  let link: Link | undefined
  /** Whose sessions are over: what they still do ends by itself, or with the client. */
  let former: readonly Link[] = []
  /** As far as it is known: a server that cannot be connected to may be another the next time. */
  let wantedSession = false
  let opening: Promise<Link> | undefined
  const reach = async (): Promise<Link> => {
    try {
      link = await open(options, wantedSession)
      wantedSession = !isStateless(link.version)
      hear()
      return link
    } catch (thrown) {
      wantedSession = false
      throw thrown
    } finally {
      opening = undefined
    }
  }
  const ready = (): Promise<Link> => (link && !link.ended ? Promise.resolve(link) : (opening ??= reach()))
  const hear = (): void => {
    if (!link || link.isHeard || !(options.listens() || mayBeAsked(link))) return
    link.isHeard = true
    // Whatever becomes of it: the lists are read anew when the source connects.
    listenFor(link).catch(() => undefined)
  }
  return {
    connect: async () => void (await ready()),
    listen: hear,
    async request(method, params, how = {}) {
      const used = await ready()
      const limited = how.context ? how : { timeoutMs: options.timeoutMs, ...how }
      try {
        return await rounds(used, method, params, limited)
      } catch (thrown) {
        if (!isSameloopError(thrown) || thrown.data['isLost'] !== true) throw thrown
        // The server did not take it: it is asked once more, in a new session.
        if (link === used) link = undefined
        former = [...former.filter(({ pending }) => pending.size > 0), used]
        used.life.abort(thrown)
        const renewed = await ready()
        for (const list of allLists) options.changed(list)
        return rounds(renewed, method, params, limited)
      }
    },
    get version() {
      return link?.version
    },
    get facts() {
      return link?.facts ?? {}
    },
    has: (feature) => link !== undefined && capability(link, feature) !== undefined,
    async close() {
      await opening?.catch(() => undefined)
      const closing = link
      link = undefined
      for (const one of [...former, ...(closing ? [closing] : [])])
        endLink(one, serverError(options.name, 'was closed'))
      former = []
      await closing?.transport.close()
    },
  }
}

async function open(options: ClientSetup, wantedSession: boolean): Promise<Link> {
  const link = makeLink(options, options.transport())
  try {
    await link.transport.open({
      receive: (message) => receive(link, message),
      end: (reason) => endLink(link, reason),
    })
    await negotiate(link, { ...options, wantedSession })
  } catch (thrown) {
    endLink(link, isSameloopError(thrown) ? thrown : serverError(options.name, 'could not be connected to'))
    await link.transport.close().catch(() => undefined)
    throw thrown
  }
  return link
}

/** Until there is an answer: a server without sessions asks by a result, and is asked again with what it wants to know. */
async function rounds(link: Link, method: string, params: JsonObject, how: Exchange): Promise<JsonObject> {
  const { name } = link.options
  let asking = params
  for (let round = 0; round < maxRounds; round++) {
    const result = await exchange(link, method, asking, how)
    const type = own(result, 'resultType') ?? 'complete'
    if (type === 'complete') return result
    if (type !== 'input_required' || !mayAsk.has(method))
      throw serverError(name, `answered "${method}" with ${excerpt(type)}, which is not known here`)
    const state = own(result, 'requestState')
    asking = {
      ...params,
      inputResponses: await inputs(link, own(result, 'inputRequests') ?? {}, how),
      ...(state !== undefined && { requestState: state }),
    }
  }
  throw serverError(name, `asked for more than ${maxRounds} times before it answered "${method}"`)
}

async function inputs(link: Link, requests: unknown, { context }: Exchange): Promise<JsonObject> {
  const { name, answer } = link.options
  const list = isObject(requests) ? Object.entries(requests) : []
  if (list.length > maxInputs)
    throw serverError(name, `asked ${list.length} questions at once, at most ${maxInputs} are answered`)
  const answers: (readonly [string, JsonObject])[] = []
  // One after the other: a person is asked one thing at a time.
  for (const [key, request] of list) {
    const method = own(request, 'method')
    const params = own(request, 'params') ?? {}
    const answering = typeof method === 'string' && isObject(params) ? answer(method, params, context) : undefined
    if (!answering) throw serverError(name, `asked for ${excerpt(method)}, which is not offered to it`)
    answers.push([key, await answering])
  }
  return Object.fromEntries(answers)
}

/** In a session some servers ask apart from the call that they ask for. */
const mayBeAsked = ({ version, options }: Link): boolean =>
  !isStateless(version) && Object.keys(options.capabilities).length > 0

/** Hears of changed lists for as long as the link lasts. A server that tells of none is not listened to. */
async function listenFor(link: Link): Promise<void> {
  const { transport, options, life } = link
  const lists = allLists.filter((list) => capability(link, list)?.['listChanged'] === true)
  if (lists.length === 0 && !mayBeAsked(link)) return
  if (!isStateless(link.version)) {
    const isOpen = (): boolean => !link.ended
    const { version } = link
    const hear = (message: unknown): void => receive(link, message)
    return transport.listen?.({ version, signal: life.signal, receive: hear, isOpen })
  }
  const notifications = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]))
  for (let vain = 0; vain < maxVainTries && !link.ended; vain++) {
    const before = options.host.now()
    const isBroken = await exchange(link, 'subscriptions/listen', { notifications }, { signal: life.signal }).then(
      () => false,
      mayGoOn,
    )
    if (!isBroken) return
    if (options.host.now() - before > longLivedMs) vain = 0
    await sleep(options.host, 1000 * 2 ** vain, life.signal)
    for (const list of lists) options.changed(list)
  }
}

/** Not where the server told that it ends, or that it has nothing of the kind. */
const mayGoOn = (thrown: unknown): boolean =>
  isSameloopError(thrown) &&
  thrown.data['code'] === undefined &&
  (thrown.retryable || thrown.data['status'] === undefined)
