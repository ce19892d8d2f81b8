import { expect, it } from 'vitest'
import { memoryStore } from '../../src/journal/memory-store.ts'

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
