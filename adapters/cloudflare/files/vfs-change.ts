// What changes the files of a Durable Object. Each function runs inside one transaction and checks before it writes.
import { vfsError } from '../../../src/vfs/error.ts'
import { isInside, parentPath, pathName } from '../../../src/vfs/path.ts'
import { checkReplace } from '../../../src/vfs/tree.ts'
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
  const { mode = 'overwrite', parents = false, ifMatch } = options
  const action = mode === 'append' ? 'append to' : 'write'
  const parent = findParent(sql, path, action)
  const old = path === '/' ? findNode(sql, path) : parent && childOf(sql, parent.id, pathName(path))
  if (old?.dir === 1) throw vfsError('EISDIR', path, { action })
  if (ifMatch !== undefined && ifMatch !== String(old?.version)) throw vfsError('ECONFLICT', path, { action })
  if (old !== undefined && mode === 'create') throw vfsError('EEXIST', path, { action: 'create' })
  if (parent === undefined && !parents) throw noDirectory(path, action)
  const kept = mode === 'append' ? (old?.size ?? 0) : 0
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

const noDirectory = (path: string, action: string): Error =>
  vfsError('ENOENT', path, { action, reason: 'its directory does not exist' })

function reserve(files: Files, path: string, { bytes, entries }: ReturnType<typeof totals>): void {
  const now = totals(files.sql)
  if (bytes > 0 && now.bytes + bytes > files.maxBytes) {
    throw vfsError('ENOSPC', path, { action: 'write', reason: `all files together may have ${files.maxBytes} bytes` })
  }
  if (entries > 0 && now.entries + entries > files.maxEntries) {
    throw vfsError('ENOSPC', path, { action: 'create', reason: `at most ${files.maxEntries} entries are allowed` })
  }
  addTotals(files.sql, { bytes, entries })
}

export function makeDir(files: Files, path: string, recursive: boolean): void {
  const { sql, now } = files
  const action = 'create'
  const parent = findParent(sql, path, action)
  const taken = findNode(sql, path)
  if (taken?.dir === 1 && recursive) return
  if (taken !== undefined) throw vfsError('EEXIST', path, { action })
  if (parent === undefined && !recursive) throw noDirectory(path, action)
  reserve(files, path, { bytes: 0, entries: missingNames(sql, path).length })
  growDirs(sql, path, now())
}

export function remove({ sql, now }: Files, path: string, options: Parameters<Vfs['rm']>[1] = {}): void {
  const action = 'remove'
  if (path === '/') throw vfsError('EACCES', path, { action, reason: 'the root stays' })
  const parent = findNode(sql, parentPath(path))
  const node = findNode(sql, path)
  if (node === undefined || parent === undefined) {
    if (options.force === true) return
    throw vfsError('ENOENT', path, { action })
  }
  if (options.recursive !== true && hasChildren(sql, node.id)) throw vfsError('ENOTEMPTY', path, { action })
  dropTree(sql, node.id)
  touch(sql, parent.id, now())
}

export function move({ sql, now }: Files, from: string, to: string): void {
  const action = 'rename'
  if (from === '/' || to === '/') throw vfsError('EACCES', '/', { action, reason: 'the root stays' })
  const node = findNode(sql, from)
  if (node === undefined) throw vfsError('ENOENT', from, { action })
  if (from === to) return
  if (isInside(from, to))
    throw vfsError('EINVAL', to, { action: 'rename to', reason: 'it lies inside what is renamed' })
  const target = findParent(sql, to, 'rename to')
  if (target === undefined) throw noDirectory(to, 'rename to')
  const taken = childOf(sql, target.id, pathName(to))
  if (taken !== undefined) {
    checkReplace(kind(node), { type: kind(taken), empty: !hasChildren(sql, taken.id) }, to)
    dropTree(sql, taken.id)
  }
  const mtime = now()
  for (const path of [parentPath(from), parentPath(to)]) touch(sql, findNode(sql, path)!.id, mtime)
  moveNode(sql, node.id, { parent: target.id, name: pathName(to) })
}

const kind = ({ dir }: FileNode): 'file' | 'dir' => (dir === 1 ? 'dir' : 'file')
