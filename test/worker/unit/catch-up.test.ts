// What the session's log lacks of a run's own, whose text is in rows of other lengths.
import { describe, expect, it } from 'vitest'
import { missingEvents } from '../../../adapters/cloudflare/event-log/catch-up.ts'
import type { LogRecord } from '../../../src/journal/log.ts'
import type { RunEvent } from '../../../src/message/event.ts'

const base = { at: 0, run: 'run_1' }
const delta = (seq: number, text: string, id = '0'): RunEvent => ({
  type: 'text-delta',
  step: 1,
  id,
  delta: text,
  seq,
  ...base,
})
const start = (seq: number, step = 1): RunEvent => ({ type: 'step-start', step, seq, ...base })
const log = (events: readonly RunEvent[]): readonly LogRecord[] =>
  events.map((data, index) => ({ seq: index + 1, type: data.type, data: data as unknown as LogRecord['data'] }))
const opening: LogRecord = { seq: 1, type: 'journal-open', data: { seq: 0 } }

describe('missingEvents()', () => {
  it('is all where nothing is known, but for records that are no events', () => {
    expect(missingEvents([opening, ...log([start(1), delta(3, 'ab')])], [], 0)).toEqual([start(1), delta(3, 'ab')])
  })
  it('is nothing where all is known', () => {
    expect(missingEvents(log([start(1), delta(3, 'ab')]), [start(1), delta(2, 'a'), delta(3, 'b')], 3)).toEqual([])
  })
  it('is nothing of what was said before the part that is known, which may be none', () => {
    const records = log([start(1), delta(3, 'ab'), start(4, 2), delta(5, 'c')])
    expect(missingEvents(records, [], 3)).toEqual([start(4, 2), delta(5, 'c')])
    expect(missingEvents(records, [], 5)).toEqual([])
  })
  it('is the rest of a text that was cut elsewhere', () => {
    const known = [start(1), delta(2, 'ab'), delta(3, 'cd')]
    expect(missingEvents(log([start(1), delta(4, 'abcdef'), start(5, 2)]), known, known.at(-1)?.seq ?? 0)).toEqual([
      delta(4, 'ef'),
      start(5, 2),
    ])
  })
  it('tells blocks apart, and those of a step that began again', () => {
    const first = [delta(2, 'ab'), delta(3, 'xy', '1')]
    const known = [start(1), ...first, start(4), delta(5, 'A')]
    const records = log([start(1), ...first, start(4), delta(6, 'AB'), delta(7, 'XY', '1')])
    expect(missingEvents(records, known, known.at(-1)?.seq ?? 0)).toEqual([delta(6, 'B'), delta(7, 'XY', '1')])
  })
})
