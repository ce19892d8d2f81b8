import { describe, expect, it } from 'vitest'
import { browser, folderFiles, indexedDbFiles, indexedDbStore, opfsFiles } from '../../adapters/browser/index.ts'
import { entryName, nameOfEntry } from '../../adapters/browser/opfs/name.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { exists, readText, writeText } from '../../src/vfs/text.ts'

// Node has no IndexedDB: what is here is what a page has where the browser keeps nothing.
describe('browser() without IndexedDB', () => {
  it('has files and runs in memory, and says so', async () => {
    const { fs, store } = browser({ files: { '/seed': 'seed' } })
    expect(await readText(fs, '/seed')).toBe('seed')
    expect(fs.capabilities).toMatchObject({ name: 'memory', persistent: false })
    const { epoch } = await store.lease('run')
    const record = { seq: 1, type: 'journal-open', data: '{}' }
    const files = [{ type: 'modify', path: '/written', data: new TextEncoder().encode('x') }] as const
    await store.append('run', [record], { expectSeq: 0, epoch, files })
    expect([await store.last('run'), await readText(fs, '/written')]).toEqual([record, 'x'])
  })

  it('changes all files of a batch, or none', async () => {
    const { fs } = browser()
    const failing = fs.batch!(async (files) => {
      await writeText(files, '/a', 'x')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await exists(fs, '/a')).toBe(false)
    await fs.batch!((files) => writeText(files, '/a', 'x'))
    expect(await readText(fs, '/a')).toBe('x')
  })

  it('writes what it was given, whatever happens to the bytes while it looks for a place', async () => {
    const { fs } = browser()
    const bytes = new TextEncoder().encode('abc')
    const writing = fs.write('/a', bytes)
    bytes.fill(0)
    await writing
    expect(await readText(fs, '/a')).toBe('abc')
  })

  it('has a store of its own beside other files', async () => {
    const fs = memoryFiles()
    const env = browser({ fs })
    expect([env.fs, env.store.files, await env.store.list()]).toEqual([fs, undefined, []])
  })
})

describe('the parts of a browser', () => {
  it('say what is missing where the runtime has none of it', async () => {
    await expect(indexedDbFiles().stat('/')).rejects.toMatchObject({ code: 'vfs-denied' })
    await expect(indexedDbStore().list()).rejects.toMatchObject({ code: 'journal-failed' })
    await expect(opfsFiles().stat('/')).rejects.toMatchObject({ code: 'vfs-denied' })
  })

  it('keep files and runs together only in one database', () => {
    expect(() => indexedDbStore({ files: memoryFiles() })).toThrow('indexedDbFiles()')
    expect(() => indexedDbStore({ name: 'other', files: indexedDbFiles() })).toThrow('"other"')
    expect(() => opfsFiles({ directory: '/' })).toThrow('below the root')
  })

  it('tell that the permission for a folder has lapsed, and how to get it again', async () => {
    const lapsed = () => Promise.reject(new DOMException('Not allowed', 'NotAllowedError'))
    const handle = { kind: 'directory', name: 'picked', getFileHandle: lapsed, getDirectoryHandle: lapsed }
    const files = folderFiles(handle as unknown as FileSystemDirectoryHandle)
    const refused = { code: 'vfs-denied', message: expect.stringContaining('requestPermission()') as string }
    await expect(files.read('/a')).rejects.toMatchObject(refused)
    await expect(writeText(files, '/a', 'x')).rejects.toMatchObject(refused)
  })

  it('read no file at once that claims 5 GB, and a part of it they do', async () => {
    const asked: (readonly number[])[] = []
    const slice = (from: number, to: number): Blob => {
      asked.push([from, to])
      return new Blob(['part'])
    }
    const file = { kind: 'file', getFile: async () => ({ size: 5e9, lastModified: 0, slice }) }
    const handle = { kind: 'directory', getFileHandle: async () => file }
    const files = folderFiles(handle as unknown as FileSystemDirectoryHandle)
    await expect(files.read('/large')).rejects.toMatchObject({ code: 'vfs-too-large' })
    expect([
      (await files.stat('/large'))?.size,
      (await files.read('/large', { offset: 4e9, length: 4 })).length,
    ]).toEqual([5e9, 4])
    expect(asked).toEqual([[4e9, 4e9 + 4]])
  })

  it('give names to entries that lead back to them, and no two the same', () => {
    const names = ['a', 'x\\y', 'x%5Cy', 'x%255Cy', '%', '%25', '%5c', '%255C%5C\\', '\\', '%2525']
    const entries = names.map(entryName)
    expect(entries.filter((entry) => entry.includes('\\'))).toEqual([])
    expect(new Set(entries).size).toBe(names.length)
    expect(entries.map(nameOfEntry)).toEqual(names)
  })
})
