import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { axisOf } from '../../src/drawing/time-axis.ts'

const stay = fc
  .record({ start: fc.nat({ max: 1000 }), length: fc.nat({ max: 500 }), isWork: fc.boolean() })
  .map(({ start, length, isWork }) => ({ start, end: start + length, isWork }))

describe('axisOf()', () => {
  it('gives waiting at most its share, and joins stretches that are alike', () => {
    const axis = axisOf([
      { start: 0, end: 60, isWork: true },
      { start: 20, end: 70, isWork: true },
      { start: 70, end: 9000, isWork: false },
      { start: 9000, end: 9000, isWork: true },
      { start: 8900, end: 9070, isWork: false },
    ])
    expect(axis).toMatchObject({ workMs: 70, isShortened: true })
    expect(axis.stretches).toEqual([
      { from: 0, to: 70, isWork: true },
      { from: 70, to: 9070, isWork: false },
    ])
    expect(axis.at(70)).toBeCloseTo(0.7)
    expect(axis.at(9070)).toBe(1)
  })

  it('keeps times in order, between 0 and 1', () => {
    fc.assert(
      fc.property(fc.array(stay), fc.array(fc.integer({ min: -10, max: 1600 })), (stays, times) => {
        const { at } = axisOf(stays)
        const places = [...times].sort((a, b) => a - b).map((time) => at(time))
        expect([...places].sort((a, b) => a - b)).toEqual(places)
        for (const place of places) expect(place >= 0 && place <= 1).toBe(true)
      }),
    )
  })
})
