// Our own client as what speaks with a server, over any transport.
import { isObject, own } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import { mcpClient } from '../mcp-client/client.ts'
import type { Transport } from '../mcp-client/transport.ts'
import type { Host } from '../host/host.ts'
import type { ProtocolVersion } from '../mcp-protocol/version.ts'
import { serverInfoKey } from '../mcp-protocol/wire.ts'
import type { ToolContext } from '../tool/context.ts'
import { elicit } from './elicitation.ts'
import { sample } from './sampling.ts'
import type { SamplingOptions } from './sampling.ts'
import type { SourceOptions, Speaker } from './source.ts'

/** What a client of ours may be told beside how to reach the server. */
export interface ClientOptions extends SourceOptions {
  /** Speaks this revision and tries no other. Default: the newest that both ends speak. */
  readonly version?: ProtocolVersion | undefined
  /** How long the server may take for anything but a tool call, in milliseconds. Default 30,000. */
  readonly requestTimeoutMs?: number | undefined
  /**
   * Lets the server ask the person: the name or URI of the tool that does, for example `ask_human`, called in the run
   * whose call it is for with `{ question, context }`. Default: not offered to the server.
   */
  readonly elicitation?: string | undefined
  /** Lets the server ask a model. Default: not offered to the server. */
  readonly sampling?: SamplingOptions | undefined
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

export function speakerOf(options: ClientOptions, { isHttp, address, host, transport }: Reaching): Speaker {
  const { name, elicitation, sampling, version, requestTimeoutMs = 30_000, listen = true } = options
  const watchers = new Set<() => void>()
  const answers = (
    method: string,
    params: JsonObject,
    context: ToolContext | undefined,
  ): Promise<JsonObject> | undefined => {
    if (method === 'elicitation/create' && elicitation !== undefined)
      return elicit(params, { server: name, tool: elicitation }, context)
    if (method === 'sampling/createMessage' && sampling)
      return sample(params, { ...sampling, server: name, host }, context)
    return undefined
  }
  const client = mcpClient({
    name,
    host,
    version,
    transport,
    timeoutMs: requestTimeoutMs,
    listens: () => listen && watchers.size > 0,
    capabilities: {
      ...(elicitation !== undefined && { elicitation: { form: {} } }),
      ...(sampling && { sampling: {} }),
    },
    answer: answers,
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
        version,
        server: isObject(server) ? (server as Json) : undefined,
        capabilities: isObject(capabilities) ? (capabilities as Json) : undefined,
        instructions: typeof instructions === 'string' ? instructions : undefined,
      }
}
