import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placesOf } from '../../src/diff/find.ts'

describe('placesOf()', () => {
  it('finds what the plain search finds, overlapping or not', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 30 })
    const wanted = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(text, wanted, fc.boolean(), fc.nat(5), (within, part, overlapping, from) => {
        const places: number[] = []
        const step = overlapping ? 1 : part.length
        for (let at = within.indexOf(part, from); at >= 0; at = within.indexOf(part, at + step)) places.push(at)
        expect(placesOf(within, part, { overlapping, from })).toEqual(places)
        expect(placesOf(within, part, { overlapping, from, limit: 1 })).toEqual(places.slice(0, 1))
      }),
      { numRuns: 2000, seed: 5 },
    )
  })

  it('finds lines in lists of lines', () => {
    expect(placesOf(['a', 'b', 'a', 'b', 'a'], ['a', 'b', 'a'], { overlapping: true })).toEqual([0, 2])
    expect(placesOf(['a'], ['a', 'a'])).toEqual([])
  })
})
