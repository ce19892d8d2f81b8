import { expect, it } from 'vitest'
import { fileWork } from '../../src/journal/file-work.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { writeText } from '../../src/vfs/text.ts'

it('what a call changed is told without reading what that removes', async () => {
  const below = memoryFiles({ files: { '/large': 'x', '/dir/a': 'x' } })
  const read: string[] = []
  const files = {
    ...below,
    read: (path: string) => {
      read.push(path)
      return below.read(path)
    },
  }
  const work = fileWork(files, { count: 0, changed: new Map() }, () => 0)
  await work.fs.rm('/large')
  await work.fs.rm('/dir', { recursive: true })
  await writeText(work.fs, '/new', 'y')
  expect((await work.changes()).map(({ type, path }) => [type, path])).toEqual([
    ['delete', '/large'],
    ['delete', '/dir'],
    ['modify', '/new'],
  ])
  expect(read).toEqual([])
})
