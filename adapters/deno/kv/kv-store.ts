// The run store in a Deno KV database.
import { isSameloopError, SameloopError } from '../../../src/error/error.ts'
import { checkAppend } from '../../../src/journal/conflict.ts'
import type { Appending } from '../../../src/journal/conflict.ts'
import { runStore } from '../../../src/journal/run-store.ts'
import { isObject } from '../../../src/json/value.ts'
import type { RunStore, RunSummary } from '../../../src/tool/run-store.ts'
import { folderName } from '../../node/store/run-folder.ts'
import { changeHead, headOf, newHead, onlyAfter, readHead } from './head.ts'
import type { Head } from './head.ts'
import { clear } from './kv.ts'
import type { Kv, KvKey } from './kv.ts'
import { dropChunks, readPage, writePage } from './page.ts'

export interface KvStoreOptions {
  /** The keys below which everything is. Default `['sameloop']`. */
  readonly prefix?: readonly string[] | undefined
}

/** Of what is in the database. */
const version = 1

/**
 * A persistent run store in the database that `Deno.openKv()` gives, for which Deno runs with `--unstable-kv`. An append
 * is there whole or not at all; several processes and machines may use one database: who leases a run takes it from whoever
 * had it. Its files are no part of it: calls with the effect `local` count as `unsafe`. Rejects with `journal-version` where
 * a newer release wrote it, with `journal-failed` where the database fails.
 */
export function kvStore(kv: Kv, { prefix = ['sameloop'] }: KvStoreOptions = {}): RunStore {
  const space = spaceOf(kv, prefix)
  const inKv = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      await space.open()
      return await work()
    } catch (thrown) {
      if (isSameloopError(thrown)) throw thrown
      const words = 'Cannot use the run store: the database failed'
      throw new SameloopError('journal-failed', words, { cause: thrown, retryable: true })
    }
  }
  return runStore({
    append: (run, records, options) => inKv(() => append(space, run, { records, options })),
    async *read(run, after) {
      const { head } = await inKv(() => space.find(run))
      if (!head) return
      const keys = await space.keysOf(run)
      const pages = keys.pages(head)
      // By its last record, so that the first of them is the one with what comes after `after`.
      const range = { start: [...pages, after + 1], end: [...pages, head.lastSeq + 1] }
      const found = kv.list(range)[Symbol.asyncIterator]()
      for (;;) {
        const next = await inKv(() => found.next())
        if (next.done) return
        const records = await inKv(() => readPage(kv, keys.chunks, next.value.value))
        for (const record of records) if (record.seq > after) yield record
      }
    },
    last: (run) =>
      inKv(async () => {
        const { head } = await space.find(run)
        const keys = await space.keysOf(run)
        if (!head || head.lastSeq === 0) return undefined
        const { value } = await kv.get([...keys.pages(head), head.lastSeq])
        return (await readPage(kv, keys.chunks, value)).at(-1)
      }),
    lease: (run) =>
      inKv(async () => {
        const { key } = await space.keysOf(run)
        const head = await changeHead(kv, { key, run }, (old) => ({ ...old, epoch: old.epoch + 1 }))
        return { epoch: head.epoch, lastSeq: head.lastSeq }
      }),
    timer: (run, at) =>
      inKv(async () => {
        const { head } = await space.find(run)
        const { key } = await space.keysOf(run)
        if (head || at !== undefined) await changeHead(kv, { key, run }, (old) => ({ ...old, wakeAt: at }))
      }),
    list: () => inKv(() => summaries(space)),
    delete: (run) =>
      inKv(async () => {
        const { key, all, chunks } = await space.keysOf(run)
        const { head } = await space.find(run)
        // Who wrote it cannot write to a new one of its name.
        if (head) await changeHead(kv, { key, run }, ({ epoch }) => ({ ...newHead(run), epoch: epoch + 1 }))
        await clear(kv, all)
        await clear(kv, chunks)
      }),
  })
}

interface RunKeys {
  readonly key: KvKey
  /** Of the pages of this and earlier logs of the name. */
  readonly all: KvKey
  readonly pages: (head: Head) => KvKey
  readonly chunks: KvKey
}

interface Space {
  readonly kv: Kv
  readonly heads: KvKey
  open(): Promise<void>
  keysOf(run: string): Promise<RunKeys>
  find(run: string): ReturnType<typeof readHead>
}

function spaceOf(kv: Kv, prefix: readonly string[]): Space {
  let opened: Promise<void> | undefined
  const heads = [...prefix, 'run']
  const keysOf = async (run: string): Promise<RunKeys> => {
    // A name of any length and letter.
    const name = await folderName(run)
    const all = [...prefix, 'page', name]
    return { key: [...heads, name], all, pages: ({ log }) => [...all, log], chunks: [...prefix, 'chunk', name] }
  }
  return {
    kv,
    heads,
    keysOf,
    find: async (run) => readHead(kv, (await keysOf(run)).key),
    open: () => {
      opened ??= openVersion(kv, [...prefix, 'format'])
      opened.catch(() => (opened = undefined))
      return opened
    },
  }
}

async function openVersion(kv: Kv, key: KvKey): Promise<void> {
  await kv.atomic().check({ key, versionstamp: null }).set(key, { version }).commit()
  const { value } = await kv.get(key)
  const found = isObject(value) ? value['version'] : undefined
  if (found === version) return
  const words = `Cannot open the run store: wanted version ${version}, got ${String(found)}`
  throw new SameloopError('journal-version', words)
}

async function append({ kv, find, keysOf }: Space, run: string, { records, options }: Appending): Promise<void> {
  const keys = await keysOf(run)
  const check = ({ head }: { readonly head: Head | undefined }): Head => {
    checkAppend(run, head ?? { epoch: 0, lastSeq: 0 }, { records, options })
    if (head) return head
    throw new SameloopError('journal-conflict', `Cannot write the log of run "${run}": nobody leased it`, {
      data: { run },
    })
  }
  const before = check(await find(run))
  if (records.length === 0) return
  const page = await writePage(kv, keys.chunks, records)
  try {
    for (;;) {
      const found = await find(run)
      const head = check(found)
      if (head.log !== before.log) return void check({ head: undefined })
      const lastSeq = head.lastSeq + records.length
      const change = onlyAfter(kv, keys.key, found).set(keys.key, { ...head, lastSeq })
      // Somebody else may have set its timer.
      if ((await change.set([...keys.pages(head), lastSeq], page).commit()).ok) return
    }
  } catch (thrown) {
    await dropChunks(kv, keys.chunks, page).catch(() => undefined)
    throw thrown
  }
}

async function summaries({ kv, heads }: Space): Promise<readonly RunSummary[]> {
  const found: RunSummary[] = []
  for await (const { value } of kv.list({ prefix: heads })) {
    const { run, lastSeq, epoch } = headOf(value)
    if (lastSeq > 0) found.push({ run, lastSeq, epoch })
  }
  return found
}
