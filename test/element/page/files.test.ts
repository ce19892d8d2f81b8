import { describe, expect, it } from 'vitest'
import { memoryFiles } from '../../../src/vfs/memory.ts'
import { treeRows } from '../../../web-demo/panel/tree-rows.ts'
import { fileMarks, localFiles } from '../../../web-demo/state/files.ts'
import type { FileFacts } from '../../../web-demo/state/files.ts'
import { keptFiles, unpackedFiles } from '../../../web-demo/state/kept.ts'

const file = (path: string, version = '1'): FileFacts => ({ path, type: 'file', size: 3, version })

describe('treeRows()', () => {
  it('puts directories first and indents what is in them', () => {
    const rows = treeRows(
      [file('/b.md'), file('/a.md'), file('/src/x.ts'), { path: '/src', type: 'dir', size: 0, version: '' }],
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
    expect(treeRows([file('/src/x.ts')], new Map(), new Set(['/src'])).map(({ name }) => name)).toEqual(['src'])
  })

  it('keeps a deleted file in its place', () => {
    const rows = treeRows([file('/a')], new Map([['/gone/b', 'deleted']]), new Set())
    expect(rows.map(({ path, mark }) => [path, mark])).toEqual([
      ['/gone', undefined],
      ['/gone/b', 'deleted'],
      ['/a', undefined],
    ])
  })
})

describe('fileMarks()', () => {
  it('tells added, changed and deleted files from those that are as they were', () => {
    const before = new Map([
      ['/same', '1'],
      ['/other', '1'],
      ['/gone', '1'],
    ])
    const marks = fileMarks(before, [file('/same'), file('/other', '2'), file('/new')])
    expect(Object.fromEntries(marks)).toEqual({ '/other': 'changed', '/new': 'added', '/gone': 'deleted' })
  })
})

describe('localFiles()', () => {
  it('gives another version after each write', async () => {
    const files = localFiles(memoryFiles({ files: { '/a': 'x' } }))
    const [first] = await files.list()
    await files.write('/a', new Uint8Array([1]))
    const [second] = await files.list()
    expect(second?.version).not.toBe(first?.version)
    expect([...(await files.read('/a'))]).toEqual([1])
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
