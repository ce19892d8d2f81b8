// Streamable HTTP: every message is a request, answered by JSON or by a stream of events that may be resumed.
import { SameloopError, isSameloopError } from '../error/error.ts'
import { isJsonType, mediaTypeOf, readBytes } from '../http/body.ts'
import { scrubbedJson } from '../http/scrub.ts'
import { parseJson, stringifyJson } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { RpcMessage } from '../json-rpc/message.ts'
import { encodeHeaderValue } from '../mcp-protocol/header-value.ts'
import { isStateless } from '../mcp-protocol/version.ts'
import { methodHeader, nameHeader, namedMethods, sessionHeader } from '../mcp-protocol/wire.ts'
import { deadline, sleep } from '../stream/signal.ts'
import { beginning, readEvents } from './event-stream.ts'
import type { Place } from './event-stream.ts'
import { ask, cancel, makeLine } from './http-request.ts'
import type { Answered, HttpLine, HttpTarget } from './http-request.ts'
import { serverError } from './transport.ts'
import type { Delivery, Transport } from './transport.ts'

/** Connections in a row that say nothing, after which a stream is given up. */
const maxVainTries = 4
/** A server may ask for a longer pause; nobody waits so long for an answer. Nor is it asked again and again at once. */
const longestPauseMs = 60_000
const shortestPauseMs = 100
const farewellMs = 5000

export function httpTransport(target: HttpTarget): Transport {
  const line = makeLine(target)
  let version: string | undefined
  return {
    isHttp: true,
    open: async () => undefined,
    async send(message, delivery) {
      version = delivery.version
      const answered = await ask(line, {
        method: 'POST',
        body: stringifyJson(message),
        version,
        headers: isStateless(version) ? { ...metadata(message), ...delivery.headers } : undefined,
        signal: delivery.signal,
      })
      if (own(message, 'method') === 'initialize') line.session = sessionOf(target, answered.response)
      await readAnswer(line, answered, delivery, 'id' in message && 'method' in message)
    },
    async listen(delivery) {
      const place = beginning(Infinity)
      await follow(line, place, delivery, await connect(line, place, delivery))
    },
    async close() {
      const { session } = line
      line.session = undefined
      if (session === undefined) return
      const { signal, release } = deadline(target.host, { ms: farewellMs, reason: () => undefined })
      // Some servers do not allow it, and some are gone.
      await ask({ ...line, session }, { method: 'DELETE', version, signal })
        .then(({ response }) => cancel(response))
        .catch(() => undefined)
        .finally(release)
    },
  }
}

/** What intermediaries read: it must say the same as the body. */
function metadata(message: RpcMessage): Readonly<Record<string, string>> {
  const method = own(message, 'method')
  if (typeof method !== 'string') return {}
  const name = own(own(message, 'params'), String(own(namedMethods, method)))
  return { [methodHeader]: method, ...(typeof name === 'string' && { [nameHeader]: encodeHeaderValue(name) }) }
}

function sessionOf({ name }: HttpTarget, { headers }: Response): string | undefined {
  const session = headers.get(sessionHeader) ?? undefined
  if (session === undefined || /^[!-~]{1,1024}$/.test(session)) return session
  throw serverError(name, 'gave a session a name that cannot be sent back')
}

/** A server may say again what it was told. */
const scrubbing =
  ({ hasSecrets, scrub }: Answered, receive: Delivery['receive']): Delivery['receive'] =>
  (message) =>
    receive(hasSecrets ? scrubbedJson(message as Json, scrub) : message)

async function readAnswer(line: HttpLine, answered: Answered, delivery: Delivery, isRequest: boolean): Promise<void> {
  const { response, scrub } = answered
  const { name, maxResponseBytes } = line.target
  const type = mediaTypeOf(response.headers.get('content-type') ?? '')
  if (!isRequest || response.status === 202 || response.status === 204) return cancel(response)
  if (type === 'text/event-stream') return follow(line, beginning(maxResponseBytes), delivery, answered)
  if (!isJsonType(type)) {
    await cancel(response)
    throw serverError(name, `answered with "${scrub(type)}", wanted JSON or an event stream`, {
      data: { status: response.status },
    })
  }
  const bytes = await readBytes(response.body, maxResponseBytes, delivery.signal).catch((cause: unknown) => {
    delivery.signal.throwIfAborted()
    throw serverError(name, 'broke its answer off', { cause, retryable: true })
  })
  if (bytes === undefined) throw tooLarge(line)
  const parsed = parseJson(new TextDecoder().decode(bytes))
  if (!parsed.ok)
    throw serverError(name, 'announced JSON and sent something else', { data: { status: response.status } })
  scrubbing(answered, delivery.receive)(parsed.value)
}

const tooLarge = ({ target: { name, maxResponseBytes } }: HttpLine): SameloopError =>
  new SameloopError(
    'stream-too-large',
    `The answer of the MCP server "${name}" has more than ${maxResponseBytes} bytes`,
    {
      data: { limit: maxResponseBytes },
    },
  )

/** Reads a stream over as many connections as it takes. A stateless server resumes none: what it was asked is lost. */
async function follow(line: HttpLine, place: Place, delivery: Delivery, first: Answered | undefined): Promise<void> {
  const { host, maxResponseBytes, warn } = line.target
  let answered = first
  for (let vain = 0; vain < maxVainTries;) {
    const { count } = place
    if (answered) {
      const receive = scrubbing(answered, delivery.receive)
      const reading = { ...delivery, receive, warn, maxEventChars: maxResponseBytes }
      if ((await readEvents(answered.response.body, place, reading)) === 'limit') throw tooLarge(line)
    }
    if (!delivery.isOpen() || isStateless(delivery.version)) return
    // What has no id cannot be resumed; what nobody asked for begins anew.
    if (place.id === '' && place.left < Infinity) return
    vain = place.count > count ? 0 : vain + 1
    if (vain >= maxVainTries) return
    await sleep(host, Math.min(Math.max(place.retryMs, shortestPauseMs), longestPauseMs), delivery.signal)
    answered = await connect(line, place, delivery)
  }
}

/** The stream from its place on; `undefined` where nobody could be reached. Throws where the server offers none. */
async function connect(line: HttpLine, place: Place, { version, signal }: Delivery): Promise<Answered | undefined> {
  const headers = place.id === '' ? undefined : { 'last-event-id': place.id }
  try {
    const answered = await ask(line, { method: 'GET', version, headers, signal })
    const { response } = answered
    if (mediaTypeOf(response.headers.get('content-type') ?? '') === 'text/event-stream') return answered
    await cancel(response)
    throw serverError(line.target.name, 'does not go on with its stream')
  } catch (thrown) {
    signal.throwIfAborted()
    if (isSameloopError(thrown) && thrown.retryable) return undefined
    throw thrown
  }
}
