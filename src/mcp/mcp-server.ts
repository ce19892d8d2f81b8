// `mcpServer()`: a server of the Model Context Protocol, reached by HTTP, as a source of tools.
import { amounts } from '../error/amount.ts'
import { SameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import type { Fetch } from '../host/host.ts'
import { webHost } from '../host/web-host.ts'
import { serverAddress, sourceNameProblem } from '../http/address.ts'
import type { Secret } from '../http/secret.ts'
import { excerpt } from '../json/text.ts'
import { httpTransport } from '../mcp-client/http-transport.ts'
import type { RestAuth } from '../rest/auth.ts'
import { mcpSource } from './source.ts'
import type { McpServer } from './source.ts'
import { speakerOf } from './speaker.ts'
import type { McpClientOptions } from './speaker.ts'

export interface McpServerOptions extends McpClientOptions {
  /** The address of the server, for example `https://mcp.example.com/mcp`. */
  readonly url: string
  /** Sent with every request. A function is asked each time. */
  readonly headers?: Readonly<Record<string, Secret>> | undefined
  /** After a 401 a function is asked once more (`refused` says so to one that signs), then the request fails. */
  readonly auth?: RestAuth | undefined
  /** Default: that of the host. The address is the program's, not the model's: no policy guards it, and no redirect is followed. */
  readonly fetch?: Fetch | undefined
  /** The largest answer, all of its events together. Default 8 MiB. */
  readonly maxResponseBytes?: number | undefined
}

/**
 * A server whose tools are `mcp://name.tool`: `registry.addSource(mcpServer({ name: 'git', url }))`. Nothing happens before
 * it is connected: by `connect()`, or when it is needed. It speaks Streamable HTTP from 2025-03-26 on, and the stateless
 * protocol. Connecting throws `config-invalid` for options that cannot be used and `source-failed` for a server that
 * cannot be.
 */
export function mcpServer(options: McpServerOptions): McpServer {
  const { name, headers = {}, auth, host = webHost, fetch = host.fetch } = options
  const address = guarded(() => new URL(options.url).host, undefined)
  const transport = (): ReturnType<typeof httpTransport> =>
    httpTransport({
      name,
      url: serverUrl(options),
      host,
      // Called as a plain function: `fetch` refuses any other `this` in pages and Workers.
      fetch: (input, init) => fetch(input, init),
      headers,
      auth,
      ...amounts(options, { maxResponseBytes: 8 * 2 ** 20 }),
      warn: (text) => options.onWarning?.(text),
    })
  return mcpSource(options, speakerOf(options, { isHttp: true, address, host, transport }))
}

/** Throws `config-invalid` for a name that is no part of a URI. */
export function checkServerName(name: unknown): asserts name is string {
  const problem = sourceNameProblem(name)
  if (problem !== undefined) throw wrong(name, problem)
}

export const wrong = (name: unknown, problem: string): SameloopError =>
  new SameloopError('config-invalid', `Cannot use the MCP server ${excerpt(name)}: ${problem}`)

function serverUrl({ name, url }: McpServerOptions): URL {
  checkServerName(name)
  const address = serverAddress(url)
  if (typeof address === 'string') throw wrong(name, address)
  return address
}
