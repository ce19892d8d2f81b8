// What a session's object answers to the requests that `agentRoutes` passes on: authorised, small and for this session.
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { activeRun } from '../session/conversation.ts'
import type { Conversation } from '../session/conversation.ts'
import { eventStream } from '../event-log/event-stream.ts'
import { fileBytes, listFiles, putFile } from './file-routes.ts'
import { checkedCursor, checkedDecision, checkedStart } from './request.ts'
import { isRefusal } from './response.ts'
import type { Refusal } from '../refusal.ts'
import { decideCall, startRun, stopRun } from '../runs/run-control.ts'
import { stateOf } from '../session/session-state.ts'

export interface SessionServer {
  readonly conversation: Conversation
  readonly files: () => Vfs
  /** What ends each of the open streams, the oldest first. */
  readonly streams: Set<() => void>
  /** The session's server of the Model Context Protocol. */
  readonly mcp: (() => (request: Request) => Promise<Response>) | undefined
}

/** The header in which `agentRoutes` tells the object which session it is. */
export const sessionHeader = 'x-sameloop-session'

/** Where `agentRoutes` passes on what is for the server of the Model Context Protocol. */
export const mcpPath = '/mcp'

type Handler = (server: SessionServer, request: Request) => Promise<object> | object

const maxStreams = 64

/** By method and path below the session. */
const handlers: Readonly<Record<string, Handler>> = {
  'GET /': ({ conversation }) => stateOf(conversation),
  'POST /runs': async ({ conversation }, request) => {
    const start = await checkedStart(request, conversation.host)
    return isRefusal(start) ? start : conversation.serially(() => startRun(conversation, start))
  },
  'POST /decisions': async ({ conversation }, request) => {
    const decision = checkedDecision(await request.text())
    return isRefusal(decision) ? decision : conversation.serially(() => decideCall(conversation, decision))
  },
  'POST /stop': async ({ conversation }) => {
    await conversation.serially(() => stopRun(conversation))
    return { ok: true }
  },
  'GET /events': (server, request) => {
    const after = checkedCursor(request)
    return isRefusal(after) ? after : streamEvents(server, after)
  },
  'GET /files': (server, request) => listFiles(server.files(), request),
  'GET /file': (server, request) => fileBytes(server.files(), request),
  'PUT /file': (server, request) => putFile(server.files(), request),
}

/** The paths below a session, each with its methods. */
export function sessionMethods(path: string): readonly string[] {
  return Object.keys(handlers).flatMap((key) => (key.endsWith(` ${path}`) ? [key.slice(0, key.indexOf(' '))] : []))
}

/** A response, or what becomes one. May throw. */
export async function serveSession(server: SessionServer, request: Request): Promise<object> {
  const { pathname } = new URL(request.url)
  if (pathname === mcpPath && server.mcp) return server.mcp()(request)
  const key = `${request.method} ${pathname}`
  const handler = Object.hasOwn(handlers, key) ? handlers[key] : undefined
  return handler === undefined
    ? { status: 404, code: 'not-found', message: 'There is nothing here' }
    : handler(server, request)
}

function streamEvents(server: SessionServer, after: number): Response | Refusal {
  const { conversation } = server
  const { log, host, onError } = conversation
  if (after > log.last)
    return { status: 409, code: 'unknown-event', message: `There is no event ${after}, the last is ${log.last}` }
  // That a client has left shows only at the second ping after it, so the oldest are the ones to go. One that is still
  // there comes back by itself, with its Last-Event-ID.
  const [oldest] = server.streams
  if (server.streams.size >= maxStreams) oldest?.()
  const closing = (): 'suspended' | 'idle' | undefined => {
    const status = activeRun(conversation)?.status
    if (status === 'running') return undefined
    return status === 'suspended' ? 'suspended' : 'idle'
  }
  const { body, close } = eventStream({ log, host, closing, onError }, after, () => void server.streams.delete(close))
  server.streams.add(close)
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
