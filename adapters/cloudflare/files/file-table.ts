// The rows behind the files of a Durable Object. A rename changes one row, whatever lies below it.
import { vfsError } from '../../../src/vfs/error.ts'
import { parentPath } from '../../../src/vfs/path.ts'
import { chunkTable } from './chunk.ts'
import { checkVersion } from './meta.ts'

export type FileNode = {
  readonly id: number
  /** 1 for a directory. */
  readonly dir: number
  readonly size: number
  readonly mtime: number
  readonly version: number
}

export type NamedNode = FileNode & { readonly name: string }

const root = 1

/** The owner of a file's chunks. */
export const chunksOf = (id: number): string => `file:${id}`

const refuse = (words: string): Error => vfsError('EIO', '/', { action: 'open', reason: words })

/** Makes the tables; true where they were missing. Throws `vfs-failed` for those of a newer program. */
export function nodeTables(sql: SqlStorage, now: number): boolean {
  checkVersion(sql, 'files_version', refuse)
  chunkTable(sql)
  sql.exec(`CREATE TABLE IF NOT EXISTS vfs_nodes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER NOT NULL, sort BLOB NOT NULL, name TEXT NOT NULL,
    dir INTEGER NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL, version INTEGER NOT NULL, UNIQUE (parent, sort))`)
  sql.exec(
    'CREATE TABLE IF NOT EXISTS vfs_totals (bytes INTEGER NOT NULL, entries INTEGER NOT NULL, version INTEGER NOT NULL)',
  )
  if (sql.exec('SELECT 1 FROM vfs_totals').toArray().length > 0) return false
  const isNew = sql.exec('SELECT 1 FROM vfs_nodes LIMIT 1').toArray().length === 0
  if (isNew) sql.exec("INSERT INTO vfs_nodes VALUES (?, 0, x'', '', 1, 0, ?, 0)", root, now)
  // The root is no entry.
  sql.exec('INSERT INTO vfs_totals SELECT sum(size), count(*) - 1, max(version) FROM vfs_nodes')
  return isNew
}

/** UTF-16, so that SQLite's order of bytes is the order of code units that the port asks for. */
function sortKey(name: string): Uint8Array {
  const key = new Uint8Array(2 * name.length)
  for (let index = 0; index < name.length; index++) {
    key[2 * index] = name.charCodeAt(index) >> 8
    key[2 * index + 1] = name.charCodeAt(index) & 255
  }
  return key
}

const segments = (path: string): readonly string[] => (path === '/' ? [] : path.slice(1).split('/'))

export function childOf(sql: SqlStorage, parent: number, name: string): FileNode | undefined {
  const query = 'SELECT id, dir, size, mtime, version FROM vfs_nodes WHERE parent = ? AND sort = ?'
  return sql.exec<FileNode>(query, parent, sortKey(name)).toArray()[0]
}

/** At most `limit` children whose names come after `after`, in order. */
export function childrenOf(
  sql: SqlStorage,
  parent: number,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): readonly NamedNode[] {
  const query = `SELECT id, name, dir, size, mtime, version FROM vfs_nodes
    WHERE parent = ? AND sort > ? ORDER BY sort LIMIT ?`
  return sql.exec<NamedNode>(query, parent, sortKey(after ?? ''), limit).toArray()
}

function rootNode(sql: SqlStorage): FileNode {
  return sql.exec<FileNode>('SELECT id, dir, size, mtime, version FROM vfs_nodes WHERE id = ?', root).one()
}

/** What is at a normal path. A file in the middle of the path counts as nothing there. */
export function findNode(sql: SqlStorage, path: string): FileNode | undefined {
  let node: FileNode | undefined = rootNode(sql)
  for (const name of segments(path)) {
    if (node?.dir !== 1) return undefined
    node = childOf(sql, node.id, name)
  }
  return node
}

/** The directory that holds `path`; `undefined` where it is missing, `vfs-not-directory` where a file stands in its place. */
export function findParent(sql: SqlStorage, path: string, action: string): FileNode | undefined {
  let dir = rootNode(sql)
  for (const name of segments(parentPath(path))) {
    const next = childOf(sql, dir.id, name)
    if (next === undefined) return undefined
    if (next.dir !== 1) throw vfsError('ENOTDIR', path, { action })
    dir = next
  }
  return dir
}

/** The names of a normal path from the first that is missing. */
export function missingNames(sql: SqlStorage, path: string): readonly string[] {
  const names = segments(path)
  let id = root
  for (const [index, name] of names.entries()) {
    const next = childOf(sql, id, name)
    if (next === undefined) return names.slice(index)
    id = next.id
  }
  return []
}

/** Makes the missing directories of a normal path and gives the id of the last; nothing on the way is a file. */
export function growDirs(sql: SqlStorage, path: string, mtime: number): number {
  let id = root
  for (const name of segments(path))
    id = childOf(sql, id, name)?.id ?? insertNode(sql, { parent: id, name }, { dir: 1, size: 0, mtime, version: 0 })
  return id
}

interface Place {
  readonly parent: number
  readonly name: string
}

/** Adds a node and gives its id. */
export function insertNode(sql: SqlStorage, { parent, name }: Place, node: Omit<FileNode, 'id'>): number {
  const { dir, size, mtime, version } = node
  touch(sql, parent, mtime)
  const query =
    'INSERT INTO vfs_nodes (parent, sort, name, dir, size, mtime, version) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id'
  return sql.exec<{ id: number }>(query, parent, sortKey(name), name, dir, size, mtime, version).one().id
}

export function updateFile(
  sql: SqlStorage,
  id: number,
  { size, mtime, version }: Pick<FileNode, 'size' | 'mtime' | 'version'>,
): void {
  sql.exec('UPDATE vfs_nodes SET size = ?, mtime = ?, version = ? WHERE id = ?', size, mtime, version, id)
}

export function moveNode(sql: SqlStorage, id: number, { parent, name }: Place): void {
  sql.exec('UPDATE vfs_nodes SET parent = ?, sort = ?, name = ? WHERE id = ?', parent, sortKey(name), name, id)
}

export function touch(sql: SqlStorage, id: number, mtime: number): void {
  sql.exec('UPDATE vfs_nodes SET mtime = ? WHERE id = ?', mtime, id)
}

export const hasChildren = (sql: SqlStorage, id: number): boolean =>
  sql.exec('SELECT 1 FROM vfs_nodes WHERE parent = ? LIMIT 1', id).toArray().length > 0

// Numbers are bound as floating point, and a text made of one would say "2.0".
const below = `WITH RECURSIVE tree (id) AS (
  SELECT CAST(?1 AS INTEGER) UNION ALL SELECT vfs_nodes.id FROM vfs_nodes JOIN tree ON vfs_nodes.parent = tree.id)`

/** Removes a node and all below it. */
export function dropTree(sql: SqlStorage, id: number): void {
  const weigh = `${below} SELECT count(*) AS entries, sum(size) AS bytes FROM vfs_nodes WHERE id IN (SELECT id FROM tree)`
  const { entries, bytes } = sql.exec<{ entries: number; bytes: number }>(weigh, id).one()
  sql.exec(`${below} DELETE FROM blob_chunks WHERE owner IN (SELECT 'file:' || id FROM tree)`, id)
  sql.exec(`${below} DELETE FROM vfs_nodes WHERE id IN (SELECT id FROM tree)`, id)
  addTotals(sql, { bytes: -bytes, entries: -entries })
}

/** The next version of a file. */
export const nextVersion = (sql: SqlStorage): number =>
  sql.exec<{ version: number }>('UPDATE vfs_totals SET version = version + 1 RETURNING version').one().version

export const totals = (sql: SqlStorage): { readonly bytes: number; readonly entries: number } =>
  sql.exec<{ bytes: number; entries: number }>('SELECT bytes, entries FROM vfs_totals').one()

export function addTotals(sql: SqlStorage, { bytes, entries }: ReturnType<typeof totals>): void {
  sql.exec('UPDATE vfs_totals SET bytes = bytes + ?, entries = entries + ?', bytes, entries)
}
