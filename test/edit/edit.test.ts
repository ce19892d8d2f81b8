import { describe, expect, it } from 'vitest'
import { edit, replaceText } from '../../src/edit/edit.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readText } from '../../src/vfs/text.ts'

const replaced = (before: string, find: string, replace: string, all?: boolean) =>
  replaceText(before, { find, replace, all }, '/f').text

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
})

describe('edit()', () => {
  it('writes the new text and gives both', async () => {
    const vfs = memoryFiles({ files: { '/f': '\ufeffone' } })
    expect(await edit(vfs, '/f', { find: 'one', replace: 'two' })).toMatchObject({
      before: '\ufeffone',
      after: '\ufefftwo',
      count: 1,
    })
    expect(await readText(vfs, '/f')).toBe('\ufefftwo')
  })

  it('refuses when the file is no longer at the given etag', async () => {
    const vfs = memoryFiles({ files: { '/f': 'one' } })
    const stale = (await vfs.stat('/f'))?.etag
    await vfs.write('/f', new TextEncoder().encode('one!'))
    await expect(edit(vfs, '/f', { find: 'one', replace: 'two', etag: stale })).rejects.toMatchObject({
      code: 'vfs-conflict',
    })
  })

  it('refuses when the file changes between its reading and its writing', async () => {
    const vfs = memoryFiles({ files: { '/f': 'one' } })
    const racing = {
      ...vfs,
      read: async (path: string) => {
        const data = await vfs.read(path)
        await vfs.write(path, new TextEncoder().encode('other'))
        return data
      },
    }
    await expect(edit(racing, '/f', { find: 'one', replace: 'two' })).rejects.toMatchObject({ code: 'vfs-conflict' })
    expect(await readText(vfs, '/f')).toBe('other')
  })

  it('refuses binary, missing and huge files', async () => {
    const vfs = memoryFiles({
      files: {
        '/bin': new Uint8Array([0]),
        '/latin': new Uint8Array([0xe9]),
        '/big': new Uint8Array(11 * 2 ** 20).fill(97),
      },
    })
    const change = { find: 'a', replace: 'b' }
    await expect(edit(vfs, '/bin', change)).rejects.toThrow('binary')
    await expect(edit(vfs, '/latin', change)).rejects.toThrow('binary')
    await expect(edit(vfs, '/none', change)).rejects.toMatchObject({ code: 'vfs-not-found' })
    await expect(edit(vfs, '/big', change)).rejects.toMatchObject({ code: 'vfs-too-large' })
  })
})
