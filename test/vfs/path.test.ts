import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quotePath } from '../../src/vfs/error.ts'
import { isInside, joinPath, normalizePath, parentPath, pathName, pathWithin, resolvePath } from '../../src/vfs/path.ts'

describe('normalizePath()', () => {
  it('makes a path absolute and drops empty and single-dot segments', () => {
    expect(normalizePath('a//b/./c/')).toBe('/a/b/c')
    expect(normalizePath('')).toBe('/')
    expect(normalizePath('.')).toBe('/')
  })

  it('resolves ".." and never leaves the root', () => {
    expect(normalizePath('/a/../b')).toBe('/b')
    expect(normalizePath('../../../etc/passwd')).toBe('/etc/passwd')
    expect(normalizePath('/..')).toBe('/')
  })

  it('keeps a backslash, "..." and escapes as plain characters', () => {
    expect(normalizePath('a\\..\\b/.../%2e%2e')).toBe('/a\\..\\b/.../%2e%2e')
  })

  it('refuses NUL, half a surrogate pair, and what is too long', () => {
    const refused = expect.objectContaining({ code: 'vfs-invalid' })
    expect(() => normalizePath('/a\0b')).toThrow(refused)
    expect(() => normalizePath('/a\ud800b')).toThrow(refused)
    expect(() => normalizePath(`/${'a'.repeat(256)}`)).toThrow(refused)
    expect(() => normalizePath('/a'.repeat(2049))).toThrow(refused)
    expect(normalizePath(`/${'a'.repeat(255)}/😀`)).toContain('😀')
  })

  it('is stable: a normal path is its own normal form', () => {
    const piece = fc.constantFrom('a', '..', '.', '', 'ü', '\\', '...', ' ')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const once = normalizePath(pieces.join('/'))
        expect(normalizePath(once)).toBe(once)
        expect(once).toMatch(/^\/(?:$|[^/])/)
        expect(once.split('/')).not.toContain('..')
      }),
    )
  })
})

describe('joinPath()', () => {
  it('keeps the path inside the root, whatever it says', () => {
    expect(joinPath('/jail', '../../etc')).toBe('/jail/etc')
    expect(joinPath('/jail', '/')).toBe('/jail')
    expect(joinPath('/', 'a')).toBe('/a')
  })
})

describe('resolvePath()', () => {
  it('counts a relative path from the root and an absolute one from "/"', () => {
    expect(resolvePath('/space', 'a/b')).toBe('/space/a/b')
    expect(resolvePath('/space', '/a')).toBe('/a')
    expect(resolvePath('/space', '../x')).toBe('/x')
  })
})

describe('the parts of a path', () => {
  it('has a parent and a name, and the root is its own parent', () => {
    expect([parentPath('/a/b'), parentPath('/a'), parentPath('/')]).toEqual(['/a', '/', '/'])
    expect([pathName('/a/b'), pathName('/')]).toEqual(['b', ''])
  })

  it('does not take a longer name for a directory below', () => {
    expect(isInside('/space', '/workshop')).toBe(false)
    expect(isInside('/space', '/space/a')).toBe(true)
    expect(isInside('/space', '/space')).toBe(true)
    expect(isInside('/', '/a')).toBe(true)
    expect([pathWithin('/space', '/space/a'), pathWithin('/space', '/space'), pathWithin('/', '/a')]).toEqual([
      '/a',
      '/',
      '/a',
    ])
  })
})

describe('quotePath()', () => {
  it('cuts a long path without splitting a pair', () => {
    expect(quotePath('/a')).toBe('"/a"')
    expect(quotePath(`/${'x'.repeat(198)}😀`)).toBe(`"/${'x'.repeat(198)}…"`)
  })
})
