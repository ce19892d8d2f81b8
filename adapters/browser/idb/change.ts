// What changes files in a database. Each function runs inside one transaction and checks before it writes.
import { vfsError } from '../../../src/vfs/error.ts'
import { parentPath, pathName } from '../../../src/vfs/path.ts'
import { checkMakeDir, checkMove, checkRemove, checkTarget, checkWrite, writeAction } from '../../../src/vfs/rule.ts'
import type { Vfs, VfsStat, VfsWriteOptions } from '../../../src/vfs/vfs.ts'
import { writeChunks } from './chunk.ts'
import { valueOf } from './database.ts'
import { dropTree, findEntry, growDirs, isEmpty, missingDirs, moveTree, putEntry, touch } from './entry.ts'
import type { EntryRow } from './table.ts'

/** A transaction over the tables of files, and what the files are held to. */
export interface Changing {
  readonly transaction: IDBTransaction
  readonly now: () => number
  readonly maxFileBytes: number
}

export function statOf(path: string, { type, size, mtime, version }: EntryRow): VfsStat {
  if (type === 'dir') return { path, type, size: 0, mtime }
  return { path, type, size, mtime, etag: String(version) }
}

const found = async (
  transaction: IDBTransaction,
  path: string,
  row: EntryRow | undefined,
): Promise<{ readonly type: EntryRow['type']; readonly isEmpty: boolean } | undefined> =>
  row && { type: row.type, isEmpty: await isEmpty(transaction, path, row) }

async function nextVersion(transaction: IDBTransaction): Promise<number> {
  const counters = transaction.objectStore('counters')
  const version = 1 + ((await valueOf<number | undefined>(counters.get('version'))) ?? 0)
  counters.put(version, 'version')
  return version
}

export async function writeFile(
  { transaction, now, maxFileBytes }: Changing,
  path: string,
  data: Uint8Array,
  options: VfsWriteOptions,
): Promise<VfsStat> {
  const action = writeAction(options)
  // Asked for together: each answer of the database takes its time.
  const [old, missing, version] = await Promise.all([
    findEntry(transaction, path),
    missingDirs(transaction, path, action),
    nextVersion(transaction),
  ])
  checkWrite(path, { taken: old && statOf(path, old), hasParent: missing.length === 0 }, options)
  const kept = options.mode === 'append' ? (old?.size ?? 0) : 0
  const size = kept + data.length
  if (size > maxFileBytes) throw vfsError('EFBIG', path, { action, reason: `a file may have ${maxFileBytes} bytes` })
  const mtime = now()
  const row: EntryRow = { name: pathName(path), type: 'file', size, mtime, version, content: old?.content ?? version }
  if (!old) {
    await growDirs(transaction, missing, mtime)
    if (missing.length === 0) await touch(transaction, parentPath(path), mtime)
  }
  putEntry(transaction, path, row)
  await writeChunks(transaction, row.content, { data, kept })
  return statOf(path, row)
}

export async function makeDir(
  { transaction, now }: Changing,
  path: string,
  options: Parameters<Vfs['mkdir']>[1],
): Promise<void> {
  const taken = await findEntry(transaction, path)
  const missing = taken ? [] : await missingDirs(transaction, path, 'create')
  if (!checkMakeDir(path, { taken, hasParent: missing.length === 0 }, options)) return
  await growDirs(transaction, [...missing, path], now())
}

export async function remove(
  { transaction, now }: Changing,
  path: string,
  options: Parameters<Vfs['rm']>[1],
): Promise<void> {
  const row = await findEntry(transaction, path)
  if (!checkRemove(path, await found(transaction, path, row), options) || !row) return
  await dropTree(transaction, path, row)
  await touch(transaction, parentPath(path), now())
}

export async function move({ transaction, now }: Changing, from: string, to: string): Promise<void> {
  const row = await findEntry(transaction, from)
  if (!checkMove(from, to, row) || !row) return
  const taken = await findEntry(transaction, to)
  const missing = taken ? [] : await missingDirs(transaction, to, 'rename to')
  checkTarget(to, row, { taken: await found(transaction, to, taken), hasParent: missing.length === 0 })
  if (taken) await dropTree(transaction, to, taken)
  await moveTree(transaction, row, { from, to })
  const mtime = now()
  for (const path of new Set([parentPath(from), parentPath(to)])) await touch(transaction, path, mtime)
}
