import { describe, expect, it } from 'vitest'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readText } from '../../src/vfs/text.ts'

const bytes = (size: number) => new Uint8Array(size)

describe('memoryFiles()', () => {
  it('starts with the files it is given', async () => {
    const vfs = memoryFiles({ files: { 'a/b.txt': 'text', '/c': new Uint8Array([1, 2]) } })
    expect(await readText(vfs, '/a/b.txt')).toBe('text')
    expect((await vfs.list('/')).entries.map(({ name, type, size }) => [name, type, size])).toEqual([
      ['a', 'dir', 0],
      ['c', 'file', 2],
    ])
  })

  it('takes the time from the given clock', async () => {
    let time = 5
    const vfs = memoryFiles({ now: () => time })
    await vfs.write('/a', bytes(1))
    time = 9
    expect((await vfs.stat('/a'))?.mtime).toBe(5)
    expect((await vfs.write('/a', bytes(1))).mtime).toBe(9)
  })

  it('refuses what would be too many bytes and leaves the old file', async () => {
    const vfs = memoryFiles({ maxBytes: 10 })
    await vfs.write('/a', bytes(8))
    await expect(vfs.write('/deep/b', bytes(3), { parents: true })).rejects.toMatchObject({
      code: 'vfs-no-space',
      data: { errno: 'ENOSPC' },
    })
    await expect(vfs.write('/a', bytes(3), { mode: 'append' })).rejects.toMatchObject({ code: 'vfs-no-space' })
    expect(await vfs.stat('/deep')).toBeUndefined()
    expect((await vfs.stat('/a'))?.size).toBe(8)
    await vfs.rm('/a')
    await vfs.write('/b', bytes(10))
    await vfs.write('/b', bytes(10))
  })

  it('gives the room of replaced and removed trees back', async () => {
    const vfs = memoryFiles({ maxBytes: 10, maxEntries: 4 })
    for (let round = 0; round < 5; round += 1) {
      await vfs.write('/d/e/f', bytes(6), { parents: true })
      await vfs.write('/g', bytes(4))
      await vfs.rename('/d/e/f', '/g')
      await vfs.rm('/d', { recursive: true })
      await vfs.rm('/g')
    }
  })

  it('refuses too many entries, empty ones too', async () => {
    const vfs = memoryFiles({ maxEntries: 2 })
    await vfs.write('/a', bytes(0))
    await vfs.mkdir('/b')
    await expect(vfs.write('/c', bytes(0))).rejects.toMatchObject({ code: 'vfs-no-space' })
    await expect(vfs.mkdir('/b/c/d', { recursive: true })).rejects.toMatchObject({ code: 'vfs-no-space' })
  })

  it('never reuses an etag, not even after a file was removed', async () => {
    const vfs = memoryFiles()
    const { etag } = await vfs.write('/a', bytes(1))
    await vfs.rm('/a')
    expect((await vfs.write('/a', bytes(1))).etag).not.toBe(etag)
  })

  it('keeps what was read when the file is appended to afterwards', async () => {
    const vfs = memoryFiles({ files: { '/a': 'x' } })
    const before = await vfs.read('/a')
    for (let count = 0; count < 100; count += 1)
      await vfs.write('/a', new TextEncoder().encode('y'), { mode: 'append' })
    expect(before).toHaveLength(1)
    expect(await readText(vfs, '/a')).toBe(`x${'y'.repeat(100)}`)
  })

  it('goes on with a list when the entry of the cursor is gone', async () => {
    const vfs = memoryFiles({ files: { '/a': '', '/b': '', '/c': '' } })
    const { cursor } = await vfs.list('/', { limit: 2 })
    await vfs.rm('/b')
    expect((await vfs.list('/', { cursor })).entries.map(({ name }) => name)).toEqual(['c'])
  })

  it('survives a watcher that throws', async () => {
    const vfs = memoryFiles()
    vfs.watch!('/', () => {
      throw new Error('broken')
    })
    await vfs.write('/a', bytes(1))
    expect(await vfs.stat('/a')).toBeDefined()
  })

  it('says in the error what was done to which path and why not', async () => {
    const vfs = memoryFiles()
    await expect(vfs.read('/none')).rejects.toThrow('Cannot read "/none": no such file or directory')
    await expect(vfs.read('/none')).rejects.toMatchObject({
      code: 'vfs-not-found',
      data: { errno: 'ENOENT', path: '/none' },
      retryable: false,
    })
  })
})
