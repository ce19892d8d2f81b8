// A Durable Object in which the tests of adapters run: the contract of files, large files, and the swap of presets.
import { cloudflare } from '../../../adapters/cloudflare/index.ts'
import { sqliteFiles } from '../../../adapters/cloudflare/files/vfs.ts'
import { sqliteStore } from '../../../adapters/cloudflare/store.ts'
import { swap } from '../../adapters/swap.ts'
import type { ContractCase } from '../../../src/testing/contract/case.ts'
import { storeContract } from '../../../src/testing/contract/store.ts'
import { vfsContract } from '../../../src/testing/contract/vfs.ts'
import { cow } from '../../../src/overlay/cow.ts'
import { treeOf } from '../../../src/testing/random/files.ts'
import { memoryFiles } from '../../../src/vfs/memory.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'

const pattern = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8) + seed) & 255)

const same = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, index) => byte === right[index])

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'went through',
    (error: { readonly code?: string }) => error.code ?? String(error),
  )

/** What files that span several rows answer. */
async function largeFiles(vfs: Vfs): Promise<unknown> {
  const whole = pattern(5_300_000, 1)
  await vfs.write('/large', whole)
  const ranges = [
    [0, 10],
    [1_048_570, 20],
    [2_000_000, 2_500_000],
    [5_299_990, 100],
    [1_048_576, 1_048_576],
  ] as const
  const read = []
  for (const [offset, length] of ranges) {
    read.push(same(await vfs.read('/large', { offset, length }), whole.slice(offset, offset + length)))
  }
  const parts = [700_000, 400_000, 1, 1_048_576, 0, 3].map((length, index) => pattern(length, index))
  for (const part of parts) await vfs.write('/log', part, { mode: 'append' })
  const joined = new Uint8Array(parts.flatMap((part) => [...part]))
  await vfs.rename('/large', '/moved')
  const moved = same(await vfs.read('/moved'), whole)
  await vfs.write('/moved', pattern(3, 9))
  return { read, appended: same(await vfs.read('/log'), joined), moved, shorter: [...(await vfs.read('/moved'))] }
}

async function limits(storage: DurableObjectStorage): Promise<unknown> {
  const vfs = sqliteFiles(storage, { maxBytes: 1000, maxFileBytes: 600, maxEntries: 4 })
  const write = (path: string, size: number) => refusal(vfs.write(path, new Uint8Array(size), { parents: true }))
  const answers = [
    await write('/a', 601),
    await write('/a', 600),
    await write('/b', 401),
    await write('/b', 400),
    await write('/b', 300),
  ]
  answers.push(await write('/d/e/f', 1), await write('/d/e', 1), await write('/c', 1), await refusal(vfs.mkdir('/x')))
  await vfs.rm('/a')
  answers.push(await write('/a', 600))
  await vfs.rm('/d', { recursive: true })
  answers.push(await write('/x', 100), await write('/y', 1))
  const owners = storage.sql.exec<{ owner: string }>('SELECT DISTINCT owner FROM blob_chunks').toArray()
  return { answers, files: owners.length }
}

/** What a batch leaves that goes well, one that has too much in the end, and one whose file somebody else changed. */
async function batches(storage: DurableObjectStorage): Promise<unknown> {
  const vfs = sqliteFiles(storage, { maxBytes: 100, files: { '/a': 'a', '/d/b': 'b', '/old': 'x' } })
  const change = async (files: Vfs, bytes: number): Promise<void> => {
    await files.rm('/d', { recursive: true })
    await files.write('/d', new Uint8Array(3))
    await files.rename('/old', '/new')
    await files.mkdir('/empty')
    await files.write('/large', new Uint8Array(bytes))
  }
  const before = await treeOf(vfs)
  const tooLarge = await refusal(vfs.batch!((files) => change(files, 200)))
  const overlay = cow(vfs)
  await change(overlay, 200)
  const commit = await refusal(overlay.commit())
  const theirs = vfs.batch!(async (files) => {
    await change(files, 10)
    await files.write('/a', new Uint8Array(1))
    await vfs.write('/a', new Uint8Array(2))
  })
  const conflict = await refusal(theirs)
  await vfs.write('/a', new TextEncoder().encode('a'))
  const untouched = JSON.stringify(before) === JSON.stringify(await treeOf(vfs))
  const wanted = memoryFiles({ files: { '/a': 'a', '/d/b': 'b', '/old': 'x' } })
  await change(wanted, 10)
  await vfs.batch!((files) => change(files, 10))
  const done = JSON.stringify(await treeOf(wanted)) === JSON.stringify(await treeOf(vfs))
  return { tooLarge, commit, conflict, untouched, done }
}

async function reported(cases: readonly ContractCase[]): Promise<Readonly<Record<string, string>>> {
  const report: Record<string, string> = {}
  for (const { name, skipped, run } of cases) {
    if (skipped !== undefined) continue
    report[name] = await run().then(
      () => 'kept',
      (error: unknown) => String(error),
    )
  }
  return report
}

export class Probe {
  readonly #state: DurableObjectState

  constructor(state: DurableObjectState) {
    this.#state = state
  }

  async fetch(request: Request): Promise<Response> {
    const { storage } = this.#state
    const clear = (): DurableObjectStorage => {
      for (const table of ['vfs_nodes', 'vfs_totals', 'blob_chunks', 'store_runs', 'store_records'])
        storage.sql.exec(`DROP TABLE IF EXISTS ${table}`)
      return storage
    }
    const path = new URL(request.url).pathname
    if (path === '/swap') return Response.json(await swap((options) => cloudflare(this.#state, {}, (clear(), options))))
    if (path === '/large') return Response.json(await largeFiles(sqliteFiles(clear())))
    if (path === '/limits') return Response.json(await limits(clear()))
    if (path === '/store') {
      const cases = storeContract(async () => {
        const files = sqliteFiles(clear())
        return { store: sqliteStore(storage, { files }), reopen: async () => sqliteStore(storage) }
      })
      return Response.json(await reported(cases))
    }
    if (path === '/left') {
      const store = sqliteStore(clear())
      const { epoch } = await store.lease('long')
      const long = JSON.stringify('é'.repeat(1_500_000))
      await store.append('long', [{ seq: 1, type: 'x', data: long }], { expectSeq: 0, epoch })
      await store.delete('long')
      return Response.json(storage.sql.exec('SELECT count(*) AS count FROM blob_chunks').one())
    }
    if (path === '/batch') return Response.json(await batches(clear()))
    if (path === '/two') {
      const [one, two] = [
        sqliteFiles(clear(), { files: { '/seed.txt': 'x' } }),
        sqliteFiles(storage, { files: { '/other.txt': 'y' } }),
      ]
      await one.write('/new.txt', new Uint8Array(2))
      await two.rm('/seed.txt')
      return Response.json((await one.list('/')).entries.map(({ name }) => name))
    }
    return Response.json(await reported(vfsContract(async () => sqliteFiles(clear()), ['watch'])))
  }
}

export default {
  fetch: (request: Request, env: { readonly PROBE: DurableObjectNamespace }): Promise<Response> =>
    env.PROBE.get(env.PROBE.idFromName('probe')).fetch(request),
}
