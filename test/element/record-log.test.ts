import { describe, expect, it } from 'vitest'
import { joinedRecords, keptRecords, recordLog } from '../../element/session/record-log.ts'
import { runRecords, said } from './events.ts'

describe('recordLog()', () => {
  it('tells listeners until they leave', () => {
    const log = recordLog([said('before')])
    const heard: string[] = []
    const leave = log.subscribe(({ type }) => heard.push(type))
    log.add(said('a'))
    leave()
    log.add(said('b'))
    expect(heard).toEqual(['user'])
    expect(log.records).toHaveLength(3)
  })
})

describe('joinedRecords()', () => {
  it('joins the deltas of one block only', () => {
    const records = runRecords('r', [
      { type: 'text-delta', step: 1, id: 'a', delta: 'x' },
      { type: 'text-delta', step: 1, id: 'a', delta: 'y' },
      { type: 'text-delta', step: 1, id: 'b', delta: 'z' },
      { type: 'text-end', step: 1, id: 'b' },
      { type: 'text-delta', step: 2, id: 'a', delta: 'w' },
    ])
    const deltas = joinedRecords(records).map((record) =>
      record.type === 'event' && 'delta' in record.event ? record.event.delta : '-',
    )
    expect(deltas).toEqual(['xy', 'z', '-', 'w'])
  })
})

describe('keptRecords()', () => {
  it('keeps whole runs from the newest on, and says that older ones are gone', () => {
    const records = [
      said('one'),
      ...runRecords('r1', [{ type: 'run-start' }]),
      said('two'),
      ...runRecords('r2', [{ type: 'run-start' }]),
    ]
    const last = JSON.stringify(records.slice(2)).length
    const kept = keptRecords(records, last)
    expect(kept.map((record) => (record.type === 'user' ? record.text : record.type))).toEqual(['cut', 'two', 'event'])
    expect(keptRecords(records, 100_000)).toEqual(records)
  })
})
