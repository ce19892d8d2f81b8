// `mcpServer()` for Node, Bun and Deno: an MCP server that is a program of this machine, spoken with by stdio.
import type { McpClientOptions, McpServer } from '../../src/mcp.ts'
import { amounts } from '../../src/error/amount.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Secret } from '../../src/http/secret.ts'
import { excerpt } from '../../src/json/text.ts'
import { checkServerName, wrong } from '../../src/mcp/mcp-server.ts'
import { mcpSource } from '../../src/mcp/source.ts'
import { speakerOf } from '../../src/mcp/speaker.ts'
import { stdioTransport } from './stdio/stdio-transport.ts'

export interface StdioServerOptions extends McpClientOptions {
  /** The program: a path, or a name that the `PATH` knows. No shell reads it. */
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** Where it begins. Default: where this program is. */
  readonly cwd?: string | undefined
  /** Variables for it alone. A function is asked at each start; its text shows nowhere. */
  readonly env?: Readonly<Record<string, Secret>> | undefined
  /** Variables of this program that it sees. Default `PATH`, `HOME`, `LANG`, `TERM`. */
  readonly inherit?: readonly string[] | undefined
  /** The longest message, in characters. A longer one ends the server. Default 8 Mi. */
  readonly maxMessageChars?: number | undefined
}

/**
 * A server that is started when it is needed and ends with `close()`; its runs come and go meanwhile. One that ends by
 * itself fails the calls that wait for it, and is started again by the next. Nothing confines it: it may do what the user
 * of this program may. Connecting throws `config-invalid` for options that cannot be used, and `source-failed`, with what
 * it wrote to its standard error, for a program that cannot be started or is no MCP server. In Deno it needs `--allow-run`
 * and `--allow-env`. For Linux and macOS.
 */
export function mcpServer(options: StdioServerOptions): McpServer {
  const { name, command, args = [], cwd, env = {}, inherit, host = webHost } = options
  const transport = (): ReturnType<typeof stdioTransport> => {
    checkServerName(name)
    if (typeof command !== 'string' || command === '')
      throw wrong(name, `wanted a command to start it with, got ${excerpt(command)}`)
    if (!Array.isArray(args)) throw wrong(name, `wanted a list of texts as args, got ${typeof args}`)
    const odd = args.findIndex((one) => typeof one !== 'string')
    if (odd >= 0) throw wrong(name, `wanted texts as args, got ${typeof args[odd]} at index ${odd}`)
    const warn = (text: string): void => options.onWarning?.(text)
    return stdioTransport({
      name,
      command,
      args,
      cwd,
      env,
      inherit,
      ...amounts(options, { maxMessageChars: 8 * 2 ** 20 }),
      warn,
    })
  }
  return mcpSource(options, speakerOf(options, { isHttp: false, host, transport }))
}
