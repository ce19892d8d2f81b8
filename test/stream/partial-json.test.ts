import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { partialJson } from '../../src/stream/partial-json.ts'

const after = (...pieces: string[]): unknown => {
  const reader = partialJson()
  for (const piece of pieces) reader.feed(piece)
  return reader.value()
}

describe('partialJson()', () => {
  it('shows open strings as far as they go, and numbers and words once they have ended', () => {
    expect(after('')).toBeUndefined()
    expect(after('{')).toEqual({})
    expect(after('{"ci')).toEqual({})
    expect(after('{"city"')).toEqual({})
    expect(after('{"city":"Par')).toEqual({ city: 'Par' })
    expect(after('{"city":"Paris","days":1')).toEqual({ city: 'Paris' })
    expect(after('{"days":12,"list":[1,tr')).toEqual({ days: 12, list: [1] })
    expect(after('{"a":[{"b":null},{"c":"x')).toEqual({ a: [{ b: null }, { c: 'x' }] })
    expect(after('"te')).toBe('te')
  })

  it('decodes escapes that are cut, and shows no half pair', () => {
    expect(after('["a\\', 'n\\u00', 'e9')).toEqual(['a\né'])
    expect(after('["\\ud83d')).toEqual([''])
    expect(after('["\\ud83d', '\\ude00')).toEqual(['😀'])
  })

  it('stops at what is no JSON and keeps what came before', () => {
    for (const wrong of [
      '{"a":1,oops',
      '{"a":1]',
      '{"a":1,}',
      '{"a":1 2',
      '{"a":1,"b":"\n',
      '{"a":1,"b":"\\x',
      '{"a":1,"b":wrong,"c":2',
    ]) {
      const value = after(wrong, ',"d":4}') as Record<string, unknown>
      expect(value['a'], wrong).toBe(1)
      expect(value, wrong).not.toHaveProperty('d')
    }
    expect(after('['.repeat(10_000))).toBeDefined()
  })

  it('keeps __proto__ an own key', () => {
    const whole = after('{"__proto__":{"x":1},"a":[') as object
    expect(JSON.stringify(whole)).toBe('{"__proto__":{"x":1},"a":[]}')
    expect(Object.getPrototypeOf(whole)).toBe(Object.prototype)
    expect(JSON.stringify(after('{"__proto__":{"x":"o'))).toBe('{"__proto__":{"x":"o"}}')
  })

  it('never changes a value it gave before', () => {
    const reader = partialJson()
    reader.feed('{"a":[1,')
    const first = reader.value()
    reader.feed('2],"b":"x"}')
    expect([first, reader.value()]).toEqual([{ a: [1] }, { a: [1, 2], b: 'x' }])
  })

  it('ends with what JSON.parse gives, however the text is cut', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(9), fc.boolean(), (value, size, wide) => {
        const text = `[${JSON.stringify(value, null, wide ? 2 : 0)}]`
        const reader = partialJson()
        for (let at = 0; at < text.length; at += size + 1) {
          reader.feed(text.slice(at, at + size + 1))
          reader.value()
        }
        expect(JSON.stringify(reader.value())).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: 300, seed: 11 },
    )
  })

  it('does linear work on a long string with a view after each piece', () => {
    const reader = partialJson()
    reader.feed('{"text":"')
    let seen = 0
    for (let index = 0; index < 200_000; index++) {
      reader.feed('ab\\n')
      seen += (reader.value() as { text: string }).text.length > 0 ? 1 : 0
    }
    expect(seen).toBe(200_000)
  })
})
