// Finding and changing the rows of files and directories. The keys of a directory's entries lie side by side, in order.
import { vfsError } from '../../../src/vfs/error.ts'
import { parentPath, pathName } from '../../../src/vfs/path.ts'
import { dropChunks } from './chunk.ts'
import { valueOf } from './database.ts'
import type { EntryRow } from './table.ts'

type Key = readonly [parent: string, name: string]

const entries = (transaction: IDBTransaction): IDBObjectStore => transaction.objectStore('entries')

const keyOf = (path: string): [string, string] => [parentPath(path), pathName(path)]

/** After every text comes every array. */
const afterNames: readonly never[] = []

/** The keys of what is in a directory and comes after a name; the root is in none. */
const inside = (path: string, after = ''): IDBKeyRange =>
  IDBKeyRange.bound([path, after], [path, afterNames], true, true)

/** The keys of what is in the directories below one: "0" is what follows "/". */
const deeper = (path: string): IDBKeyRange => IDBKeyRange.bound([`${path}/`], [`${path}0`], false, true)

const emptyDir = (name: string, mtime: number): EntryRow => ({
  name,
  type: 'dir',
  size: 0,
  mtime,
  version: 0,
  content: 0,
})

export function makeRoot(transaction: IDBTransaction, mtime: number): void {
  putEntry(transaction, '/', emptyDir('', mtime))
}

export function findEntry(transaction: IDBTransaction, path: string): Promise<EntryRow | undefined> {
  return valueOf<EntryRow | undefined>(entries(transaction).get(keyOf(path)))
}

export function putEntry(transaction: IDBTransaction, path: string, row: EntryRow): void {
  entries(transaction).put(row, keyOf(path))
}

/** At most `limit` entries of a directory, in order. */
export function entriesAfter(
  transaction: IDBTransaction,
  path: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number | undefined },
): Promise<readonly EntryRow[]> {
  return valueOf<EntryRow[]>(entries(transaction).getAll(inside(path, after), limit))
}

export async function isEmpty(transaction: IDBTransaction, path: string, { type }: EntryRow): Promise<boolean> {
  return type === 'file' || (await valueOf(entries(transaction).getKey(inside(path)))) === undefined
}

/** The directories of `path` that are missing, outermost first; `vfs-not-directory` where a file stands in the way. */
export async function missingDirs(
  transaction: IDBTransaction,
  path: string,
  action: string,
): Promise<readonly string[]> {
  const missing: string[] = []
  for (let at = parentPath(path); ; at = parentPath(at)) {
    const row = await findEntry(transaction, at)
    if (row?.type === 'file') throw vfsError('ENOTDIR', path, { action })
    if (row !== undefined || at === '/') return missing
    missing.unshift(at)
  }
}

/** Makes these directories, which follow from each other. */
export async function growDirs(transaction: IDBTransaction, paths: readonly string[], mtime: number): Promise<void> {
  for (const path of paths) putEntry(transaction, path, emptyDir(pathName(path), mtime))
  if (paths[0] !== undefined) await touch(transaction, parentPath(paths[0]), mtime)
}

/** Something came into a directory or went from it. */
export async function touch(transaction: IDBTransaction, path: string, mtime: number): Promise<void> {
  const row = await findEntry(transaction, path)
  if (row?.type === 'dir') putEntry(transaction, path, { ...row, mtime })
}

interface Kept {
  readonly key: Key
  readonly row: EntryRow
}

async function below(transaction: IDBTransaction, path: string): Promise<readonly Kept[]> {
  const store = entries(transaction)
  const kept: Kept[] = []
  for (const range of [inside(path), deeper(path)]) {
    const [keys, rows] = await Promise.all([
      valueOf(store.getAllKeys(range)) as Promise<unknown> as Promise<readonly Key[]>,
      valueOf<EntryRow[]>(store.getAll(range)),
    ])
    for (const [index, key] of keys.entries()) {
      const row = rows[index]
      if (row) kept.push({ key, row })
    }
  }
  return kept
}

/** Removes what is at a path, and all below it. */
export async function dropTree(transaction: IDBTransaction, path: string, row: EntryRow): Promise<void> {
  const all = row.type === 'dir' ? await below(transaction, path) : []
  for (const { row: one } of [...all, { row }]) if (one.size > 0) dropChunks(transaction, one.content)
  const store = entries(transaction)
  store.delete(keyOf(path))
  if (row.type === 'file') return
  store.delete(inside(path))
  store.delete(deeper(path))
}

/** Gives what is at a path, and all below it, another path. The contents stay where they are. */
export async function moveTree(
  transaction: IDBTransaction,
  row: EntryRow,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const all = row.type === 'dir' ? await below(transaction, from) : []
  const store = entries(transaction)
  store.delete(keyOf(from))
  putEntry(transaction, to, { ...row, name: pathName(to) })
  for (const { key, row: one } of all) {
    store.delete([...key])
    store.put(one, [to + key[0].slice(from.length), key[1]])
  }
}
