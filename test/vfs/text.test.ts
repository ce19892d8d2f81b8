import { describe, expect, it } from 'vitest'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { copy, readText } from '../../src/vfs/text.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { walk } from '../../src/vfs/walk.ts'

const paths = async (vfs: Vfs, options = {}) => {
  const all: string[] = []
  for await (const { path } of walk(vfs, '/', options)) all.push(path)
  return all
}

describe('walk(), copy() and text', () => {
  it('walks deep first, in order, and stops at its limit in words', async () => {
    const vfs = memoryFiles({ files: { '/b/z': '', '/b/a/x': '', '/a': '', '/.h': '' } })
    expect(await paths(vfs)).toEqual(['/.h', '/a', '/b', '/b/a', '/b/a/x', '/b/z'])
    expect(await paths(vfs, { hidden: false })).not.toContain('/.h')
    await expect(paths(vfs, { maxEntries: 2 })).rejects.toMatchObject({ code: 'vfs-too-large' })
  })

  it('walks a tree as deep as a path can be', async () => {
    const vfs = memoryFiles()
    await vfs.mkdir('/a'.repeat(2000), { recursive: true })
    expect(await paths(vfs)).toHaveLength(2000)
  })

  it('copies files and trees, never into themselves', async () => {
    const vfs = memoryFiles({ files: { '/d/e/f': '1', '/g': '2' } })
    await copy(vfs, '/d', '/copy')
    await copy(vfs, '/g', '/new/dir/g')
    expect(await readText(vfs, '/copy/e/f')).toBe('1')
    expect(await readText(vfs, '/new/dir/g')).toBe('2')
    await expect(copy(vfs, '/d', '/d/e/x')).rejects.toMatchObject({ code: 'vfs-invalid' })
    await expect(copy(vfs, '/none', '/x')).rejects.toMatchObject({ code: 'vfs-not-found' })
  })

  it('reads text whole or says that it is binary or too large', async () => {
    const vfs = memoryFiles({
      files: { '/bom': '\ufeffä', '/bin': new Uint8Array([97, 0]), '/bad': new Uint8Array([0xc3]), '/big': 'abcd' },
    })
    expect(await readText(vfs, '/bom')).toBe('\ufeffä')
    await expect(readText(vfs, '/bin')).rejects.toThrow('Cannot read "/bin": it is a binary file, not UTF-8 text')
    await expect(readText(vfs, '/bad')).rejects.toThrow('binary')
    await expect(readText(vfs, '/big', { maxBytes: 3 })).rejects.toMatchObject({ code: 'vfs-too-large' })
    await expect(readText(vfs, '/')).rejects.toMatchObject({ code: 'vfs-is-directory' })
  })
})
