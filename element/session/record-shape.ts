// Whether a record has all that is drawn of it: records come from storage and from workers, which may hold or send anything.
import { isObject } from '../../src/json/value.ts'
import { own } from '../../src/json/value.ts'
import type { ChatRecord } from './session.ts'

type Check = (value: unknown) => boolean

export const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isBoolean: Check = (value) => typeof value === 'boolean'
const isThere: Check = (value) => value !== undefined

const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)

/** An object whose own fields fit; it may have others. */
export const fields =
  (shape: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(shape).every(([key, check]) => check(own(value, key)))

/** The checks by the object's own `type`; `other` for a type that is not in the table. */
const byType =
  (table: Readonly<Record<string, Check>>, other: Check): Check =>
  (value) => {
    const type = own(value, 'type')
    return isText(type) && (Object.hasOwn(table, type) ? (table[type] as Check) : other)(value)
  }

const isSource = fields({ url: maybe(isText), document: maybe(isText), title: maybe(isText) })
const isFile = fields({ mediaType: isText, data: maybe(isText), url: maybe(isText), name: maybe(isText) })
const partTable = { text: fields({ text: isText }), json: fields({ value: isThere }), file: isFile }
const isContent = byType(partTable, isSource)

const isUsage: Check = (value) => isObject(value) && Object.values(value).every(isNumber)
const isOutcome = fields({ ok: isBoolean, parts: listOf(isContent), reason: maybe(isText) })
const isPreview = fields({ summary: isText, diff: maybe(isText) })

const step = { step: isNumber }
const block = { ...step, id: isText }
const delta = { ...block, delta: isText }
const call = { ...step, callId: isText, name: isText }
const words = { code: isText, message: isText }

const eventTable: Readonly<Record<string, Check>> = {
  'run-start': fields({ model: maybe(isText) }),
  'step-start': fields(step),
  'text-start': fields(block),
  'text-delta': fields(delta),
  'text-end': fields(block),
  'reasoning-start': fields(block),
  'reasoning-delta': fields(delta),
  'reasoning-end': fields(block),
  'tool-input-start': fields({ ...block, callId: maybe(isText), name: isText }),
  'tool-input-delta': fields(delta),
  'tool-call': fields({
    ...call,
    input: isThere,
    id: maybe(isText),
    coercions: maybe(listOf(fields({ path: isText }))),
  }),
  'approval-request': fields({
    ...call,
    input: isThere,
    why: isText,
    effect: isText,
    reason: maybe(isText),
    preview: maybe(isPreview),
  }),
  'approval-response': fields({ ...call, decision: isText, reason: maybe(isText) }),
  'tool-start': fields(call),
  'tool-progress': fields({ ...call, value: isThere }),
  'tool-end': fields({ ...call, outcome: isOutcome, durationMs: maybe(isNumber) }),
  source: fields({ source: isSource }),
  file: fields({ file: isFile }),
  usage: fields({ ...step, usage: isUsage }),
  retry: fields({ reason: isText }),
  'step-reset': fields({ ...step, reason: isText }),
  warning: fields(words),
  error: fields(words),
  'run-end': fields({ status: isText, stop: isText }),
}

const isEvent = fields({ run: isText, seq: isNumber, at: isNumber, path: maybe(listOf(isText)) })
// Types that this page does not know are not drawn.
const isKnownEvent = byType(eventTable, () => true)

const noted = fields({ id: isText })

const isDrawn = byType(
  {
    user: fields({ id: isText, text: isText }),
    event: fields({ event: (value) => isEvent(value) && isKnownEvent(value) }),
    failure: fields({ ...words, id: isText }),
    interrupted: noted,
    dropped: noted,
    cut: noted,
    connection: fields({ state: isText }),
  },
  () => false,
)

/** Whether a chat and a timeline can draw this record; what they cannot draw they leave out. */
export const isRecord = (value: unknown): value is ChatRecord => isDrawn(value)

const messagePart = byType(
  {
    text: fields({ text: isText }),
    'tool-call': fields({ callId: isText, name: isText, input: isThere }),
    'tool-result': fields({ callId: isText, name: isText, ok: isBoolean, content: listOf(isContent) }),
  },
  () => true,
)

/** Whether a value of unknown make is a list of messages. */
export const isMessageList: Check = listOf(fields({ role: isText, content: listOf(messagePart) }))
