// What a log says will happen next, for a run that is made to happen again.
import type { LogRecord } from '../journal/log.ts'
import { isDelta, joinDelta } from '../message/delta.ts'
import type { RunEvent } from '../message/event.ts'
import type { Message } from '../message/part.ts'

/** A part of a run between two starts, and how far it has come again. */
export interface Script {
  /** Events in order, and among them what came from outside. */
  readonly records: readonly LogRecord[]
  /** The record that comes next. */
  next: number
  /** What of it was heard, where it streams. */
  delta?: RunEvent | undefined
  /** What the model said, response by response, with the provider's own data. */
  readonly answers: Message[]
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

/** An event that the run made: is it the one that comes next? A log has joined what streamed in pieces. */
export function hear(script: Script, event: RunEvent): void {
  const record = nextOf(script)
  if (script.differs) return
  const said = script.delta ? (joinDelta(script.delta, event) ?? event) : event
  const wanted = record && eventOf(record)
  script.delta = undefined
  if (wanted && isDelta(wanted) && isDelta(said) && said.seq < wanted.seq && wanted.delta.startsWith(said.delta)) {
    script.delta = said
  } else if (wanted && sameEvent(wanted, said)) script.next++
  else script.differs = { seq: event.seq, wanted: wanted ? describe(wanted) : 'nothing more', got: describe(event) }
}

/** The pieces in which a text streamed: so many that the count of events is the same. */
export function pieces(text: string, count: number): readonly string[] {
  const short = Array.from({ length: Math.max(0, count - 1) }, (_, index) => text.slice(index, index + 1))
  return [...short, text.slice(short.length)]
}

const clock = new Set(['at', 'durationMs'])

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
