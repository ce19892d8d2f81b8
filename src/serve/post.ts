// One POST: a message, or in the oldest revision several, and what becomes of it.
import type { Host } from '../host/host.ts'
import { invalidRequestCode } from '../json-rpc/error-code.ts'
import { messageId, readMessage, rpcFailure } from '../json-rpc/message.ts'
import type { ReceivedMessage, RpcMessage } from '../json-rpc/message.ts'
import { own } from '../json/value.ts'
import type { Line, McpAccess } from '../served-tools/caller.ts'
import { initialize, isStatelessMessage, sessionCaller, statelessCaller } from './callers.ts'
import type { SessionCaller } from './callers.ts'
import { respond } from './exchange.ts'
import type { Answered } from './exchange.ts'
import { postedJson, refusal, takenBy } from './gate.ts'
import type { Takes } from './gate.ts'
import { answerTo } from './methods.ts'
import type { McpService, RequestMessage } from './methods.ts'

export async function post(server: McpService, request: Request, access: McpAccess): Promise<Response> {
  const takes = takenBy(request)
  if (!takes.json && !takes.events) return refusal(406, 'Wanted to Accept application/json or text/event-stream')
  const posted = await postedJson(request, server)
  if (posted instanceof Response) return posted
  const { headers, signal } = request
  const exchange = { host: server.host, takes, signal }
  const { value } = posted
  if (Array.isArray(value)) return postBatch(server, value, { headers, access, exchange })
  const message = readMessage(value)
  if (!message) return refusal(400, 'Wanted a message of JSON-RPC 2.0', { id: messageId(value) })
  const isAlone = isStatelessMessage(headers, message)
  if (isAlone && message.type === 'request') {
    const caller = statelessCaller(headers, message, access)
    if (caller instanceof Response) return caller
    return respond(exchange, (line) => answerTo(server, caller, message, line))
  }
  if (isAlone && message.type === 'notification') return accepted()
  if (message.type === 'request' && message.method === 'initialize') return initialize(server, message, access)
  const caller = sessionCaller(server, headers, access)
  if (caller instanceof Response) return caller
  if (message.type === 'request') return respond(exchange, (line) => atWork(server, caller, message, line))
  return heed(caller, message) ? accepted() : refusal(400, 'There is no such question')
}

const accepted = (): Response => new Response(null, { status: 202 })

/** One request of a client that may take it back. */
async function atWork(
  server: McpService,
  caller: SessionCaller,
  message: RequestMessage,
  line: Line,
): Promise<Answered> {
  const { calls } = caller.session ?? { calls: new Map() }
  const { id } = message
  if (calls.has(id)) {
    const error = { code: invalidRequestCode, message: 'Wanted an id of its own: a request with this one is at work' }
    return { status: 400, message: rpcFailure(id, error) }
  }
  const cancelling = new AbortController()
  calls.set(id, () => cancelling.abort('The client took it back'))
  try {
    return await answerTo(server, { ...caller, cancelled: cancelling.signal }, message, line)
  } finally {
    calls.delete(id)
  }
}

/** What wants no answer. False for the answer to a question that nobody asked in this session. */
function heed({ session }: SessionCaller, message: Exclude<ReceivedMessage, RequestMessage>): boolean {
  if (message.type === 'notification') {
    const id = own(message.params, 'requestId')
    if (message.method === 'notifications/cancelled') session?.calls.get(id as string)?.()
    return true
  }
  const take = message.id === undefined ? undefined : session?.questions.get(message.id)
  take?.(message)
  return take !== undefined
}

interface Posting {
  readonly headers: Headers
  readonly access: McpAccess
  readonly exchange: { readonly host: Host; readonly takes: Takes; readonly signal: AbortSignal }
}

const maxBatch = 50

/** Several messages at once, which only the oldest revision allows. */
function postBatch(server: McpService, values: readonly unknown[], posting: Posting): Response | Promise<Response> {
  const { headers, access, exchange } = posting
  const caller = sessionCaller(server, headers, access)
  if (caller instanceof Response) return caller
  if (caller.version !== '2025-03-26') return refusal(400, `Wanted one message: ${caller.version} has no batches`)
  if (values.length === 0 || values.length > maxBatch)
    return refusal(400, `Wanted 1 to ${maxBatch} messages, got ${values.length}`)
  const messages = values.map((value) => readMessage(value))
  for (const message of messages) if (message && message.type !== 'request') heed(caller, message)
  const asking = messages.flatMap((message, index) => (message && message.type !== 'request' ? [] : [index]))
  if (asking.length === 0) return accepted()
  return respond(exchange, async (line) => {
    const each = await Promise.all(
      asking.map(async (index): Promise<RpcMessage | undefined> => {
        const message = messages[index] as RequestMessage | undefined
        const invalid = { code: invalidRequestCode, message: 'Wanted a message of JSON-RPC 2.0' }
        if (!message) return rpcFailure(messageId(values[index]), invalid)
        return (await atWork(server, caller, message, line)).message as RpcMessage | undefined
      }),
    )
    const answers = each.filter((answer) => answer !== undefined)
    return { status: 200, message: answers.length ? answers : undefined }
  })
}
