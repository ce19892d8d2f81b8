// What a log says will happen next, for a run that is made to happen again.
import type { Json } from '../json/value.ts'
import type { LogRecord } from '../journal/log.ts'
import { isDelta, joinDelta } from '../message/delta.ts'
import type { Delta } from '../message/delta.ts'
import type { RunEvent } from '../message/event.ts'
import type { Message } from '../message/part.ts'

/** A part of a run between two starts, and how far it has come again. */
export interface Script {
  /** Events in order, and among them what came from outside. */
  readonly records: readonly LogRecord[]
  /** The record that comes next. */
  next: number
  /** An abort comes next. */
  onAbort?: (() => void) | undefined
  onAside?: ((event: RunEvent) => void) | undefined
  /** The places of records that were heard. */
  readonly heard: Set<number>
  /** What of it was heard, where it streams. */
  delta?: Delta | undefined
  /** What the model said, response by response, with the provider's own data. */
  readonly answers: Message[]
  /** The place of each call among all that were made. */
  readonly order: ReadonlyMap<string, number>
  /** What people gave as results, by call id. */
  readonly results: ReadonlyMap<string, Json>
  /** What tools gave, by call id, where the log has more than the model reads. */
  readonly values: ReadonlyMap<string, unknown>
  /** Where it is not as it was. */
  differs?: { readonly seq: number; readonly wanted: string; readonly got: string } | undefined
}

const outside = new Set(['journal-abort', 'journal-steer'])

export function scriptOf(records: readonly LogRecord[]): Script {
  const said = records.filter(({ type, data }) => type === 'journal-said' && data['path'] === undefined)
  const messages = said.flatMap(({ data }) => data['messages'] as readonly Message[])
  return {
    records: records.filter(({ type }) => !type.startsWith('journal-') || outside.has(type)),
    next: 0,
    heard: new Set(),
    order: new Map(
      records.flatMap(({ type, data }, index) => (type === 'tool-call' ? [[data['callId'] as string, index]] : [])),
    ),
    results: new Map(
      records.flatMap(({ type, data }) =>
        type === 'journal-result' ? [[data['callId'] as string, data['result'] as Json]] : [],
      ),
    ),
    values: new Map(
      records.flatMap(({ type, data }) =>
        type === 'journal-value' && data['path'] === undefined ? [[data['callId'] as string, data['value']]] : [],
      ),
    ),
    answers: messages.filter(({ role }) => role === 'assistant'),
  }
}

export const nextOf = ({ records, next }: Script): LogRecord | undefined => records[next]

export const eventOf = ({ data }: LogRecord): RunEvent => data as unknown as RunEvent

export const isOver = (script: Script): boolean => script.differs !== undefined || nextOf(script) === undefined

/** The next event of this type and call, whatever comes between. */
export function comingEvent<Type extends RunEvent['type']>(
  { records, next }: Script,
  type: Type,
  fits: (event: Extract<RunEvent, { readonly type: Type }>) => boolean = () => true,
): Extract<RunEvent, { readonly type: Type }> | undefined {
  for (let index = next; index < records.length; index++) {
    const event = eventOf(records[index] as LogRecord)
    if (event.type === type && event.path === undefined && fits(event as never)) return event as never
  }
  return undefined
}

/**
 * An event that the run made: is it one that comes next? What happens side by side within a step has no order of its own:
 * there the log's order holds. A log has joined what streamed in pieces.
 */
export function hear(script: Script, event: RunEvent): void {
  if (script.differs) return
  const next = nextOf(script)
  const said = script.delta ? (joinDelta(script.delta, event) ?? event) : event
  const wanted = next && eventOf(next)
  script.delta = undefined
  if (wanted && isDelta(wanted) && isDelta(said) && isBeginningOf(said, wanted)) {
    script.delta = said
    return
  }
  const place = placeOf(script, said)
  if (place === undefined) {
    script.differs = { seq: event.seq, wanted: wanted ? describe(wanted) : 'nothing more', got: describe(event) }
    return
  }
  script.heard.add(place)
  if (place === script.next) advance(script)
}

const isBeginningOf = (said: Delta, wanted: Delta): boolean =>
  said.delta.length < wanted.delta.length &&
  wanted.delta.startsWith(said.delta) &&
  sameEvent({ ...said, delta: wanted.delta }, wanted)

/** Of the first record that says this and was not heard yet, up to the end of the step. */
function placeOf({ records, next, heard }: Script, event: RunEvent): number | undefined {
  for (let index = next; index < records.length; index++) {
    const record = records[index] as LogRecord
    const wanted = eventOf(record)
    if (!heard.has(index) && sameEvent(wanted, event)) return index
    if (isBoundary(wanted) && !heard.has(index)) return undefined
  }
  return undefined
}

const isBoundary = ({ type, path }: RunEvent): boolean =>
  path === undefined && (type === 'step-start' || type === 'step-end' || type === 'run-end' || type === 'error')

/** Pieces of a text may be empty, but a log that says so of too many was not written by a run. */
const mostEmpty = 10_000

/** The pieces in which the text at this place streamed: so many that the count of events is the same. */
export function pieces({ records, next }: Script, text: string): readonly string[] {
  const seqOf = (index: number): number => Number(records[index]?.data['seq'] ?? 0)
  const count = seqOf(next) - Math.max(0, ...[next - 1].filter((index) => index >= 0).map(seqOf))
  const most = Math.min(count - 1, text.length + mostEmpty)
  const short = Array.from({ length: Math.max(0, most) }, (_, index) => text.slice(index, index + 1))
  return [...short, text.slice(short.length)]
}

/** What answered too late and what observers threw is no part of the run: it is told of where the log has it. */
export function advance(script: Script): void {
  while (script.heard.has(script.next)) script.next++
  const next = nextOf(script)
  const event = next && eventOf(next)
  if (next?.type === 'journal-abort') script.onAbort?.()
  else if (event && isAside(event)) script.onAside?.(event)
}

/** Takes the record that comes next for done. */
export function pass(script: Script): void {
  script.heard.add(script.next)
  advance(script)
}

const isAside = (event: RunEvent): boolean =>
  event.type === 'observer-error' || (event.type === 'warning' && event.code === 'late-result')

/** Of the clock, and of how often something happened before. */
const clock = new Set(['at', 'durationMs', 'seq'])

const sameEvent = (left: RunEvent, right: RunEvent): boolean => comparable(left) === comparable(right)

const comparable = (event: RunEvent): string =>
  JSON.stringify(event, (key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([name]) => key !== '' || !clock.has(name))
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : value,
  )

const describe = (event: RunEvent): string => comparable(event).slice(0, 300)
