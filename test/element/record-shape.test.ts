import { describe, expect, it } from 'vitest'
import { isMessageList, isRecord } from '../../element/session/record-shape.ts'
import { callEvents, runRecords, said } from './events.ts'

const event = (more: object): unknown => ({ type: 'event', event: { seq: 1, at: 1, run: 'r', step: 1, ...more } })

describe('isRecord()', () => {
  it('takes what a run tells, and what a conversation notes', () => {
    const records = [
      said('hello'),
      { type: 'failure', id: 'f', code: 'offline', message: 'away' },
      { type: 'connection', state: 'lost' },
      { type: 'dropped', id: 'd' },
      ...runRecords('r', [
        { type: 'run-start', model: 'm' },
        ...callEvents('c', 'n', { a: 'b' }),
        { type: 'source', step: 1, source: { type: 'source', url: 'https://x.test' } },
        { type: 'run-end', status: 'done', stop: 'end' },
      ]),
    ]
    expect(records.filter((record) => !isRecord(record))).toEqual([])
  })

  it('takes events of types that are not known yet', () => {
    expect(isRecord(event({ type: 'constructor' }))).toBe(true)
  })

  it.each<readonly [string, unknown]>([
    ['nothing', null],
    ['a list', []],
    ['no event', { type: 'event' }],
    ['an event of no run', { type: 'event', event: { type: 'run-start', seq: 1, at: 1 } }],
    ['an event at no time', event({ type: 'run-start', at: 'noon' })],
    ['words that are none', { type: 'user', id: 'u', text: { toString: 5 } }],
    ['a record of an unknown type', { type: 'toString', id: 'u' }],
    ['the end of a call without its outcome', event({ type: 'tool-end', callId: 'c', name: 'n' })],
    [
      'an outcome with a part that is none',
      event({ type: 'tool-end', callId: 'c', name: 'n', outcome: { ok: true, parts: [null] } }),
    ],
    ['a file whose data is a number', event({ type: 'file', file: { mediaType: 'image/png', data: 5 } })],
    ['a source whose address is an object', event({ type: 'source', source: { url: {} } })],
    ['usage in words', event({ type: 'usage', usage: { input: 'many' } })],
    ['a text without a block', event({ type: 'text-delta', delta: 'x' })],
  ])('leaves out %s', (_, value) => {
    expect(isRecord(value)).toBe(false)
  })
})

describe('isMessageList()', () => {
  it('takes messages and nothing else', () => {
    const part = { type: 'text', text: 'x' }
    expect(isMessageList([{ role: 'user', content: [part] }])).toBe(true)
    for (const value of [null, {}, [null], [{ role: 'user' }], [{ role: 'user', content: [{ type: 'text' }] }]])
      expect(isMessageList(value)).toBe(false)
  })
})
