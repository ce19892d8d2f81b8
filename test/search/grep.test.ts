import { describe, expect, it } from 'vitest'
import { grep } from '../../src/search/grep.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'

const files = {
  '/a.txt': 'one\ntwo TODO\nthree\n',
  '/src/b.ts': '// todo: later\r\nlet x = 1\r\n',
  '/src/c.md': 'TODO\nTODO\n',
  '/.hidden': 'TODO',
  '/.git/config': 'TODO',
  '/image': new Uint8Array([84, 79, 68, 79, 0, 1]),
  '/large': `TODO ${'x'.repeat(2 ** 20)}`,
}
const places = async (pattern: string, options = {}) =>
  (await grep(memoryFiles({ files }), pattern, { hidden: false, ...options })).matches.map(
    ({ path, line }) => `${path}:${line}`,
  )

describe('grep()', () => {
  it('gives path, line and text of each match, and says what it skipped', async () => {
    const found = await grep(memoryFiles({ files }), 'TODO', { hidden: false })
    expect(found.matches[0]).toEqual({ path: '/a.txt', line: 2, text: 'two TODO', before: [], after: [] })
    expect(found.matches.map(({ path }) => path)).toEqual(['/a.txt', '/src/c.md', '/src/c.md'])
    expect(found).toMatchObject({ files: 3, skipped: 2, truncated: undefined })
  })

  it('ignores case, takes plain text, and looks only where it is told', async () => {
    expect(await places('todo', { ignoreCase: true })).toContain('/src/b.ts:1')
    expect(await places('= 1$')).toEqual(['/src/b.ts:2'])
    expect(await places('t.o', { literal: true })).toEqual([])
    expect(await places('TODO', { glob: '*.md' })).toEqual(['/src/c.md:1', '/src/c.md:2'])
    expect(await places('TODO', { root: '/src', glob: '**/*.md' })).toHaveLength(2)
    expect(await places('TODO', { root: '/a.txt' })).toEqual(['/a.txt:2'])
    expect(await places('TODO', { hidden: undefined })).toContain('/.git/config:1')
  })

  it('shows lines around a match without their line ends', async () => {
    const { matches } = await grep(memoryFiles({ files }), 'TODO', { context: 1, root: '/a.txt' })
    expect(matches[0]).toMatchObject({ before: ['one'], after: ['three'] })
    const crlf = await grep(memoryFiles({ files }), 'later', { context: 1 })
    expect(crlf.matches[0]).toMatchObject({ text: '// todo: later', after: ['let x = 1'] })
  })

  it('cuts long lines in what it shows', async () => {
    const vfs = memoryFiles({ files: { '/a': `${'x'.repeat(5000)}end` } })
    const { matches } = await grep(vfs, 'end$')
    expect(matches[0]?.text).toHaveLength(401)
    const pair = await grep(memoryFiles({ files: { '/a': `${'x'.repeat(399)}😀end` } }), 'end$')
    expect(pair.matches[0]?.text).toBe(`${'x'.repeat(399)}…`)
  })

  it('says which limit ended the search', async () => {
    const vfs = memoryFiles({ files })
    expect(await grep(vfs, 'TODO', { hidden: false, limit: 1 })).toMatchObject({
      truncated: 'matches',
      matches: [{ path: '/a.txt' }],
    })
    expect(await grep(vfs, 'TODO', { hidden: false, limit: 3 })).toMatchObject({ truncated: undefined })
    expect(await grep(vfs, 'TODO', { hidden: false, maxFiles: 1 })).toMatchObject({ truncated: 'files', files: 1 })
    expect(await grep(vfs, 'TODO', { hidden: false, maxBytes: 20 })).toMatchObject({ truncated: 'bytes', files: 1 })
  })

  it('pauses in long work and stops when aborted meanwhile', async () => {
    const many = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`/f${index}`, 'y'.repeat(900_000)]))
    const control = new AbortController()
    let pauses = 0
    const pause = async () => {
      pauses += 1
      if (pauses === 2) control.abort(new Error('enough'))
    }
    await expect(grep(memoryFiles({ files: many }), 'x', { pause, signal: control.signal })).rejects.toThrow('enough')
    expect(pauses).toBe(2)
  })

  it('refuses a missing place, and a text that is empty or too long', async () => {
    await expect(grep(memoryFiles(), 'x', { root: '/none' })).rejects.toMatchObject({ code: 'vfs-not-found' })
    const long = grep(memoryFiles(), 'x'.repeat(1001), { literal: true })
    await expect(long).rejects.toMatchObject({ code: 'expression-invalid' })
    await expect(grep(memoryFiles(), '', { literal: true })).rejects.toMatchObject({ code: 'expression-invalid' })
  })
})
