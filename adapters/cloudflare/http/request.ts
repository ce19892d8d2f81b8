// What clients send, checked before it is used.
import type { Host } from '../../../src/host/host.ts'
import type { Decision } from '../../../src/message/decision.ts'
import type { RunInput } from '../../../src/message/input.ts'
import { hex } from '../../../src/stream/bytes.ts'
import { isObject } from '../../../src/json/value.ts'
import { parseJson } from '../../../src/json/text.ts'
import type { Refusal } from '../refusal.ts'
import type { StartRequest } from '../runs/run-control.ts'

type JsonObject = Readonly<Record<string, unknown>>

const maxKey = 200
const maxReason = 10_000

const invalid = (wanted: string): Refusal => ({ status: 400, code: 'invalid-request', message: `Wanted ${wanted}` })

/** An id or a name. Whoever gave it chose its characters and its length: providers pack thousands into a call id. */
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const noObject = (): Refusal => invalid('a JSON object that nests at most 500 deep')

function objectOf(text: string): JsonObject | undefined {
  const parsed = parseJson(text)
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined
}

const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined)

/** The body and the Idempotency-Key of a start. What `input` holds is checked by the run. */
export async function checkedStart(request: Request, host: Pick<Host, 'digest'>): Promise<StartRequest | Refusal> {
  const key = request.headers.get('idempotency-key') ?? undefined
  if (key !== undefined && (key === '' || key.length > maxKey))
    return invalid(`an Idempotency-Key of 1 to ${maxKey} characters`)
  const text = await request.text()
  const body = objectOf(text)
  if (body === undefined) return noObject()
  const [input, model] = [own(body, 'input'), own(body, 'model')]
  if (typeof input === 'string' ? input.trim() === '' : !Array.isArray(input))
    return invalid('"input": a text or a list of messages')
  if (model !== undefined && !isText(model)) return invalid('"model": the id of a model')
  const digest = await host.digest(new TextEncoder().encode(text))
  return { input: input as RunInput, model, key, bodyHash: hex(digest) }
}

/**
 * A decision of the right shape, without what no decision has; whether it fits its call is the run's to say. What would be
 * written down but not done is refused: an input beside anything but an edit, a word beside a result.
 */
export function checkedDecision(text: string): Decision | Refusal {
  const body = objectOf(text)
  if (body === undefined) return noObject()
  const [callId, decision, reason] = [own(body, 'callId'), own(body, 'decision'), own(body, 'reason')]
  if (!isText(callId)) return invalid('"callId": the id of a call')
  if (Object.hasOwn(body, 'input') && decision !== 'edit') return invalid('"input" only with the decision "edit"')
  if (Object.hasOwn(body, 'result'))
    return decision === undefined
      ? ({ callId, result: body['result'] } as Decision)
      : invalid('"decision" or "result", got both')
  if (!isText(decision)) return invalid('"decision" or "result"')
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > maxReason)) {
    return invalid(`"reason": a text of at most ${maxReason} characters`)
  }
  const more = Object.hasOwn(body, 'input') ? { input: body['input'] } : {}
  return { callId, decision, ...(reason === undefined ? {} : { reason }), ...more } as Decision
}

/** The event after which to stream: `Last-Event-ID` where a client reconnects, else `?after=`, else all. */
export function checkedCursor(request: Request): number | Refusal {
  const asked = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? '0'
  return /^\d{1,15}$/.test(asked) ? Number(asked) : invalid('the number of an event')
}
