// The run store in a database of Deno, under the contract and beyond it.
import { kvStore } from '../../../../adapters/deno/kv/kv-store.ts'
import type { Kv, KvKey } from '../../../../adapters/deno/kv/kv.ts'
import { equal } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { storeContract } from '../../../../src/testing/contract/store.ts'
import type { StoreUnderTest } from '../../../../src/testing/contract/store.ts'
import type { Suite } from '../report.ts'
import { contractCase } from '../report.ts'
import { codeOf, scratch } from './scratch.ts'

interface Runtime {
  readonly Deno: { openKv(path: string): Promise<Kv & { close(): void }> }
}

const open = (path: string) => (globalThis as unknown as Runtime).Deno.openKv(path)

async function underTest(): Promise<StoreUnderTest> {
  const path = `${await scratch()}/kv`
  const databases = [await open(path)]
  const make = (kv: Kv = databases[0]!) => kvStore(kv)
  return {
    store: make(),
    reopen: async () => {
      databases.push(await open(path))
      return make(databases.at(-1))
    },
    dispose: async () => {
      for (const database of databases) database.close()
    },
  }
}

async function countOf(kv: Kv, prefix: KvKey): Promise<number> {
  let count = 0
  for await (const _ of kv.list({ prefix })) count += 1
  return count
}

async function withKv(work: (kv: Kv) => Promise<void>): Promise<void> {
  const kv = await open(':memory:')
  try {
    await work(kv)
  } finally {
    kv.close()
  }
}

const record = (seq: number, length: number) => ({ seq, type: 'x', data: JSON.stringify('é'.repeat(length)) })

const cases: readonly ContractCase[] = [
  contractCase('keeps an append that is larger than a value and than a transaction may be', () =>
    withKv(async (kv) => {
      const store = kvStore(kv)
      const { epoch } = await store.lease('a')
      const large = [record(1, 10), record(2, 1_000_000), record(3, 10)]
      await store.append('a', large, { expectSeq: 0, epoch })
      const many = Array.from({ length: 3000 }, (_, index) => record(4 + index, 1))
      await store.append('a', many, { expectSeq: 3, epoch })
      const found = []
      for await (const one of store.read('a', 1)) found.push(one)
      equal(JSON.stringify(found) === JSON.stringify([...large, ...many].slice(1)), true)
      equal((await store.last('a'))?.seq, 3003)
    }),
  ),
  contractCase('leaves nothing of an append that is refused, and of a run that is deleted', () =>
    withKv(async (kv) => {
      const store = kvStore(kv)
      const { epoch } = await store.lease('a')
      await store.append('a', [record(1, 100_000)], { expectSeq: 0, epoch })
      const before = await countOf(kv, ['sameloop'])
      const [one, two] = await Promise.all(
        [1, 2].map(() => codeOf(store.append('a', [record(2, 100_000)], { expectSeq: 1, epoch }))),
      )
      equal([one, two].filter((code) => code === 'journal-conflict').length, 1)
      equal((await countOf(kv, ['sameloop'])) - before, 4)
      await store.delete('a')
      // The format, and who may write to a new run of that name.
      equal(await countOf(kv, ['sameloop']), 2)
    }),
  ),
  contractCase('refuses what a newer release wrote, and what is damaged', () =>
    withKv(async (kv) => {
      const store = kvStore(kv)
      const { epoch } = await store.lease('a')
      await store.append('a', [record(1, 100_000)], { expectSeq: 0, epoch })
      for await (const { key } of kv.list({ prefix: ['sameloop', 'chunk'] }, { limit: 1 }))
        await kv
          .atomic()
          .delete(key as KvKey)
          .commit()
      equal(await codeOf(store.last('a')), 'journal-invalid')
      await kv.atomic().set(['sameloop', 'format'], { version: 2 }).commit()
      equal(await codeOf(kvStore(kv).lease('a')), 'journal-version')
    }),
  ),
  contractCase('keeps two stores in one database apart', () =>
    withKv(async (kv) => {
      const [one, other] = [kvStore(kv, { prefix: ['one'] }), kvStore(kv, { prefix: ['other'] })]
      const { epoch } = await one.lease('a')
      await one.append('a', [record(1, 1)], { expectSeq: 0, epoch })
      equal([(await one.list()).length, (await other.list()).length], [1, 0])
    }),
  ),
]

export const kvSuite = (): Suite => ({ name: 'kvStore', cases: [...storeContract(underTest, ['files']), ...cases] })
