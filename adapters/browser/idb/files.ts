// Files in a database of the browser. Every operation is one transaction, so several tabs may use the same files.
import { amounts } from '../../../src/error/amount.ts'
import { SameloopError, isSameloopError } from '../../../src/error/error.ts'
import { webHost } from '../../../src/host/web-host.ts'
import { applyChange } from '../../../src/overlay/change.ts'
import type { FileChange } from '../../../src/overlay/change.ts'
import { changesOf, checkBases, writesOf } from '../../../src/overlay/commit.ts'
import { overlayOf } from '../../../src/overlay/cow.ts'
import { newLayers } from '../../../src/overlay/layer.ts'
import { vfsError } from '../../../src/vfs/error.ts'
import { normalizePath } from '../../../src/vfs/path.ts'
import { checkBytes, pageSize, rangeOf, writeAction } from '../../../src/vfs/rule.ts'
import type { Vfs, VfsCapabilities, VfsOperation } from '../../../src/vfs/vfs.ts'
import { makeDir, move, remove, statOf, writeFile } from './change.ts'
import type { Changing } from './change.ts'
import { readChunks } from './chunk.ts'
import { database, faultOf } from './database.ts'
import type { Database } from './database.ts'
import { entriesAfter, findEntry, makeRoot } from './entry.ts'
import { fileTables } from './table.ts'

export interface IndexedDbFilesOptions {
  /** Of the database. Default "sameloop". */
  readonly name?: string | undefined
  /** Milliseconds since the epoch, for `mtime`. Default: the clock of the runtime. */
  readonly now?: (() => number) | undefined
  /** Of one file. Default 512 MiB; more is `vfs-too-large`. */
  readonly maxFileBytes?: number | undefined
  /** What is written when the database is made for the first time. */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | undefined
}

/**
 * Persistent files in an IndexedDB database, in pages, Workers, service workers and extensions. It is opened when it is
 * first used. All of these over one name, in every tab of the site, see the same. How much fits is for the browser to
 * say (`vfs-no-space`), and it may remove all of it unless the page got `navigator.storage.persist()`. A `batch` is in
 * memory until it commits, in one transaction. Without IndexedDB, operations reject with `vfs-denied`; where a newer
 * version of this library made the database, with `vfs-failed`, and nothing in it is touched. Throws `config-invalid` for
 * a `maxFileBytes` that is no number from 0.
 */
export function indexedDbFiles(options: IndexedDbFilesOptions = {}): Vfs {
  const { name = 'sameloop', now = webHost.now, files = {} } = options
  const { maxFileBytes } = amounts(options, { maxFileBytes: 2 ** 29 })
  const changing = (transaction: IDBTransaction): Changing => ({ transaction, now, maxFileBytes })
  const kept = database({
    name,
    seed: async (transaction) => {
      makeRoot(transaction, now())
      for (const [path, content] of Object.entries(files)) {
        const data = typeof content === 'string' ? new TextEncoder().encode(content) : content
        await writeFile(changing(transaction), normalizePath(path), data, { parents: true })
      }
    },
  })
  const capabilities: VfsCapabilities = {
    name: 'indexeddb',
    persistent: true,
    readOnly: false,
    atomicRename: true,
    cas: true,
    append: 'native',
    watch: false,
    maxFileBytes,
  }
  const run: Run = ({ mode, ...what }, work) =>
    told(what, () => kept.transaction({ tables: fileTables, mode }, (transaction) => work(changing(transaction))))
  const within = (transaction: IDBTransaction): Vfs => filesOver(capabilities, (_, work) => work(changing(transaction)))
  const outside = filesOver(capabilities, run)
  const vfs: Vfs = {
    ...outside,
    batch: async (work) => {
      const layers = newLayers(outside, { now })
      const result = await work(overlayOf(layers))
      await run({ mode: 'readwrite', action: 'change', path: '/' }, async ({ transaction }) => {
        const inside = { ...layers, lower: within(transaction) }
        const changes = await changesOf(inside, {})
        await checkBases(inside, changes, {})
        for (const write of await writesOf(inside, changes)) await applyChange(inside.lower, write)
      })
      return result
    },
    dispose: async () => kept.close(),
  }
  known.set(vfs, {
    kept,
    change: async (transaction, changes) => {
      for (const one of changes) await applyChange(within(transaction), one)
    },
  })
  return vfs
}

interface Known {
  readonly kept: Database
  /** Changes the files within a transaction over their tables that somebody else began. */
  readonly change: (transaction: IDBTransaction, changes: readonly FileChange[]) => Promise<void>
}

const known = new WeakMap<Vfs, Known>()

/** What is behind files of this kind. Throws `config-invalid` for others. */
export function behind(vfs: Vfs): Known {
  const found = known.get(vfs)
  if (found) return found
  throw new SameloopError('config-invalid', 'Wanted files of indexedDbFiles() as those of a store in the same database')
}

interface What {
  readonly action: string
  readonly path: string
}

type Work<Value> = (changing: Changing) => Promise<Value>
type Run = <Value>(what: What & { readonly mode: 'readonly' | 'readwrite' }, work: Work<Value>) => Promise<Value>

/** The seven operations, each in one transaction that `run` gives. */
function filesOver(capabilities: VfsCapabilities, run: Run): Vfs {
  const look = <Value>(action: string, path: string, work: Work<Value>): Promise<Value> =>
    run({ mode: 'readonly', action, path }, work)
  const change = <Value>(action: string, path: string, work: Work<Value>): Promise<Value> =>
    run({ mode: 'readwrite', action, path }, work)
  return {
    capabilities,
    stat: async (path, operation) => {
      const at = start(path, operation)
      const row = await look('look at', at, ({ transaction }) => findEntry(transaction, at))
      return row && statOf(at, row)
    },
    list: async (path, operation) => {
      const at = start(path, operation)
      return look('list', at, ({ transaction }) => listDir(transaction, at, operation))
    },
    read: async (path, operation) => {
      const at = start(path, operation)
      return look('read', at, (changing) => readFile(changing, at, operation))
    },
    write: async (path, data, operation = {}) => {
      const at = start(path, operation)
      checkBytes(at, data)
      // The caller may change its bytes before the transaction begins.
      const bytes = data.slice()
      return change(writeAction(operation), at, (changing) => writeFile(changing, at, bytes, operation))
    },
    mkdir: async (path, operation) => {
      const at = start(path, operation)
      return change('create', at, (changing) => makeDir(changing, at, operation))
    },
    rm: async (path, operation) => {
      const at = start(path, operation)
      return change('remove', at, (changing) => remove(changing, at, operation))
    },
    rename: async (from, to, operation) => {
      const [source, target] = [start(from, operation), normalizePath(to)]
      return change('rename', source, (changing) => move(changing, source, target))
    },
  }
}

function start(path: string, operation: VfsOperation | undefined): string {
  operation?.signal?.throwIfAborted()
  return normalizePath(path)
}

/** A failure of the database in the words of files. */
async function told<Value>({ action, path }: What, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (isSameloopError(error)) throw error
    const { errno, reason } = faultOf(error)
    throw vfsError(errno, path, { action, reason, cause: error })
  }
}

async function listDir(
  transaction: IDBTransaction,
  path: string,
  { limit, cursor }: NonNullable<Parameters<Vfs['list']>[1]> = {},
): ReturnType<Vfs['list']> {
  const dir = await findEntry(transaction, path)
  if (dir?.type !== 'dir') throw vfsError(dir ? 'ENOTDIR' : 'ENOENT', path, { action: 'list' })
  const size = pageSize(path, limit)
  const most = size > maxPage ? undefined : size
  const rows = await entriesAfter(transaction, path, { after: cursor, limit: most && most + 1 })
  const entries = rows.slice(0, most).map(({ name, type, size, mtime }) => ({ name, type, size, mtime }))
  const last = entries.at(-1)
  return last && rows.length > entries.length ? { entries, cursor: last.name } : { entries }
}

/** More than any directory has; the browser takes no count above 32 bits. */
const maxPage = 2 ** 31

async function readFile(
  { transaction, maxFileBytes }: Changing,
  path: string,
  range: Parameters<Vfs['read']>[1],
): Promise<Uint8Array> {
  const action = 'read'
  const row = await findEntry(transaction, path)
  if (row?.type !== 'file') throw vfsError(row ? 'EISDIR' : 'ENOENT', path, { action })
  const { from, to } = rangeOf(path, row.size, range)
  if (to - from > maxFileBytes)
    throw vfsError('EFBIG', path, { action, reason: `at most ${maxFileBytes} bytes are read at once` })
  const bytes = await readChunks(transaction, row.content, { from, to })
  if (bytes) return bytes
  throw vfsError('EIO', path, { action, reason: 'a part of its content is missing in the database' })
}
