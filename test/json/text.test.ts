import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxJsonDepth, parseJson, stringifyJson, wellFormed } from '../../src/json/text.ts'

describe('parseJson()', () => {
  it('gives the value, or says that there is none', () => {
    expect(parseJson('{"a":[1,null]}')).toEqual({ ok: true, value: { a: [1, null] } })
    for (const text of ['', '{', '{"a":}', 'undefined', '[1,]', "{'a':1}"])
      expect(parseJson(text)).toEqual({ ok: false })
  })

  it('keeps an own __proto__ key as data and pollutes nothing', () => {
    const parsed = parseJson('{"__proto__":{"polluted":true},"a":{"__proto__":{"y":1}}}')
    expect(JSON.stringify(parsed.ok && parsed.value)).toBe('{"__proto__":{"polluted":true},"a":{"__proto__":{"y":1}}}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('refuses what nests too deep, and counts no brackets inside strings', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    expect(parseJson(nested(maxJsonDepth)).ok).toBe(true)
    expect(parseJson(nested(maxJsonDepth + 1)).ok).toBe(false)
    expect(parseJson(nested(100_000)).ok).toBe(false)
    expect(parseJson('{"a":'.repeat(maxJsonDepth + 1) + '1' + '}'.repeat(maxJsonDepth + 1)).ok).toBe(false)
    expect(parseJson(JSON.stringify('[{\\"['.repeat(2000))).ok).toBe(true)
    expect(parseJson(JSON.stringify(Array.from({ length: 2000 }, () => [{}]))).ok).toBe(true)
  })
})

describe('wellFormed()', () => {
  it('replaces lone surrogates and leaves pairs alone', () => {
    expect(wellFormed('ok \ud83d')).toBe('ok \ufffd')
    expect(wellFormed('\ude00 x')).toBe('\ufffd x')
    expect(wellFormed('a\ud800\ud83d\ude00b')).toBe('a\ufffd\ud83d\ude00b')
    expect(wellFormed('plain 😀')).toBe('plain 😀')
  })
})

describe('stringifyJson()', () => {
  it('writes lone surrogates in keys and values as U+FFFD', () => {
    expect(stringifyJson({ 'k\ud83d': ['\ude00x', '😀'] })).toBe('{"k\ufffd":["\ufffdx","😀"]}')
  })

  it('leaves a backslash before the letters of an escape alone', () => {
    for (const text of ['\\ud83d', '\\\\ud83d', '\\"\\ud83d', 'x\\\\\\ude00']) {
      expect(JSON.parse(stringifyJson(text))).toBe(text)
    }
    expect(stringifyJson('\\\ud83d')).toBe('"\\\\\ufffd"')
  })

  it('writes any string so that it parses to its well-formed self', () => {
    const unit = fc.constantFrom('\ud83d', '\ude00', '\\', 'u', 'd83d', '"', '\n', 'a')
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = units.join('')
        const written = stringifyJson({ text })
        expect(JSON.parse(written)).toEqual({ text: wellFormed(text) })
        expect(written).toBe(JSON.stringify({ text: wellFormed(text) }))
      }),
      { seed: 3 },
    )
  })

  it('writes undefined as null', () => {
    expect(stringifyJson(undefined)).toBe('null')
  })
})
