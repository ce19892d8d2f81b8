// What a client may ask for, and the answer to one request.
import { internalErrorCode, methodNotFoundCode } from '../json-rpc/error-code.ts'
import { rpcFailure, rpcResult } from '../json-rpc/message.ts'
import type { ReceivedMessage } from '../json-rpc/message.ts'
import { excerpt } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { isStateless, sessionVersions, statelessVersions } from '../mcp-protocol/version.ts'
import { serverInfoKey } from '../mcp-protocol/wire.ts'
import type { Implementation } from '../mcp-protocol/wire.ts'
import type { Caller, Line } from '../served-tools/caller.ts'
import { callTool, invalidParams } from '../served-tools/tool-call.ts'
import type { Reply, ToolServer } from '../served-tools/tool-call.ts'
import { toolPage } from '../served-tools/tool-list.ts'
import type { Answered } from './exchange.ts'
import type { GateRules } from './gate.ts'
import type { Sessions } from './session.ts'

export interface McpService extends ToolServer, GateRules {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly pageSize: number
  readonly maxCalls: number
  readonly sessions: Sessions | undefined
  /** Calls at work. */
  working: number
}

export type RequestMessage = Extract<ReceivedMessage, { readonly type: 'request' }>

type Method = (server: McpService, caller: Caller, params: JsonObject, line: Line) => Reply | Promise<Reply>

/** What this server can do, for either kind of beginning. */
export const capabilities = { tools: {} }

/** How long a list may be kept: not at all, as a registry may change at any time, and differ by who asks. */
const caching = { ttlMs: 0, cacheScope: 'private' }

const listTools: Method = async ({ registry, pageSize, onError }, { access, version }, params) => {
  await registry.connect().catch(onError)
  const cursor = own(params, 'cursor')
  const page = toolPage(registry.served.list({ deps: access.deps }), cursor, pageSize)
  if (!page) return invalidParams(`Wanted a "cursor" that this server gave, got ${excerpt(cursor)}`)
  return { result: { ...page, ...(isStateless(version) && caching) } }
}

const call: Method = async (server, caller, params, line) => {
  if (server.working >= server.maxCalls) {
    const message = `The server is at work on ${server.maxCalls} calls, and takes no more for now`
    return { error: { code: internalErrorCode, message } }
  }
  server.working++
  try {
    return await callTool(server, caller, line, params)
  } finally {
    server.working--
  }
}

const discover: Method = ({ instructions }) => ({
  result: {
    supportedVersions: [...statelessVersions, ...sessionVersions],
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ...caching,
  },
})

const tools: Readonly<Record<string, Method>> = { 'tools/list': listTools, 'tools/call': call }
const withSession: Readonly<Record<string, Method>> = { ...tools, ping: () => ({ result: {} }) }
const stateless: Readonly<Record<string, Method>> = { ...tools, 'server/discover': discover }

/** The answer to a request. Never throws. */
export async function answerTo(
  server: McpService,
  caller: Caller,
  { id, method, params }: RequestMessage,
  line: Line,
): Promise<Answered> {
  const isAlone = isStateless(caller.version)
  const methods = isAlone ? stateless : withSession
  const act = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!act) {
    const message = `There is no method ${excerpt(method)}`
    return { status: isAlone ? 404 : 200, message: rpcFailure(id, { code: methodNotFoundCode, message }) }
  }
  try {
    const reply = await act(server, caller, params, line)
    if (!reply) return { status: 200, message: undefined }
    if ('error' in reply) return { status: 200, message: rpcFailure(id, reply.error) }
    return { status: 200, message: rpcResult(id, isAlone ? signed(server, reply.result) : reply.result) }
  } catch (thrown) {
    server.onError(thrown)
    return { status: 500, message: rpcFailure(id, { code: internalErrorCode, message: 'The request failed' }) }
  }
}

/** A stateless answer says of itself whose it is, and whether it is all. */
const signed = ({ info }: McpService, result: JsonObject): JsonObject => ({
  resultType: 'complete',
  ...result,
  _meta: { [serverInfoKey]: info },
})
