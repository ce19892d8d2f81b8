import { expect, it } from 'vitest'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { treeOf } from '../../src/testing/random/files.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'

it('a store in memory drops the logs that were written to longest ago, whole, and never the one being written', async () => {
  const store = memoryStore({ maxChars: 100 })
  const write = async (run: string, seq: number) => {
    const { epoch } = await store.lease(run)
    await store.append(run, [{ seq, type: 'x', data: '"'.padEnd(40, 'x') }], { expectSeq: seq - 1, epoch })
  }
  const runs = async () => (await store.list()).map(({ run }) => run)
  await write('a', 1)
  await write('b', 1)
  await write('a', 2)
  expect(await runs()).toEqual(['a'])
  await write('c', 1)
  expect(await runs()).toEqual(['c'])
  for (let seq = 2; seq < 6; seq++) await write('c', seq)
  expect(await runs()).toEqual(['c'])
})

it('a store in memory leaves files as they were when one change of an append cannot be made', async () => {
  const files = memoryFiles({ files: { '/d/b': 'b', '/d/e/c': 'c', '/f': 'f' } })
  const before = await treeOf(files)
  const store = memoryStore({ files })
  const { epoch } = await store.lease('a')
  const data = new TextEncoder().encode('x')
  const changes = [
    { type: 'modify', path: '/d', data },
    { type: 'delete', path: '/f' },
    { type: 'add', path: '/f/deep/x', data },
    { type: 'add', path: '/new/deep/x', data },
    { type: 'add', path: `/${'x'.repeat(256)}`, data },
  ] as const
  const append = (some: typeof changes | readonly [(typeof changes)[3]]) =>
    store.append('a', [{ seq: 1, type: 'x', data: '1' }], { expectSeq: 0, epoch, files: some })
  await expect(append(changes)).rejects.toMatchObject({ code: 'vfs-invalid' })
  expect([await treeOf(files), await store.last('a')]).toEqual([before, undefined])
  await append([changes[3]])
  expect(await files.read('/new/deep/x')).toEqual(data)
})
