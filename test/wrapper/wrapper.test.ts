import { describe, expect, it } from 'vitest'
import { jail } from '../../src/wrapper/jail.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { mount } from '../../src/wrapper/mount.ts'
import { quota } from '../../src/wrapper/quota.ts'
import { readOnly } from '../../src/wrapper/read-only.ts'
import { exists, readText, writeText } from '../../src/vfs/text.ts'
import { traced } from '../../src/wrapper/traced.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { walk } from '../../src/vfs/walk.ts'

const paths = async (vfs: Vfs) => {
  const all: string[] = []
  for await (const { path } of walk(vfs, '/')) all.push(path)
  return all
}

describe('jail()', () => {
  it('shows one directory as the root and nothing outside of it', async () => {
    const vfs = memoryFiles({ files: { '/in/a': 'a', '/out': 'secret' } })
    const inner = jail(vfs, '/in')
    expect(await paths(inner)).toEqual(['/a'])
    expect(await readText(inner, '/../../a')).toBe('a')
    await expect(inner.read('/../out')).rejects.toMatchObject({ code: 'vfs-not-found' })
    await writeText(inner, '/../../b', 'b')
    expect(await readText(vfs, '/in/b')).toBe('b')
  })

  it('hides the outer path in stats and errors', async () => {
    const inner = jail(memoryFiles(), '/very/secret')
    const error = await inner.read('/x').catch((thrown: unknown) => thrown)
    expect(JSON.stringify(error)).not.toContain('secret')
    expect(error).toMatchObject({ message: 'Cannot read "/x": no such file or directory', data: { path: '/x' } })
    expect((await writeText(inner, '/x', '')).path).toBe('/x')
    await expect(inner.rename('/x', '/no/x')).rejects.toThrow('Cannot rename to "/no/x"')
  })

  it('looks empty while its root is missing, and makes it with the first write', async () => {
    const vfs = memoryFiles()
    const inner = jail(vfs, '/later')
    expect(await inner.list('/')).toEqual({ entries: [] })
    expect(await inner.stat('/')).toMatchObject({ path: '/', type: 'dir' })
    expect(await exists(vfs, '/later')).toBe(false)
    await writeText(inner, '/a', 'a')
    expect(await exists(vfs, '/later/a')).toBe(true)
  })

  it('passes on the changes inside it, with their inner paths', async () => {
    const vfs = memoryFiles()
    const inner = jail(vfs, '/in')
    const seen: string[] = []
    inner.watch!('/', ({ type, path }) => void seen.push(`${type} ${path}`))
    await writeText(inner, '/a', '')
    await writeText(vfs, '/outside', '')
    expect(seen).toContain('add /a')
    expect(seen.join()).not.toContain('outside')
  })
})

describe('readOnly()', () => {
  it('reads and refuses every write', async () => {
    const vfs = readOnly(memoryFiles({ files: { '/a': 'a' } }))
    expect(await readText(vfs, '/a')).toBe('a')
    const refused = { code: 'vfs-read-only', data: { errno: 'EROFS' } }
    await expect(writeText(vfs, '/a', 'b')).rejects.toMatchObject(refused)
    await expect(vfs.mkdir('/b')).rejects.toMatchObject(refused)
    await expect(vfs.rm('/a', { force: true })).rejects.toMatchObject(refused)
    await expect(vfs.rename('/a', '/b')).rejects.toMatchObject(refused)
    expect(vfs.capabilities.readOnly).toBe(true)
  })

  it('keeps a batch read-only', async () => {
    const memory = memoryFiles()
    const vfs = readOnly({ ...memory, batch: (work) => work(memory) })
    await expect(vfs.batch!((inner) => writeText(inner, '/a', ''))).rejects.toMatchObject({ code: 'vfs-read-only' })
  })
})

describe('quota()', () => {
  it('counts what was there, and frees what is removed', async () => {
    const vfs = quota(memoryFiles({ files: { '/old': '12345' } }), { bytes: 8 })
    await writeText(vfs, '/a', '123')
    await expect(writeText(vfs, '/b', '1')).rejects.toMatchObject({ code: 'vfs-no-space' })
    await writeText(vfs, '/a', '12')
    await writeText(vfs, '/b', '1')
    await vfs.rm('/old')
    await writeText(vfs, '/b', '123456')
    await expect(vfs.write('/b', new Uint8Array(1), { mode: 'append' })).rejects.toMatchObject({ code: 'vfs-no-space' })
  })

  it('limits one file and the number of entries, missing directories included', async () => {
    const vfs = quota(memoryFiles(), { fileBytes: 3, files: 3 })
    await expect(writeText(vfs, '/a', '1234')).rejects.toMatchObject({ code: 'vfs-too-large' })
    await expect(writeText(vfs, '/x/y/z/a', '', { parents: true })).rejects.toMatchObject({ code: 'vfs-no-space' })
    await writeText(vfs, '/x/y/a', '', { parents: true })
    await expect(vfs.mkdir('/b')).rejects.toMatchObject({ code: 'vfs-no-space' })
  })

  it('lets no two writes pass together what only one may', async () => {
    const vfs = quota(memoryFiles(), { bytes: 5 })
    const results = await Promise.allSettled(['/a', '/b', '/c'].map((path) => writeText(vfs, path, '1234')))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  })
})

describe('traced()', () => {
  it('tells of each operation and how it ended, and survives its observer', async () => {
    const seen: string[] = []
    const vfs = traced(memoryFiles(), ({ operation, path, ok, code }) => {
      seen.push(`${operation} ${path} ${ok ? 'ok' : code}`)
      throw new Error('broken')
    })
    await writeText(vfs, '/a', '')
    await vfs.read('/b').catch(() => undefined)
    expect(seen).toEqual(['write /a ok', 'read /b vfs-not-found'])
  })
})

describe('mount()', () => {
  const make = () => {
    const [root, disk] = [memoryFiles({ files: { '/a': 'root' } }), memoryFiles({ files: { '/b': 'disk' } })]
    return { root, disk, tree: mount({ '/': root, '/mnt/disk': disk }) }
  }

  it('shows one tree, mount points included', async () => {
    const { tree } = make()
    expect(await paths(tree)).toEqual(['/a', '/mnt', '/mnt/disk', '/mnt/disk/b'])
    expect(await readText(tree, '/mnt/disk/b')).toBe('disk')
    expect(await tree.stat('/mnt/disk/b')).toMatchObject({ path: '/mnt/disk/b' })
    expect((await tree.list('/', { limit: 1 })).cursor).toBe('a')
  })

  it('writes to the file system that is mounted there, and names its paths in errors', async () => {
    const { root, disk, tree } = make()
    await writeText(tree, '/mnt/disk/c', 'c')
    expect([await exists(disk, '/c'), await exists(root, '/mnt')]).toEqual([true, false])
    await expect(tree.read('/mnt/disk/none')).rejects.toThrow('"/mnt/disk/none"')
  })

  it('renames across file systems by copying', async () => {
    const { root, disk, tree } = make()
    await tree.rename('/a', '/mnt/disk/a')
    expect([await exists(root, '/a'), await readText(disk, '/a')]).toEqual([false, 'root'])
  })

  it('keeps its mount points', async () => {
    const { tree } = make()
    await expect(tree.rm('/mnt', { recursive: true })).rejects.toMatchObject({ code: 'vfs-busy', retryable: true })
    await expect(tree.rename('/mnt/disk', '/x')).rejects.toMatchObject({ code: 'vfs-busy' })
    expect(() => mount({ '/x': memoryFiles() })).toThrow(expect.objectContaining({ code: 'config-invalid' }))
  })
})
