// Files in the SQLite database of a Durable Object: a table of nodes and one of chunks.
import { amounts } from '../../../src/error/amount.ts'
import { isSameloopError, SameloopError } from '../../../src/error/error.ts'
import { webHost } from '../../../src/host/web-host.ts'
import type { FileChange } from '../../../src/overlay/change.ts'
import { vfsError } from '../../../src/vfs/error.ts'
import { normalizePath } from '../../../src/vfs/path.ts'
import { checkBytes, pageSize, rangeOf, writeAction } from '../../../src/vfs/rule.ts'
import type { Vfs, VfsCapabilities, VfsOperation } from '../../../src/vfs/vfs.ts'
import type { Base } from '../../../src/overlay/commit.ts'
import { batchOver } from './batch.ts'
import { readChunks } from './chunk.ts'
import { childrenOf, chunksOf, findNode, nodeTables } from './file-table.ts'
import { makeDir, move, remove, statOf, writeFile } from './vfs-change.ts'
import type { Files } from './vfs-change.ts'

export interface SqliteFilesOptions {
  /** Milliseconds since the epoch, for `mtime`. Default: the clock of the runtime. */
  readonly now?: (() => number) | undefined
  /** Of all contents together. Default 256 MiB; more is `vfs-no-space`. */
  readonly maxBytes?: number | undefined
  /** Of one file. Default 32 MiB, as an object has 128 MB of memory; more is `vfs-too-large`. */
  readonly maxFileBytes?: number | undefined
  /** Files and directories. Default 100,000; more is `vfs-no-space`. */
  readonly maxEntries?: number | undefined
  /** What is written when these tables are made for the first time. */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | undefined
}

const facts: VfsCapabilities = {
  name: 'durable-object',
  persistent: true,
  readOnly: false,
  atomicRename: true,
  cas: true,
  append: 'native',
  watch: false,
}

/** The part of a Durable Object's storage that files and logs use. */
export type SqlBase = Pick<DurableObjectStorage, 'sql' | 'transactionSync'>

/**
 * Persistent files in tables `vfs_nodes`, `vfs_totals` and `blob_chunks`. Every operation is one transaction, and a
 * `batch` is one as well, so two of these over one storage see the same. It must be the storage of an object with SQLite.
 * Throws `config-invalid` for a limit that is no number from 0, `vfs-failed` for tables of a newer program.
 */
export function sqliteFiles(storage: SqlBase, options: SqliteFilesOptions = {}): Vfs {
  const { now = webHost.now } = options
  const limits = amounts(options, { maxBytes: 2 ** 28, maxFileBytes: 2 ** 25, maxEntries: 100_000 })
  const files: Files = { sql: storage.sql, now, ...limits }
  storage.transactionSync(() => {
    if (!nodeTables(files.sql, now())) return
    for (const [path, content] of Object.entries(options.files ?? {})) {
      const data = typeof content === 'string' ? new TextEncoder().encode(content) : content
      writeFile(files, normalizePath(path), data, { parents: true })
    }
  })
  const change = <Value>(path: string, action: string, work: () => Value): Value =>
    inTables(path, action, () => storage.transactionSync(work))
  const vfs: Vfs = {
    capabilities: { ...facts, maxFileBytes: files.maxFileBytes },
    stat: async (path, operation) => {
      const at = start(path, operation)
      const node = inTables(at, 'look at', () => findNode(files.sql, at))
      return node && statOf(at, node)
    },
    list: async (path, operation) => {
      const at = start(path, operation)
      return inTables(at, 'list', () => listDir(files, at, operation))
    },
    read: async (path, operation) => {
      const at = start(path, operation)
      return inTables(at, 'read', () => readFile(files, at, operation))
    },
    write: async (path, data, operation = {}) => {
      const at = start(path, operation)
      checkBytes(at, data)
      return change(at, writeAction(operation), () => writeFile(files, at, data, operation))
    },
    mkdir: async (path, operation) => {
      const at = start(path, operation)
      change(at, 'create', () => makeDir(files, at, operation))
    },
    rm: async (path, operation) => {
      const at = start(path, operation)
      change(at, 'remove', () => remove(files, at, operation))
    },
    rename: async (from, to, operation) => {
      const [source, target] = [start(from, operation), normalizePath(to)]
      change(source, 'rename', () => move(files, source, target))
    },
    batch: (work) =>
      batchOver(vfs, {
        now,
        commit: ({ bases, writes }) =>
          change('/', 'change', () => {
            for (const base of bases) checkBase(files, base)
            for (const write of writes) apply(files, write)
          }),
      })(work),
  }
  changers.set(vfs, { storage, change: (changes) => changes.forEach((one) => apply(files, one)) })
  return vfs
}

interface Changer {
  readonly storage: SqlBase
  readonly change: (changes: readonly FileChange[]) => void
}

const changers = new WeakMap<Vfs, Changer>()

/** Changes files of this storage within a transaction that somebody else began. Throws `config-invalid` for other files. */
export function changerOf(vfs: Vfs, storage: SqlBase): Changer['change'] {
  const known = changers.get(vfs)
  if (known?.storage.sql === storage.sql) return known.change
  throw new SameloopError('config-invalid', 'Wanted files of sqliteFiles() over the same storage as the store')
}

function checkBase({ sql }: Files, [path, etag]: Base): void {
  const node = findNode(sql, path)
  if ((node && statOf(path, node).etag) !== etag) throw vfsError('ECONFLICT', path, { action: 'commit' })
}

function apply(files: Files, { type, path, data }: FileChange): void {
  const at = normalizePath(path)
  const isDir = findNode(files.sql, at)?.dir === 1
  // A file may take the place of a directory.
  if (type === 'delete' || (data && isDir)) remove(files, at, { recursive: true, force: true })
  if (data) writeFile(files, at, data, { parents: true })
  else if (type !== 'delete' && !isDir) makeDir(files, at, { recursive: true })
}

/** Faults of the tables in the words of files. */
function inTables<Value>(path: string, action: string, work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    if (isSameloopError(cause)) throw cause
    throw vfsError(/SQLITE_FULL/.test(String(cause)) ? 'ENOSPC' : 'EIO', path, { action, cause })
  }
}

function start(path: string, operation: VfsOperation | undefined): string {
  operation?.signal?.throwIfAborted()
  return normalizePath(path)
}

interface Paging {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

function listDir({ sql }: Files, path: string, { limit, cursor }: Paging = {}): Awaited<ReturnType<Vfs['list']>> {
  const dir = findNode(sql, path)
  if (dir?.dir !== 1) throw vfsError(dir === undefined ? 'ENOENT' : 'ENOTDIR', path, { action: 'list' })
  const most = Math.min(pageSize(path, limit), 100_000)
  const rows = childrenOf(sql, dir.id, { after: cursor, limit: most + 1 })
  const entries = rows.slice(0, most).map(({ name, dir: isDir, size, mtime }) => {
    return { name, type: isDir === 1 ? ('dir' as const) : ('file' as const), size, mtime }
  })
  return rows.length > most ? { entries, cursor: entries.at(-1)!.name } : { entries }
}

function readFile({ sql }: Files, path: string, range: Parameters<Vfs['read']>[1]): Uint8Array {
  const node = findNode(sql, path)
  if (node?.dir !== 0) throw vfsError(node === undefined ? 'ENOENT' : 'EISDIR', path, { action: 'read' })
  return readChunks(sql, chunksOf(node.id), rangeOf(path, node.size, range))
}
