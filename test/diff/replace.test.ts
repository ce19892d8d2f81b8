import { describe, expect, it } from 'vitest'
import { replaceText } from '../../src/diff/replace.ts'

const replaced = (before: string, find: string, replace: string, all?: boolean) =>
  replaceText(before, { find, replace, all }).text

describe('replaceText()', () => {
  it('replaces the one place, and "$" means nothing special', () => {
    expect(replaced('a b c', 'b', "$& $1 $' $$")).toBe("a $& $1 $' $$ c")
  })

  it('refuses a text that is missing or not unique, and says where it is', () => {
    expect(() => replaced('x', 'y', 'z')).toThrow('the text to find is not there')
    expect(() => replaced('y\n\ny\ny', 'y', 'z')).toThrow('is there 3 times (lines 1, 3, 4)')
  })

  it('hints at white space when that is all that differs', () => {
    expect(() => replaced('if (x) {\n\treturn  1\n}', 'if (x) {\n  return 1\n}', '')).toThrow(
      'differs only in white space',
    )
  })

  it('replaces every place when asked to, without looking at what it put in', () => {
    expect(replaced('aaa', 'a', 'aa', true)).toBe('aaaaaa')
    expect(replaced('aaaa', 'aa', 'b', true)).toBe('bb')
  })

  it('refuses an empty text, and a replacement that changes nothing', () => {
    expect(() => replaced('a', '', 'b')).toThrow('empty')
    expect(() => replaced('a', 'a', 'a')).toThrow('the same')
  })

  it('keeps the line ends of a file of "\\r\\n" lines, whichever the model sends', () => {
    expect(replaced('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\nc\r\n')
    expect(replaced('a\r\nb\r\n', 'a\r\nb', 'x\ny')).toBe('x\r\ny\r\n')
    expect(replaced('a\nb\r\n', 'a\n', 'x\n')).toBe('x\nb\r\n')
  })

  it('refuses a result beyond measure before it is made', () => {
    expect(() => replaced('a'.repeat(100_000), 'a', 'b'.repeat(1000), true)).toThrow(
      expect.objectContaining({ code: 'vfs-too-large' }),
    )
  })

  it('stays linear for texts that make the search of an engine hang', () => {
    const half = 'a'.repeat(200_000)
    expect(() => replaced('a'.repeat(1_000_000), `${half}b${half}`, '')).toThrow('is not there')
  })
})
