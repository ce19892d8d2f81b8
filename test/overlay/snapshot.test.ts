import { describe, expect, it } from 'vitest'
import { restore, snapshot } from '../../src/overlay/snapshot.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { writeText } from '../../src/vfs/text.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { walk } from '../../src/vfs/walk.ts'

const paths = async (vfs: Vfs) => {
  const all: string[] = []
  for await (const { path } of walk(vfs, '/')) all.push(path)
  return all
}

describe('snapshot() and restore()', () => {
  it('bring a directory back as it was, elsewhere too', async () => {
    const vfs = memoryFiles({ files: { '/w/a': 'a', '/w/d/b': 'b', '/other': 'o' } })
    await vfs.mkdir('/w/empty')
    const taken = structuredClone(await snapshot(vfs, { root: '/w' }))
    await vfs.rm('/w/d', { recursive: true })
    await writeText(vfs, '/w/new', 'n')
    await restore(vfs, taken, { root: '/w' })
    expect(await paths(vfs)).toEqual(['/other', '/w', '/w/a', '/w/d', '/w/d/b', '/w/empty'])
    const copied = memoryFiles({ files: { '/gone': '' } })
    await restore(copied, taken)
    expect(await paths(copied)).toEqual(['/a', '/d', '/d/b', '/empty'])
  })
})
