// The official MCP client as a source: for servers that want its OAuth, its transports or its extensions.
import type { McpServer, McpSourceOptions } from '../../src/mcp.ts'
import { isSameloopError } from '../../src/error/error.ts'
import { cut } from '../../src/json/text.ts'
import { isObject, own } from '../../src/json/value.ts'
import type { Json, JsonObject } from '../../src/json/value.ts'
import { checkServerName, wrong } from '../../src/mcp/mcp-server.ts'
import { mcpSource } from '../../src/mcp/source.ts'
import type { McpServerInfo, Speaker } from '../../src/mcp/source.ts'
import { serverError } from '../../src/mcp-client/transport.ts'

/** What of a call the official client wants to know. */
export interface SdkRequest {
  readonly signal?: AbortSignal
  readonly timeout?: number
  readonly onprogress?: (progress: {
    readonly progress: number
    readonly total?: number
    readonly message?: string
  }) => void
}

/**
 * What is used of `Client` of `@modelcontextprotocol/client` (or of `@modelcontextprotocol/sdk` before it). Its types are
 * not imported: the package is yours.
 */
export interface SdkClient {
  listTools(params?: { readonly cursor?: string }, options?: SdkRequest): Promise<object>
  callTool(params: never, ...more: never[]): Promise<object>
  listResources(params?: { readonly cursor?: string }, options?: SdkRequest): Promise<object>
  listResourceTemplates(params?: { readonly cursor?: string }, options?: SdkRequest): Promise<object>
  readResource(params: { readonly uri: string }, options?: SdkRequest): Promise<object>
  listPrompts(params?: { readonly cursor?: string }, options?: SdkRequest): Promise<object>
  getPrompt(params: never, options?: SdkRequest): Promise<object>
  getServerCapabilities(): object | undefined
  getServerVersion(): object | undefined
  getInstructions(): string | undefined
  getNegotiatedProtocolVersion?(): string | undefined
  close(): Promise<void>
}

export interface SdkServerOptions extends McpSourceOptions {
  /** Connected: how, and as whom, is between you and it. */
  readonly client: SdkClient
}

/** As long as a timer can wait: how long a call may take is the tool's time. */
const longestMs = 2 ** 31 - 1

/**
 * The tools of a server that the official client is connected to: `registry.addSource(mcpServer({ name: 'crm', client }))`.
 * They are checked here as those of any server are. `close()` closes the client, which connects again only by you. Lists
 * are as they were at connect. Throws `config-invalid` at connect for what is no such client.
 */
export function mcpServer({ name, client, ...options }: SdkServerOptions): McpServer {
  const speaker: Speaker = {
    isHttp: false,
    address: undefined,
    connect: async () => {
      checkServerName(name)
      const missing = methods.find((method) => typeof client?.[method] !== 'function')
      if (missing !== undefined) throw wrong(name, `its client has no ${missing}()`)
      if (!client.getServerCapabilities())
        throw serverError(name, 'is not connected: connect its client first', { retryable: true })
    },
    request: async (method, params, { context } = {}) => {
      const ask = requests[method]
      if (!ask) throw serverError(name, `is not asked for "${method}" through this client`)
      const progress: SdkRequest['onprogress'] = ({ progress: done, total, message }) =>
        context?.progress({
          progress: done,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message: cut(message, 500) }),
        })
      const how = context ? { signal: context.signal, timeout: longestMs, onprogress: progress } : {}
      try {
        return (await ask(client, params as never, how)) as JsonObject
      } catch (cause) {
        context?.signal.throwIfAborted()
        if (isSameloopError(cause)) throw cause
        throw serverError(name, said(method, cause), { cause })
      }
    },
    has: (feature) => own(client.getServerCapabilities(), feature) !== undefined,
    info: () => infoOf(client),
    watch: () => () => undefined,
    close: () => client.close(),
  }
  return mcpSource({ name, ...options }, speaker)
}

type Ask = (client: SdkClient, params: never, how: SdkRequest) => Promise<object>

const requests: Readonly<Record<string, Ask>> = {
  'tools/list': (client, params, how) => client.listTools(params, how),
  // Before version 2 a schema of the result stands in the second place.
  'tools/call': (client, params, how) =>
    client.callTool.length === 2
      ? client.callTool(params, how as never)
      : client.callTool(params, undefined as never, how as never),
  'resources/list': (client, params, how) => client.listResources(params, how),
  'resources/templates/list': (client, params, how) => client.listResourceTemplates(params, how),
  'resources/read': (client, params, how) => client.readResource(params, how),
  'prompts/list': (client, params, how) => client.listPrompts(params, how),
  'prompts/get': (client, params, how) => client.getPrompt(params, how),
}

const methods = ['listTools', 'callTool', 'getServerCapabilities', 'close'] as const

/** What the client says of a failure of the protocol; what an engine says stays in the cause. */
function said(method: string, cause: unknown): string {
  const code = own(cause, 'code')
  if (!Number.isInteger(code)) return `failed at "${method}"`
  return `answered with error ${String(code)}: ${cut(cause instanceof Error ? cause.message : '', 500)}`
}

function infoOf(client: SdkClient): McpServerInfo | undefined {
  const capabilities = client.getServerCapabilities()
  const server = client.getServerVersion()
  return {
    protocolVersion: client.getNegotiatedProtocolVersion?.(),
    server: isObject(server) ? (server as Json) : undefined,
    capabilities: isObject(capabilities) ? (capabilities as Json) : undefined,
    instructions: client.getInstructions(),
  }
}
