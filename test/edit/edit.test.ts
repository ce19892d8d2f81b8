import { describe, expect, it } from 'vitest'
import { edit } from '../../src/edit/edit.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readText } from '../../src/vfs/text.ts'

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
