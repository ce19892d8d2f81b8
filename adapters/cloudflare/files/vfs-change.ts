// What changes the files of a Durable Object. Each function runs inside one transaction and checks before it writes.
import { vfsError } from '../../../src/vfs/error.ts'
import { parentPath, pathName } from '../../../src/vfs/path.ts'
import {
  checkMakeDir,
  checkMove,
  checkRemove,
  checkSpace,
  checkTarget,
  checkWrite,
  writeAction,
} from '../../../src/vfs/rule.ts'
import type { Space } from '../../../src/vfs/rule.ts'
import type { Vfs, VfsStat, VfsWriteOptions } from '../../../src/vfs/vfs.ts'
import { writeChunks } from './chunk.ts'
import {
  addTotals,
  childOf,
  chunksOf,
  dropTree,
  findNode,
  findParent,
  growDirs,
  hasChildren,
  insertNode,
  missingNames,
  moveNode,
  nextVersion,
  totals,
  touch,
  updateFile,
} from './file-table.ts'
import type { FileNode } from './file-table.ts'

/** A file system's tables and limits. */
export interface Files {
  readonly sql: SqlStorage
  readonly now: () => number
  readonly maxBytes: number
  readonly maxFileBytes: number
  readonly maxEntries: number
}

export function statOf(path: string, { dir, size, mtime, version }: FileNode): VfsStat {
  if (dir === 1) return { path, type: 'dir', size: 0, mtime }
  return { path, type: 'file', size, mtime, etag: String(version) }
}

export function writeFile(files: Files, path: string, data: Uint8Array, options: VfsWriteOptions): VfsStat {
  const { sql } = files
  const action = writeAction(options)
  const parent = findParent(sql, path, action)
  const old = path === '/' ? findNode(sql, path) : parent && childOf(sql, parent.id, pathName(path))
  checkWrite(path, { taken: old && statOf(path, old), hasParent: parent !== undefined }, options)
  const kept = options.mode === 'append' ? (old?.size ?? 0) : 0
  const size = kept + data.length
  if (size > files.maxFileBytes) {
    throw vfsError('EFBIG', path, { action, reason: `a file may have ${files.maxFileBytes} bytes` })
  }
  const made = old === undefined ? 1 + missingNames(sql, parentPath(path)).length : 0
  reserve(files, path, { bytes: size - (old?.size ?? 0), entries: made })
  const facts = { size, mtime: files.now(), version: nextVersion(sql) }
  if (old !== undefined) updateFile(sql, old.id, facts)
  const id = old?.id ?? addFile(sql, path, parent, facts)
  writeChunks(sql, chunksOf(id), data, { kept })
  return statOf(path, { id, dir: 0, ...facts })
}

function addFile(
  sql: SqlStorage,
  path: string,
  parent: FileNode | undefined,
  facts: Omit<FileNode, 'id' | 'dir'>,
): number {
  const into = parent?.id ?? growDirs(sql, parentPath(path), facts.mtime)
  return insertNode(sql, { parent: into, name: pathName(path) }, { dir: 0, ...facts })
}

function reserve(files: Files, path: string, more: Space): void {
  checkSpace(path, { used: totals(files.sql), more }, files)
  addTotals(files.sql, more)
}

export function makeDir(files: Files, path: string, options: Parameters<Vfs['mkdir']>[1]): void {
  const { sql, now } = files
  const parent = findParent(sql, path, 'create')
  const node = findNode(sql, path)
  if (!checkMakeDir(path, { taken: node && statOf(path, node), hasParent: parent !== undefined }, options)) return
  reserve(files, path, { bytes: 0, entries: missingNames(sql, path).length })
  growDirs(sql, path, now())
}

export function remove({ sql, now }: Files, path: string, options: Parameters<Vfs['rm']>[1]): void {
  const parent = findNode(sql, parentPath(path))
  const node = findNode(sql, path)
  if (!checkRemove(path, node && found(sql, node), options) || node === undefined || parent === undefined) return
  dropTree(sql, node.id)
  touch(sql, parent.id, now())
}

export function move({ sql, now }: Files, from: string, to: string): void {
  const node = findNode(sql, from)
  if (!checkMove(from, to, node && statOf(from, node)) || node === undefined) return
  const target = findParent(sql, to, 'rename to')
  const taken = target && childOf(sql, target.id, pathName(to))
  checkTarget(to, statOf(from, node), { taken: taken && found(sql, taken), hasParent: target !== undefined })
  if (taken !== undefined) dropTree(sql, taken.id)
  const mtime = now()
  for (const path of [parentPath(from), parentPath(to)]) touch(sql, findNode(sql, path)!.id, mtime)
  moveNode(sql, node.id, { parent: target!.id, name: pathName(to) })
}

/** What the rules want to know. */
const found = (
  sql: SqlStorage,
  { id, dir }: FileNode,
): { readonly type: 'file' | 'dir'; readonly isEmpty: boolean } => ({
  type: dir === 1 ? 'dir' : 'file',
  isEmpty: dir === 0 || !hasChildren(sql, id),
})
