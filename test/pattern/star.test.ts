import { describe, expect, it } from 'vitest'
import { starTest } from '../../src/pattern/star.ts'

describe('starTest()', () => {
  it('matches stars in linear time and dots as dots', () => {
    expect(starTest('a*b*c')('aXbXbc')).toBe(true)
    expect(starTest('ab*ba')('aba')).toBe(false)
    expect(starTest('git.*')('gitx')).toBe(false)
    expect(starTest('*a'.repeat(200))('a'.repeat(100_000) + 'b')).toBe(false)
  })
})
