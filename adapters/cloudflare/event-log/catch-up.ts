// What a run's own log knows and the session's log does not: it was cut off between the two.
import type { LogRecord } from '../../../src/journal/log.ts'
import { isDelta } from '../../../src/message/delta.ts'
import type { Delta } from '../../../src/message/delta.ts'
import type { RunEvent } from '../../../src/message/event.ts'

/**
 * The events of `records` that come after the one with the run's own number `last`. `known` are the run's events in other
 * pieces, those of blocks that are not over all of them.
 */
export function missingEvents(
  records: readonly LogRecord[],
  known: readonly RunEvent[],
  last: number,
): readonly RunEvent[] {
  const later = records
    .filter(({ type }) => !type.startsWith('journal-'))
    .map(({ data }) => data as unknown as RunEvent)
  // A row of text may have begun before: of it only the rest is missing.
  const said = charsOf(known)
  const passed = new Map<string, number>()
  return later.flatMap((event) => {
    if (!isDelta(event)) return event.seq > last ? event : []
    const key = blockOf(event)
    const from = passed.get(key) ?? 0
    passed.set(key, from + event.delta.length)
    if (event.seq <= last) return []
    const delta = event.delta.slice(Math.max(0, (said.get(key) ?? 0) - from))
    return delta === '' ? [] : { ...event, delta }
  })
}

const blockOf = ({ type, step, id, path = [] }: Delta): string => JSON.stringify([type, step, id, path])

/** How many characters of each block are known. A step that began again has blocks of the same names. */
function charsOf(events: readonly RunEvent[]): Map<string, number> {
  const chars = new Map<string, number>()
  for (const event of events)
    if (isDelta(event)) chars.set(blockOf(event), (chars.get(blockOf(event)) ?? 0) + event.delta.length)
  return chars
}
