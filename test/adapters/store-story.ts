// What a run store answers to one story of appends, reads and leases: the same, whatever keeps the records.
import type { RunRecord, RunStore } from '../../src/tool/run-store.ts'

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'went through',
    (error: { readonly code?: string; readonly message: string }) => [error.code, error.message],
  )

async function records(store: RunStore, run: string, after = 0): Promise<readonly RunRecord[]> {
  const all: RunRecord[] = []
  for await (const record of store.read(run, after)) all.push(record)
  return all
}

const record = (seq: number, data: RunRecord['data'] = { seq }): RunRecord => ({ seq, type: `type-${seq}`, data })

export async function storeStory(store: RunStore): Promise<readonly unknown[]> {
  const told: unknown[] = []
  const tell = (value: unknown): void => void told.push(value)
  tell(await store.list())
  tell(await refusal(store.append('a', [record(1)], { expectSeq: 0, epoch: 1 })))
  const epoch = await store.lease('a')
  tell(epoch)
  tell(await refusal(store.append('a', [record(1), record(3)], { expectSeq: 0, epoch })))
  tell(await refusal(store.append('a', [record(4)], { expectSeq: 1, epoch })))
  tell(await refusal(store.append('a', [record(4), record(4)], { expectSeq: 3, epoch })))
  tell(await records(store, 'a'))
  tell(await refusal(store.append('a', [], { expectSeq: 3, epoch })))
  const next = await store.lease('a')
  tell(await refusal(store.append('a', [record(4)], { expectSeq: 3, epoch })))
  const long = 'é'.repeat(1_500_000)
  tell(await refusal(store.append('a', [record(4, long), record(5, null)], { expectSeq: 3, epoch: next })))
  const [kept, last] = await records(store, 'a', 3)
  tell([kept?.data === long, last])
  await store.append('b', [record(1)], { expectSeq: 0, epoch: await store.lease('b') })
  tell(await store.list())
  const reading: number[] = []
  for await (const { seq } of store.read('b', 0)) {
    reading.push(seq)
    await store.append('b', [record(seq + 1)], { expectSeq: seq, epoch: 1 })
  }
  tell(reading)
  await store.timer('b', 1000)
  await store.timer('b', undefined)
  await store.delete('a')
  tell([await store.list(), await records(store, 'a'), await store.lease('a')])
  return told
}
