// `mcpHandler()`: a registry as a server of the Model Context Protocol, a plain `Request → Response` handler.
import type { ToolRegistry } from '../catalog/tool-registry.ts'
import { amounts } from '../error/amount.ts'
import { webHost } from '../host/web-host.ts'
import type { Host } from '../host/host.ts'
import { checkedOrigins } from '../http/origin.ts'
import type { Secret } from '../http/secret.ts'
import { internalErrorCode } from '../json-rpc/error-code.ts'
import type { McpApprove } from '../served-tools/asking.ts'
import type { McpAccess } from '../served-tools/caller.ts'
import { tickets } from '../served-tools/ticket.ts'
import { sessionOf } from './callers.ts'
import { originHeaders, preflight, refusal } from './gate.ts'
import type { McpService } from './methods.ts'
import { post } from './post.ts'
import { memorySessions } from './session.ts'
import type { SessionLimits } from './session.ts'

export interface McpHandlerOptions {
  /** What clients show of the server. Default `sameloop`. */
  readonly name?: string | undefined
  readonly version?: string | undefined
  /** For the client's model: how to use the tools. */
  readonly instructions?: string | undefined
  /**
   * Whose request it is, or the answer that refuses it. Default: everybody's, so give one wherever strangers can reach the
   * server.
   */
  readonly auth?: ((request: Request) => McpAccess | Response | Promise<McpAccess | Response>) | undefined
  /**
   * Decides about calls that want a decision, in the place of the client's person, who is asked where it gives nothing or
   * `defer`. Where nobody can be asked the call is refused in words that the client's model can read.
   */
  readonly approve?: McpApprove | undefined
  /** Origins of web pages that may use the server. Default: none but the server's own, on a loopback address. There is no `*`. */
  readonly cors?: readonly string[] | undefined
  /** Hosts by which the server may be asked, with or without a port: others are answered 421. Default: any. */
  readonly hosts?: readonly string[] | undefined
  /**
   * Keeps sessions in memory for clients that begin with `initialize` (revisions before 2026-07-28): only with one can such
   * a client be asked, take a call back, and approve for longer than one call. All of its requests must then reach the
   * same process. Default false.
   */
  readonly sessions?: boolean | SessionLimits | undefined
  /**
   * Signs what a client of revision 2026-07-28 brings back with an answer. Where several processes serve one address, give
   * all of them the same. Default: one that is made up, for this handler alone.
   */
  readonly secret?: Secret | undefined
  /** Tools on a page of the list. Default 100. */
  readonly pageSize?: number | undefined
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** Calls at work at one time, over all clients. Default 100. */
  readonly maxCalls?: number | undefined
  readonly host?: Host | undefined
  /** Told of what was thrown behind an answer of status 500, and of sources that cannot connect. Must not throw. */
  readonly onError?: ((thrown: unknown) => void) | undefined
}

/**
 * Serves the tools of a registry by the Model Context Protocol over Streamable HTTP, in its revisions 2026-07-28, 2025-11-25,
 * 2025-06-18 and 2025-03-26. Calls take the registry's one call path, with its policy, middleware and checks; give it a
 * `fork()` to serve less. Tools are listed under the names that models see. Throws `config-invalid` for an origin that is
 * none and for a limit that is no amount; the handler never throws.
 */
export function mcpHandler(
  registry: ToolRegistry,
  options: McpHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const server = serverOf(registry, options)
  const { auth = () => ({}) } = options
  return async (request) => {
    const headers = originHeaders(request, server)
    if (headers instanceof Response) return secured(headers)
    try {
      return secured(await admit(server, request, auth), headers)
    } catch (thrown) {
      server.onError(thrown)
      return secured(refusal(500, 'The request failed', { code: internalErrorCode }), headers)
    }
  }
}

function serverOf(registry: ToolRegistry, options: McpHandlerOptions): McpService {
  const { host = webHost, name = 'sameloop', version = '0', sessions = false, cors = [], onError } = options
  const limits = amounts(options, { pageSize: 100, maxBodyBytes: 2 ** 20, maxCalls: 100 }, { least: 1 })
  return {
    registry,
    host,
    info: { name, version },
    instructions: options.instructions,
    approve: options.approve,
    origins: checkedOrigins(cors),
    hosts: options.hosts,
    ...limits,
    tickets: tickets(host, options.secret),
    sessions: sessions === false ? undefined : memorySessions(host, sessions === true ? {} : sessions),
    onError: (thrown) => onError?.(thrown),
    working: 0,
  }
}

/** Answers are for who asked, and nothing that a browser should look into. */
function secured(response: Response, more: Readonly<Record<string, string>> = {}): Response {
  const { status, body } = response
  const headers = new Headers(response.headers)
  headers.set('cache-control', 'no-store')
  headers.set('x-content-type-options', 'nosniff')
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  return new Response(body, { status, headers })
}

async function admit(
  server: McpService,
  request: Request,
  auth: NonNullable<McpHandlerOptions['auth']>,
): Promise<Response> {
  const methods = server.sessions ? ['POST', 'DELETE'] : ['POST']
  if (request.method === 'OPTIONS') return preflight(methods)
  if (!methods.includes(request.method))
    return refusal(405, `Wanted ${methods.join(' or ')}`, { headers: { allow: methods.join(', ') } })
  const access = await auth(request)
  if (access instanceof Response) return access
  return request.method === 'POST' ? post(server, request, access) : endSession(server, request, access)
}

function endSession(server: McpService, { headers }: Request, access: McpAccess): Response {
  const session = sessionOf(server, headers, access)
  if (session instanceof Response) return session
  if (session) server.sessions?.close(session)
  return new Response(null, { status: 204 })
}
