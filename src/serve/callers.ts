// Who sends a message, by its revision of the protocol: each says of itself, or a handshake and a session said it before.
import { invalidParamsCode } from '../json-rpc/error-code.ts'
import { rpcResult } from '../json-rpc/message.ts'
import type { ReceivedMessage } from '../json-rpc/message.ts'
import { excerpt } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import { decodeHeaderValue } from '../mcp-protocol/header-value.ts'
import { isSessionVersion, isStateless, sessionVersions, statelessVersions } from '../mcp-protocol/version.ts'
import {
  clientCapabilitiesKey,
  headerMismatchCode,
  methodHeader,
  namedMethods,
  nameHeader,
  sessionHeader,
  unsupportedVersionCode,
  versionHeader,
  versionKey,
} from '../mcp-protocol/wire.ts'
import type { Caller, McpAccess } from '../served-tools/caller.ts'
import { refusal } from './gate.ts'
import { capabilities } from './methods.ts'
import type { McpService, RequestMessage } from './methods.ts'
import type { Session } from './session.ts'

/** A caller with the whole of its session. */
export type SessionCaller = Omit<Caller, 'cancelled'> & { readonly session: Session | undefined }

/** Whether a message says of itself which revision it speaks. */
export function isStatelessMessage(headers: Headers, message: ReceivedMessage): boolean {
  const meta = 'params' in message ? own(message.params, '_meta') : undefined
  return own(meta, versionKey) !== undefined || isStateless(headers.get(versionHeader))
}

/** Whoever sent a stateless request; where headers and body differ, whoever reads only one of them would be deceived. */
export function statelessCaller(headers: Headers, request: RequestMessage, access: McpAccess): Caller | Response {
  const { id, method, params } = request
  const meta = own(params, '_meta')
  const version = own(meta, versionKey)
  const clientCapabilities = own(meta, clientCapabilitiesKey)
  const refuse = (code: number, message: string, data?: unknown): Response => refusal(400, message, { id, code, data })
  if (version === undefined) return refuse(invalidParamsCode, `Wanted ${excerpt(versionKey)} in "_meta"`)
  if (headers.get(versionHeader) !== version)
    return refuse(headerMismatchCode, 'Wanted a header MCP-Protocol-Version that says the same as the body')
  if (!isStateless(version)) return refuse(unsupportedVersionCode, 'Unsupported protocol version', supported(version))
  if (!isObject(clientCapabilities))
    return refuse(invalidParamsCode, `Wanted ${excerpt(clientCapabilitiesKey)} in "_meta": an object`)
  if (headers.get(methodHeader) !== method)
    return refuse(headerMismatchCode, 'Wanted a header Mcp-Method that says the same as the body')
  const key = Object.hasOwn(namedMethods, method) ? namedMethods[method] : undefined
  const name = headers.get(nameHeader)
  if (key !== undefined && (name === null || decodeHeaderValue(name) !== own(params, key)))
    return refuse(headerMismatchCode, 'Wanted a header Mcp-Name that says the same as the body')
  return { access, version, capabilities: clientCapabilities, session: undefined }
}

const supported = (requested: unknown): object => ({ supported: [...statelessVersions, ...sessionVersions], requested })

/** Whoever began with a handshake, or could have: without sessions nothing is known of them but the version. */
export function sessionCaller(server: McpService, headers: Headers, access: McpAccess): SessionCaller | Response {
  const session = sessionOf(server, headers, access)
  if (session instanceof Response) return session
  const said = headers.get(versionHeader) ?? '2025-03-26'
  if (!isSessionVersion(said))
    return refusal(400, 'Unsupported protocol version', { code: unsupportedVersionCode, data: supported(said) })
  // What the handshake agreed on holds, whatever a client repeats of it.
  return { access, version: session?.version ?? said, capabilities: session?.capabilities, session }
}

/** The session that a request names; none where there are no sessions. */
export function sessionOf(
  { sessions }: McpService,
  headers: Headers,
  { principal }: McpAccess,
): Session | undefined | Response {
  if (!sessions) return undefined
  const id = headers.get(sessionHeader)
  if (id === null) return refusal(400, 'Wanted the header Mcp-Session-Id that "initialize" was answered with')
  return sessions.find(id, principal) ?? refusal(404, 'There is no such session')
}

/** The handshake: the client's version where it is known here, else the newest that has one. */
export async function initialize(
  { sessions, info, instructions }: McpService,
  { id, params }: RequestMessage,
  { principal }: McpAccess,
): Promise<Response> {
  const wanted = own(params, 'protocolVersion')
  if (typeof wanted !== 'string')
    return refusal(400, `Wanted "protocolVersion": a text, got ${excerpt(wanted)}`, { id, code: invalidParamsCode })
  const version = isSessionVersion(wanted) ? wanted : sessionVersions[0]
  const session = await sessions?.open({ version, capabilities: own(params, 'capabilities'), principal })
  if (sessions && !session) return refusal(503, 'There is no room for another session', { id, headers: retryLater })
  const result = {
    protocolVersion: version,
    capabilities,
    serverInfo: info,
    ...(instructions !== undefined && { instructions }),
  }
  return Response.json(rpcResult(id, result), { headers: session ? { [sessionHeader]: session.id } : {} })
}

const retryLater = { 'retry-after': '60' }
