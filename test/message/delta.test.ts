import { describe, expect, it } from 'vitest'
import { joinDelta } from '../../src/message/delta.ts'
import type { RunEvent } from '../../src/message/event.ts'

const delta = (seq: number, more: object = {}): RunEvent =>
  ({ type: 'text-delta', step: 1, id: 'a', delta: `<${seq}>`, seq, at: seq * 10, run: 'r', ...more }) as RunEvent

describe('joinDelta()', () => {
  it('joins two deltas of one block under the seq and the time of the later', () => {
    expect(joinDelta(delta(1), delta(2))).toEqual(delta(2, { delta: '<1><2>' }))
    const path = { path: ['a', 'b'] }
    expect(joinDelta(delta(1, path), delta(2, path))).toEqual(delta(2, { delta: '<1><2>', ...path }))
  })

  it.each([
    ['of another block', { id: 'b' }],
    ['of another step', { step: 2 }],
    ['of another run', { run: 's' }],
    ['of another kind', { type: 'reasoning-delta' }],
    ['of a sub-agent', { path: ['c'] }],
  ])('does not join one %s', (_, more) => {
    expect(joinDelta(delta(1), delta(2, more))).toBeUndefined()
    expect(joinDelta(delta(1, more), delta(2))).toBeUndefined()
  })

  it('joins nothing that is no delta', () => {
    const end: RunEvent = { type: 'text-end', step: 1, id: 'a', seq: 2, at: 0, run: 'r' }
    expect(joinDelta(delta(1), end)).toBeUndefined()
    expect(joinDelta(end, delta(3))).toBeUndefined()
    expect(joinDelta(undefined, delta(1))).toBeUndefined()
  })
})
