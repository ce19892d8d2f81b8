// One connection: requests by id, what comes for them, and what the server asks in between.
import type { SameloopError } from '../error/error.ts'
import type { Host } from '../host/host.ts'
import { cut } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import { internalErrorCode, methodNotFoundCode } from '../json-rpc/error-code.ts'
import { readMessage, rpcFailure, rpcNotification, rpcRequest, rpcResult } from '../json-rpc/message.ts'
import type { ReceivedMessage, RpcError, RpcId, RpcMessage } from '../json-rpc/message.ts'
import { isStateless } from '../mcp-protocol/version.ts'
import type { ProtocolVersion } from '../mcp-protocol/version.ts'
import { clientCapabilitiesKey, clientInfoKey, versionKey } from '../mcp-protocol/wire.ts'
import { deadline, joinSignals, listen } from '../stream/signal.ts'
import type { ToolContext } from '../tool/context.ts'
import { serverError } from './transport.ts'
import type { Transport } from './transport.ts'

/** What a client is told about its server, and who answers what the server asks. */
export interface LinkOptions {
  readonly name: string
  readonly host: Host
  /** What the client can do for servers, as the protocol writes it. */
  readonly capabilities: JsonObject
  /** Answers a request of the server; `undefined` where nothing of the kind is offered. `context` is of the call it is for. */
  answer(method: string, params: JsonObject, context: ToolContext | undefined): Promise<JsonObject> | undefined
  /** Told that a list changed: `tools`, `resources` or `prompts`. */
  changed(list: string): void
  /** Told what the server did wrong, which was ignored. */
  warn(text: string): void
}

export interface Link {
  readonly options: LinkOptions
  readonly transport: Transport
  version: ProtocolVersion | undefined
  /** What the server says of itself. */
  facts: JsonObject
  lastId: number
  readonly pending: Map<RpcId, Pending>
  /** Questions of the server that are being answered. */
  asked: number
  ended: SameloopError | undefined
  /** Whether changes are listened for. */
  isHeard: boolean
  /** Ends what is listened to. */
  readonly life: AbortController
}

interface Pending {
  readonly context: ToolContext | undefined
  /** What the server asked for it. */
  questions: number
  progress: number
  reports: number
  resolve(result: JsonObject): void
  reject(reason: unknown): void
}

export interface Exchange {
  readonly signal?: AbortSignal | undefined
  /** Of the tool call it is for: it hears of progress, and what the server asks is asked in its run. */
  readonly context?: ToolContext | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly timeoutMs?: number | undefined
}

export const clientInfo = { name: 'sameloop', version: '0.1.0' } as const

const maxReports = 1000
const maxAsked = 16
/** Of one request, over its time: a person, and a model, are not asked without end. */
const maxQuestions = 100
const maxBatch = 1000
/** How long the word that a request is over may take. */
const farewellMs = 5000

export const makeLink = (options: LinkOptions, transport: Transport): Link => ({
  options,
  transport,
  version: undefined,
  facts: {},
  lastId: 0,
  pending: new Map(),
  asked: 0,
  ended: undefined,
  isHeard: false,
  life: new AbortController(),
})

/** Ends the link: whoever waits is told why. */
export function endLink(link: Link, reason: SameloopError): void {
  link.ended ??= reason
  for (const pending of [...link.pending.values()]) pending.reject(reason)
  link.life.abort(reason)
}

/** A request and its result. Throws `source-failed` for an error of the server, for no answer and for a late one. */
export function exchange(link: Link, method: string, params: JsonObject, how: Exchange = {}): Promise<JsonObject> {
  const { transport, options, pending } = link
  const { context, headers } = how
  if (link.ended) return Promise.reject(link.ended)
  const id = ++link.lastId
  const life = new AbortController()
  const limit = limited(link, method, how)
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      pending.delete(id)
      forget()
      limit.release()
    }
    const mine: Pending = {
      context,
      questions: 0,
      progress: -Infinity,
      reports: 0,
      resolve: (result) => {
        settle()
        resolve(result)
      },
      reject: (reason) => {
        settle()
        reject(reason)
        life.abort(reason)
      },
    }
    let forget = (): void => undefined
    pending.set(id, mine)
    const isOpen = (): boolean => pending.get(id) === mine
    forget = listen(limit.signal, (reason) => {
      giveUp(link, id, method)
      mine.reject(reason)
    })
    const message = rpcRequest(id, method, withMeta(link, params, context && id))
    const receiving = (value: unknown): void => receive(link, value, mine)
    transport.send(message, { version: link.version, signal: life.signal, headers, receive: receiving, isOpen }).then(
      () => {
        if (transport.isHttp && isOpen())
          mine.reject(serverError(options.name, `ended its answer to "${method}" without a result`))
      },
      (thrown: unknown) => {
        if (isOpen()) mine.reject(thrown)
      },
    )
  })
}

function limited(link: Link, method: string, { signal, timeoutMs }: Exchange): ReturnType<typeof joinSignals> {
  const { host, name } = link.options
  if (timeoutMs === undefined) return joinSignals([signal])
  const reason = (): SameloopError =>
    serverError(name, `did not answer "${method}" within ${timeoutMs} ms`, { retryable: true, data: { timeoutMs } })
  return deadline(host, { ms: timeoutMs, signal, reason })
}

/** A stateless request says who asks, and what they can do. */
function withMeta({ version, options }: Link, params: JsonObject, progressToken: number | undefined): JsonObject {
  const meta = {
    ...(progressToken !== undefined && { progressToken }),
    ...(isStateless(version) && {
      [versionKey]: version,
      [clientInfoKey]: clientInfo,
      [clientCapabilitiesKey]: options.capabilities,
    }),
  }
  return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params
}

/** Without sessions the end of an HTTP request says it; a handshake is never called off. */
function giveUp(link: Link, requestId: RpcId, method: string): void {
  if (method === 'initialize' || (link.transport.isHttp && isStateless(link.version))) return
  tell(link, rpcNotification('notifications/cancelled', { requestId, reason: 'Nobody waits for it any more' }))
}

/** Sends what has no answer; that it could not be sent matters to nobody. */
function tell(link: Link, message: RpcMessage): void {
  const { signal, release } = deadline(link.options.host, { ms: farewellMs, reason: () => undefined })
  const delivery = { version: link.version, signal, receive: () => undefined, isOpen: () => false }
  void link.transport
    .send(message, delivery)
    .catch(() => undefined)
    .finally(release)
}

/** Takes in what a server sent; `of` is the request on whose answer it came. */
export function receive(link: Link, value: unknown, of?: Pending): void {
  const { warn } = link.options
  const batch = Array.isArray(value) ? (value as readonly unknown[]) : [value]
  if (batch.length > maxBatch)
    return warn(`A batch of ${batch.length} messages was ignored: at most ${maxBatch} are read`)
  for (const item of batch) {
    const message = readMessage(item)
    if (message) take(link, message, of)
    else warn('What is no message of JSON-RPC 2.0 was ignored')
  }
}

function take(link: Link, message: ReceivedMessage, of: Pending | undefined): void {
  const { warn, name } = link.options
  switch (message.type) {
    case 'request':
      return question(link, message, of)
    case 'notification':
      return notice(link, message.method, message.params)
    case 'result':
    case 'error': {
      const pending = message.id === undefined ? of : link.pending.get(message.id)
      if (!pending) warn('An answer was ignored: its request is over, or was never made')
      else if (message.type === 'result') pending.resolve(message.result)
      else pending.reject(answeredError(name, message.error))
    }
  }
}

/** The error that a server answered with. */
export function answeredError(name: string, { code, message, data }: RpcError, status?: number): SameloopError {
  const supported = own(data, 'supported')
  const said = cut(message.trim(), 500)
  return serverError(name, `answered with error ${code}${said === '' ? '' : `: ${said}`}`, {
    data: { code, ...(status !== undefined && { status }), ...(Array.isArray(supported) && { supported }) },
  })
}

function notice(link: Link, method: string, params: JsonObject): void {
  const [, list] = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method) ?? []
  if (list !== undefined) return link.options.changed(list)
  if (method === 'notifications/progress') progressed(link, params)
}

/** Only what goes on counts, and not without end. */
function progressed({ pending }: Link, params: JsonObject): void {
  const of = pending.get(own(params, 'progressToken') as RpcId)
  const progress = own(params, 'progress')
  const [total, message] = [own(params, 'total'), own(params, 'message')]
  if (!of?.context || typeof progress !== 'number' || !(progress > of.progress) || of.reports >= maxReports) return
  of.progress = progress
  of.reports++
  const value: Json = {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message: cut(message, 500) }),
  }
  of.context.progress(value)
}

function question(
  link: Link,
  { id, method, params }: ReceivedMessage & { type: 'request' },
  of: Pending | undefined,
): void {
  const { warn, answer } = link.options
  const refuse = (code: number, message: string): void => tell(link, rpcFailure(id, { code, message }))
  // Its questions come as results, and an answer would be refused.
  if (isStateless(link.version)) return warn(`A request of the server ("${cut(method, 80)}") was ignored`)
  if (method === 'ping') return tell(link, rpcResult(id, {}))
  if (link.asked >= maxAsked) return refuse(internalErrorCode, 'Too many questions at once')
  const about = of?.context ? of : onlyOne(link)
  if (about && about.questions >= maxQuestions) return refuse(internalErrorCode, 'Too many questions for one request')
  const answering = answer(method, params, about?.context)
  if (about) about.questions++
  if (!answering) return refuse(methodNotFoundCode, 'This client offers no such method')
  link.asked++
  answering
    .then(
      (result) => tell(link, rpcResult(id, result)),
      () => refuse(internalErrorCode, 'The question could not be answered'),
    )
    .finally(() => link.asked--)
}

/** On a shared channel nobody says which call a question is for: it is clear where all of them are of one run. */
function onlyOne({ pending }: Link): Pending | undefined {
  const all = [...pending.values()].filter(({ context }) => context)
  const run = all[0]?.context?.run.id
  return all.every(({ context }) => context?.run.id === run) ? all.at(-1) : undefined
}

/** What a server said of itself under a name, where that is an object. */
export const capability = ({ facts }: Pick<Link, 'facts'>, name: string): JsonObject | undefined => {
  const value = own(own(facts, 'capabilities'), name)
  return isObject(value) ? value : undefined
}
