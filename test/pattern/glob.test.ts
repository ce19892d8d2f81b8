import { describe, expect, it } from 'vitest'
import { anchorGlob, globTest } from '../../src/pattern/glob.ts'

const matching = (pattern: string, paths: readonly string[]) => paths.filter(globTest(pattern))

describe('globTest()', () => {
  it('keeps "*" and "?" within a segment', () => {
    expect(matching('/a/*.ts', ['/a/x.ts', '/a/.ts', '/a/b/x.ts', '/a/x.tsx'])).toEqual(['/a/x.ts', '/a/.ts'])
    expect(matching('/?', ['/a', '/ab', '/', '/😀', '//'])).toEqual(['/a', '/😀'])
  })

  it('lets "**" cross segments, none included', () => {
    expect(matching('/a/**/b', ['/a/b', '/a/x/b', '/a/x/y/b', '/ab', '/a/xb'])).toEqual(['/a/b', '/a/x/b', '/a/x/y/b'])
    expect(matching('**', ['', '/', '/a/b'])).toEqual(['', '/', '/a/b'])
    expect(matching('/a/**', ['/a/b', '/a/b/c', '/a', '/b'])).toEqual(['/a/b', '/a/b/c'])
  })

  it('knows classes, ranges and their negation, never for "/"', () => {
    expect(matching('[a-c]x', ['ax', 'dx', 'cx'])).toEqual(['ax', 'cx'])
    expect(matching('[!a]x', ['ax', 'bx', '/x'])).toEqual(['bx'])
    expect(matching('[^a]x', ['ax', 'bx'])).toEqual(['bx'])
    expect(matching('[]]x', [']x', 'x'])).toEqual([']x'])
    expect(matching('[.-/]x', ['/x', '.x'])).toEqual(['.x'])
    expect(matching('[ab', ['[ab', 'a'])).toEqual(['[ab'])
  })

  it('knows braces, nested and empty ones too', () => {
    expect(matching('x.{ts,js}', ['x.ts', 'x.js', 'x.c'])).toEqual(['x.ts', 'x.js'])
    expect(matching('x{,.{a,b}}', ['x', 'x.a', 'x.b', 'x.'])).toEqual(['x', 'x.a', 'x.b'])
    expect(matching('{src/**/,}a', ['a', 'src/a', 'src/x/a'])).toEqual(['a', 'src/a', 'src/x/a'])
    expect(() => globTest('{a')).toThrow(expect.objectContaining({ code: 'expression-invalid' }))
    expect(matching('a,b}', ['a,b}'])).toEqual(['a,b}'])
  })

  it('takes a character after a backslash as it is', () => {
    expect(matching('a\\*', ['a*', 'ab'])).toEqual(['a*'])
    expect(matching('a\\', ['a\\'])).toEqual(['a\\'])
  })

  it('treats what is special in regular expressions as plain', () => {
    expect(matching('a.b+(c)$', ['a.b+(c)$', 'axb+(c)$'])).toEqual(['a.b+(c)$'])
  })

  it('stays linear for patterns that make a backtracking matcher hang', () => {
    const long = 'a'.repeat(20_000)
    expect(globTest(`${'*a'.repeat(60)}b`)(long)).toBe(false)
    expect(globTest(`${'**/'.repeat(30)}x`)(`${'a/'.repeat(2000)}y`)).toBe(false)
    expect(globTest('{a,aa}'.repeat(60))(long)).toBe(false)
  })

  it('refuses what is too large instead of growing', () => {
    const refused = expect.objectContaining({ code: 'expression-invalid' })
    expect(() => globTest('a'.repeat(1001))).toThrow(refused)
    expect(() => globTest(`${'{'.repeat(30)}a${'}'.repeat(30)}`)).toThrow(refused)
  })
})

describe('anchorGlob()', () => {
  it('counts relative patterns from a root whose own name is plain, and gives those without a slash any depth', () => {
    expect(anchorGlob('*.md', '/')).toBe('/**/*.md')
    expect(anchorGlob('*.md', '/w [x]')).toBe('/w \\[x\\]/**/*.md')
    expect(anchorGlob('./a.md', '/w')).toBe('/w/**/a.md')
    expect(anchorGlob('src/*.ts', '/w')).toBe('/w/src/*.ts')
    expect(anchorGlob('/src/*.ts', '/w')).toBe('/src/*.ts')
  })
})
