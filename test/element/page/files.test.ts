import { describe, expect, it } from 'vitest'
import { memoryFiles } from '../../../src/vfs/memory.ts'
import { treeRows } from '../../../web-demo/panel/tree-rows.ts'
import { fileMarks, localFiles } from '../../../web-demo/state/files.ts'
import type { FileFacts, Listing } from '../../../web-demo/state/files.ts'
import { keptFiles, unpackedFiles } from '../../../web-demo/state/kept.ts'

const file = (path: string, version = '1'): FileFacts => ({ path, type: 'file', size: 3, version })
const listing = (...files: readonly FileFacts[]): Listing => ({ files, isCut: false })

describe('treeRows()', () => {
  it('puts directories first and indents what is in them', () => {
    const { rows } = treeRows(
      listing(file('/b.md'), file('/a.md'), file('/src/x.ts'), { path: '/src', type: 'dir', size: 0, version: '' }),
      new Map(),
      new Set(),
    )
    expect(rows.map(({ name, level }) => [name, level])).toEqual([
      ['src', 1],
      ['x.ts', 2],
      ['a.md', 1],
      ['b.md', 1],
    ])
  })

  it('leaves out what lies in a closed directory', () => {
    const { rows } = treeRows(listing(file('/src/x.ts')), new Map(), new Set(['/src']))
    expect(rows.map(({ name }) => name)).toEqual(['src'])
  })

  it('keeps a deleted file in its place', () => {
    const { rows } = treeRows(listing(file('/a')), new Map([['/gone/b', 'deleted']]), new Set())
    expect(rows.map(({ path, mark }) => [path, mark])).toEqual([
      ['/gone', undefined],
      ['/gone/b', 'deleted'],
      ['/a', undefined],
    ])
  })

  it('shows the deepest path that a model may write', () => {
    const { rows } = treeRows(listing(file(`/${'a/'.repeat(2046)}b`)), new Map(), new Set())
    expect(rows).toHaveLength(2047)
    expect(rows.at(-1)).toMatchObject({ name: 'b', type: 'file', level: 2047 })
  })

  it('leaves out what is no path, as a worker could name it', () => {
    for (const path of ['', '/', 'abc', '//', '/a/', '/a//b']) {
      const { rows } = treeRows(listing({ ...file(path), type: 'dir' }), new Map([[path, 'deleted']]), new Set())
      expect(rows).toEqual([])
    }
  })

  it('shows at most 5000 rows, and says so, as where the list itself was cut', () => {
    const many = Array.from({ length: 5001 }, (_, index) => file(`/f${index}`))
    expect(treeRows(listing(...many.slice(1)), new Map(), new Set())).toMatchObject({ isCut: false })
    const { rows, isCut } = treeRows(listing(...many), new Map(), new Set())
    expect([rows.length, isCut]).toEqual([5000, true])
    expect(treeRows({ files: [file('/a')], isCut: true }, new Map(), new Set()).isCut).toBe(true)
  })
})

describe('fileMarks()', () => {
  it('tells added, changed and deleted files from those that are as they were', () => {
    const before = new Map([
      ['/same', '1'],
      ['/other', '1'],
      ['/gone', '1'],
    ])
    const now = listing(file('/same'), file('/other', '2'), file('/new'))
    const marks = { '/other': 'changed', '/new': 'added' }
    expect(Object.fromEntries(fileMarks(before, now))).toEqual({ ...marks, '/gone': 'deleted' })
    // What a cut list does not name may still be there.
    expect(Object.fromEntries(fileMarks(before, { ...now, isCut: true }))).toEqual(marks)
  })
})

describe('localFiles()', () => {
  it('gives another version after each write', async () => {
    const files = localFiles(memoryFiles({ files: { '/a': 'x' } }))
    const [first] = (await files.list()).files
    await files.write('/a', new Uint8Array([1]))
    const [second] = (await files.list()).files
    expect(second?.version).not.toBe(first?.version)
    expect([...(await files.read('/a'))]).toEqual([1])
  })

  it('lists 5000 entries of a larger workspace, and says that there are more', async () => {
    const files = Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`/f${index}`, 'x']))
    const { files: listed, isCut } = await localFiles(memoryFiles({ files })).list()
    expect([listed.length, isCut]).toEqual([5000, true])
  })
})

describe('keptFiles()', () => {
  it('packs text and bytes, and gives both back', async () => {
    const files = { '/a.md': 'größe\n', '/b.bin': new Uint8Array([0, 255, 128]), '/c': 'data:base64,not' }
    const kept = await keptFiles(memoryFiles({ files }))
    const again = memoryFiles({ files: unpackedFiles(JSON.parse(JSON.stringify(kept)) as Record<string, string>) })
    expect(new TextDecoder().decode(await again.read('/a.md'))).toBe('größe\n')
    expect([...(await again.read('/b.bin'))]).toEqual([0, 255, 128])
    expect(new TextDecoder().decode(await again.read('/c'))).toBe('data:base64,not')
  })

  it('gives up on more than a megabyte', async () => {
    expect(await keptFiles(memoryFiles({ files: { '/big': 'x'.repeat(1_000_001) } }))).toBeUndefined()
  })
})
