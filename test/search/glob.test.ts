import { describe, expect, it } from 'vitest'
import { glob } from '../../src/search/glob.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'

describe('glob()', () => {
  const vfs = memoryFiles({
    files: {
      '/a.md': '',
      '/src/b.ts': '',
      '/src/deep/c.ts': '',
      '/src/deep/d.md': '',
      '/.git/e.md': '',
      '/w [x]/f.md': '',
    },
  })
  const paths = async (pattern: string, options = {}) => (await glob(vfs, pattern, options)).paths

  it('finds files from the root, and names at any depth without a slash', async () => {
    expect(await paths('src/**/*.ts')).toEqual(['/src/b.ts', '/src/deep/c.ts'])
    expect(await paths('/src/*.ts')).toEqual(['/src/b.ts'])
    expect(await paths('*.md')).toEqual(['/.git/e.md', '/a.md', '/src/deep/d.md', '/w [x]/f.md'])
    expect(await paths('./a.md')).toEqual(['/a.md'])
  })

  it('counts a relative pattern from the given directory, whose own name is plain', async () => {
    expect(await paths('*.ts', { root: '/src/deep' })).toEqual(['/src/deep/c.ts'])
    expect(await paths('*.md', { root: '/w [x]' })).toEqual(['/w [x]/f.md'])
  })

  it('leaves hidden names out when asked to', async () => {
    expect(await paths('*.md', { hidden: false })).not.toContain('/.git/e.md')
  })

  it('says when a limit cut', async () => {
    expect(await glob(vfs, '*.md', { limit: 2 })).toEqual({ paths: ['/.git/e.md', '/a.md'], truncated: true })
    expect(await glob(vfs, '*.md', { limit: 4 })).toMatchObject({ truncated: false })
    expect(await glob(vfs, '*.md', { maxEntries: 2 })).toMatchObject({ truncated: true })
  })

  it('finds nothing below a directory that does not exist', async () => {
    expect(await glob(vfs, '/none/*.md')).toEqual({ paths: [], truncated: false })
  })
})
