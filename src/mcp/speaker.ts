// Our own client as what speaks with a server, over any transport.
import { amounts } from '../error/amount.ts'
import { isObject, own } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import { mcpClient } from '../mcp-client/client.ts'
import type { Transport } from '../mcp-client/transport.ts'
import type { Host } from '../host/host.ts'
import type { ProtocolVersion } from '../mcp-protocol/version.ts'
import { serverInfoKey } from '../mcp-protocol/wire.ts'
import type { McpOffer, McpSourceOptions, Speaker } from './source.ts'

/** What a client of ours may be told beside how to reach the server. */
export interface McpClientOptions extends McpSourceOptions {
  /** Speaks this revision and tries no other. Default: the newest that both ends speak. */
  readonly protocolVersion?: ProtocolVersion | undefined
  /** How long the server may take for anything but a tool call, in milliseconds. Default 30,000. */
  readonly requestTimeoutMs?: number | undefined
  /** What the server may ask for in return: `[elicitation('ask_human'), sampling({ … })]`. Default: nothing. */
  readonly offers?: readonly McpOffer[] | undefined
  /** Listens for changed lists, where the server tells of them, as long as a registry holds the source. Default true. */
  readonly listen?: boolean | undefined
  readonly host?: Host | undefined
}

export interface Reaching {
  readonly isHttp: boolean
  readonly address?: string | undefined
  readonly host: Host
  /** A new one for each connection. Throws `config-invalid` where the options name no server. */
  transport(): Transport
}

export function speakerOf(options: McpClientOptions, { isHttp, address, host, transport }: Reaching): Speaker {
  const { name, offers = [], protocolVersion, requestTimeoutMs = 30_000, listen = true } = options
  const watchers = new Set<() => void>()
  const client = mcpClient({
    name,
    host,
    version: protocolVersion,
    transport: () => {
      amounts(options, { timeoutMs: 0, requestTimeoutMs, maxTools: 0 })
      return transport()
    },
    timeoutMs: requestTimeoutMs,
    listens: () => listen && watchers.size > 0,
    capabilities: Object.assign({}, ...offers.map(({ capability }) => capability)) as JsonObject,
    answer: (method, params, context) =>
      offers.find((offer) => offer.method === method)?.answer(params, { server: name, host, context }),
    changed: (list) => {
      if (list === 'tools') for (const changed of watchers) changed()
    },
    warn: (text) => options.onWarning?.(text),
  })
  return {
    isHttp,
    address,
    connect: client.connect,
    request: (method, params, { context, headers } = {}) =>
      client.request(method, params, { context, headers, signal: context?.signal }),
    has: client.has,
    info: () => infoOf(client.version, client.facts),
    watch(changed) {
      watchers.add(changed)
      client.listen()
      return () => watchers.delete(changed)
    },
    close: client.close,
  }
}

function infoOf(version: string | undefined, facts: JsonObject): ReturnType<Speaker['info']> {
  const [server, capabilities, instructions] = [
    own(facts, 'serverInfo') ?? own(own(facts, '_meta'), serverInfoKey),
    own(facts, 'capabilities'),
    own(facts, 'instructions'),
  ]
  return version === undefined
    ? undefined
    : {
        protocolVersion: version,
        server: isObject(server) ? (server as Json) : undefined,
        capabilities: isObject(capabilities) ? (capabilities as Json) : undefined,
        instructions: typeof instructions === 'string' ? instructions : undefined,
      }
}
