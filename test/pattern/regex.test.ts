import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { regexTest } from '../../src/pattern/regex.ts'

const refused = expect.objectContaining({ code: 'expression-invalid' })

describe('regexTest()', () => {
  it('agrees with the engine on patterns and lines made of its syntax', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\w',
      '\\d',
      '\\s',
      '[ab]',
      '[^a]',
      '[a-c0-9_]',
      '\\b',
      '\\B',
      '^',
      '$',
      '(?:a|b)',
      '(ab|)',
      '\\.',
      'ж',
      'é',
    )
    const count = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '*?', '+?')
    const edge = /^(?:\\b|\\B|\^|\$)$/
    const piece = fc.tuple(atom, count).map(([text, times]) => (edge.test(text) ? text : text + times))
    const pattern = fc
      .array(fc.oneof(piece, fc.constant('|')), { minLength: 1, maxLength: 6 })
      .map((pieces) => pieces.join(''))
    // Only one code unit each: engines differ on "\\B" inside a pair.
    const line = fc
      .array(fc.constantFrom('a', 'b', 'c', ' ', '.', '1', '_', 'ж', 'é', 'A'), { maxLength: 10 })
      .map((chars) => chars.join(''))
    fc.assert(
      fc.property(
        pattern,
        fc.array(line, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        (source, lines, ignoreCase) => {
          const test = regexTest(source, { ignoreCase })
          const engine = new RegExp(source, ignoreCase ? 'ui' : 'u')
          for (const text of lines) expect([source, text, test(text)]).toEqual([source, text, engine.test(text)])
        },
      ),
      { numRuns: 2000, seed: 7 },
    )
  })

  it('knows classes, escapes and properties', () => {
    expect(regexTest('^[\\w.-]+@[\\w-]+\\.\\p{L}{2,}$')('ann@example.org')).toBe(true)
    expect(regexTest('\\u00e9|\\x41|\\u{1f600}')('😀')).toBe(true)
    expect(regexTest('\\P{Lu}')('A')).toBe(false)
    expect(regexTest('[]x]')(']')).toBe(true)
    expect(regexTest('a{,3}')('a{,3}')).toBe(true)
    expect(regexTest('(?<year>\\d{4})-')('2026-')).toBe(true)
  })

  it('ignores case by option and by "(?i)"', () => {
    expect(regexTest('straße', { ignoreCase: true })('STRAßE')).toBe(true)
    expect(regexTest('(?i)[a-f]+!')('ABC!')).toBe(true)
    expect(regexTest('[^a]', { ignoreCase: true })('A')).toBe(false)
  })

  it('refuses what needs backtracking, in words', () => {
    expect(() => regexTest('(a)\\1')).toThrow('backreferences are not supported')
    expect(() => regexTest('a(?=b)')).toThrow('look-around')
    expect(() => regexTest('(?<!a)b')).toThrow('look-around')
  })

  it('refuses what is broken, in words', () => {
    for (const source of [
      '(',
      ')',
      'a)',
      '[',
      '[a',
      '*',
      'a**',
      'a{2}{3}',
      'a\\',
      '\\q',
      '\\p{Nope}',
      '\\p',
      '\\xz',
      '[z-a]',
      'a{3,2}',
      '(?',
      '(?z)',
    ])
      expect(() => regexTest(source), source).toThrow(refused)
  })

  it('stays linear for patterns that make a backtracking engine hang', () => {
    const long = 'a'.repeat(50_000)
    for (const source of [
      '(a+)+$x',
      '(a|a)*b',
      '(a*)*b',
      '(.*)(.*)(.*)(.*)=',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '(?:a?){50}a{50}b',
      '\\s*\\s*\\s*;',
    ])
      expect(regexTest(source)(long), source).toBe(false)
  })

  it('refuses patterns that would grow beyond measure', () => {
    for (const source of ['(a{1000}){1000}', '((a{100}){100}){100}', 'a{1001}', '('.repeat(60), 'a'.repeat(1001)])
      expect(() => regexTest(source), source.slice(0, 20)).toThrow(refused)
    expect(regexTest('(((){1000}){1000}){1000}')('')).toBe(true)
  })

  it('gives up in words on a pattern whose states never repeat, and does not hang', () => {
    const test = regexTest(`(a|b)*a${'(a|b)'.repeat(150)}c`)
    let seed = 1
    const line = Array.from({ length: 400_000 }, () =>
      (seed = (seed * 1103515245 + 12345) % 2147483648) & 65536 ? 'a' : 'b',
    ).join('')
    expect(() => test(line)).toThrow('too much work')
  })
})
