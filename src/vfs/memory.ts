// Files in memory: the reference for every other file system, and the one for tests and throw-away work.
import { amounts } from '../error/amount.ts'
import { webHost } from '../host/web-host.ts'
import { vfsError } from './error.ts'
import { isInside, normalizePath, parentPath, pathName } from './path.ts'
import {
  checkBytes,
  checkMakeDir,
  checkMove,
  checkRemove,
  checkSpace,
  checkTarget,
  checkWrite,
  pageOf,
  rangeOf,
  writeAction,
} from './rule.ts'
import type { Space } from './rule.ts'
import {
  countMissing,
  dirNode,
  dropChild,
  findNode,
  findParent,
  growDirs,
  setChild,
  sortedNames,
  weigh,
} from './tree.ts'
import type { DirNode, FileNode, Node } from './tree.ts'
import type { Vfs, VfsChange, VfsOperation, VfsStat, VfsWriteOptions } from './vfs.ts'

export interface MemoryFilesOptions {
  /** Milliseconds since the epoch, for `mtime`. Default: the clock of the runtime. */
  readonly now?: (() => number) | undefined
  /** Of all contents together. Default 64 MiB; more is `vfs-no-space`. */
  readonly maxBytes?: number | undefined
  /** Files and directories. Default 100,000; more is `vfs-no-space`. */
  readonly maxEntries?: number | undefined
  /** What is there at the start; missing directories are made. */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | undefined
}

interface Store {
  readonly root: DirNode
  readonly now: () => number
  readonly maxBytes: number
  readonly maxEntries: number
  readonly listeners: Set<readonly [prefix: string, listener: (change: VfsChange) => void]>
  bytes: number
  entries: number
  version: number
}

/**
 * A file system in memory. Bytes are copied in and out; every write and rename is atomic; nothing survives. Throws
 * `config-invalid` for a limit that is no number from 0.
 */
export function memoryFiles(options: MemoryFilesOptions = {}): Vfs {
  const { now = webHost.now, files = {} } = options
  const { maxBytes, maxEntries } = amounts(options, { maxBytes: 2 ** 26, maxEntries: 100_000 })
  const store: Store = {
    root: dirNode(now()),
    now,
    maxBytes,
    maxEntries,
    listeners: new Set(),
    bytes: 0,
    entries: 0,
    version: 0,
  }
  for (const [path, content] of Object.entries(files)) {
    const data = typeof content === 'string' ? new TextEncoder().encode(content) : content
    writeFile(store, normalizePath(path), data, { parents: true })
  }
  return {
    capabilities: {
      name: 'memory',
      persistent: false,
      readOnly: false,
      atomicRename: true,
      cas: true,
      append: 'native',
      watch: true,
      maxFileBytes: maxBytes,
    },
    stat: async (path, operation) => {
      const at = start(path, operation)
      const node = findNode(store.root, at)
      return node && statOf(at, node)
    },
    list: async (path, operation) => listDir(store, start(path, operation), operation),
    read: async (path, operation) => {
      const at = start(path, operation)
      const node = findNode(store.root, at)
      if (node?.type !== 'file') throw vfsError(node === undefined ? 'ENOENT' : 'EISDIR', at, { action: 'read' })
      const { from, to } = rangeOf(at, node.size, operation)
      return node.bytes.slice(from, to)
    },
    write: async (path, data, operation = {}) => {
      const at = start(path, operation)
      checkBytes(at, data)
      return writeFile(store, at, data, operation)
    },
    mkdir: async (path, operation) => makeDir(store, start(path, operation), operation),
    rm: async (path, operation = {}) => remove(store, start(path, operation), operation),
    rename: async (from, to, operation) => move(store, start(from, operation), normalizePath(to)),
    watch: (prefix, listener) => {
      const entry = [normalizePath(prefix), listener] as const
      store.listeners.add(entry)
      return () => void store.listeners.delete(entry)
    },
  }
}

function start(path: string, operation: VfsOperation | undefined): string {
  operation?.signal?.throwIfAborted()
  return normalizePath(path)
}

function statOf(path: string, node: Node): VfsStat {
  if (node.type === 'dir') return { path, type: 'dir', size: 0, mtime: node.mtime }
  return { path, type: 'file', size: node.size, mtime: node.mtime, etag: node.etag }
}

/** A listener that throws must not undo a write that has happened. */
function notify(store: Store, type: VfsChange['type'], path: string): void {
  for (const [prefix, listener] of store.listeners) {
    if (!isInside(prefix, path) && !isInside(path, prefix)) continue
    try {
      listener({ type, path })
    } catch {}
  }
}

function listDir(
  store: Store,
  path: string,
  options: Parameters<Vfs['list']>[1] = {},
): Awaited<ReturnType<Vfs['list']>> {
  const dir = findNode(store.root, path)
  if (dir?.type !== 'dir') throw vfsError(dir === undefined ? 'ENOENT' : 'ENOTDIR', path, { action: 'list' })
  return pageOf(path, sortedNames(dir), options, (name) => {
    const node = dir.children.get(name)!
    return { name, type: node.type, size: node.type === 'file' ? node.size : 0, mtime: node.mtime }
  })
}

/** What is at a path; the root is in no directory. */
function takenAt(store: Store, parent: DirNode | undefined, path: string): Node | undefined {
  return path === '/' ? store.root : parent?.children.get(pathName(path))
}

const isEmpty = (node: Node): boolean => node.type === 'file' || node.children.size === 0

function writeFile(store: Store, path: string, data: Uint8Array, options: VfsWriteOptions): VfsStat {
  const parent = findParent(store.root, path, writeAction(options))
  const old = takenAt(store, parent, path)
  checkWrite(path, { taken: old, hasParent: parent !== undefined }, options)
  const file = old as FileNode | undefined
  const kept = options.mode === 'append' ? (file?.size ?? 0) : 0
  const size = kept + data.length
  const made = file === undefined ? 1 + countMissing(store.root, parentPath(path)) : 0
  reserve(store, path, { bytes: size - (file?.size ?? 0), entries: made })
  const mtime = store.now()
  const etag = String((store.version += 1))
  const bytes = file !== undefined && kept > 0 ? appended(file, data) : new Uint8Array(data)
  const node: FileNode = { type: 'file', bytes, size, mtime, etag }
  setChild(parent ?? growDirs(store.root, parentPath(path), mtime), pathName(path), node, mtime)
  notify(store, file === undefined ? 'add' : 'modify', path)
  return statOf(path, node)
}

/** The buffer doubles, so that many small appends stay linear. */
function appended(file: FileNode, data: Uint8Array): Uint8Array {
  const size = file.size + data.length
  let { bytes } = file
  if (size > bytes.length) {
    bytes = new Uint8Array(Math.max(size, 2 * bytes.length))
    bytes.set(file.bytes.subarray(0, file.size))
  }
  bytes.set(data, file.size)
  return bytes
}

function reserve(store: Store, path: string, more: Space): void {
  checkSpace(path, { used: store, more }, store)
  store.bytes += more.bytes
  store.entries += more.entries
}

function makeDir(store: Store, path: string, options: Parameters<Vfs['mkdir']>[1]): void {
  const parent = findParent(store.root, path, 'create')
  const taken = takenAt(store, parent, path)
  if (!checkMakeDir(path, { taken, hasParent: parent !== undefined }, options)) return
  reserve(store, path, { bytes: 0, entries: countMissing(store.root, path) })
  growDirs(store.root, path, store.now())
  notify(store, 'add', path)
}

/** The directory that holds what is at a path, and that. */
function heldAt(store: Store, path: string): { readonly dir: DirNode; readonly node: Node } | undefined {
  const dir = findNode(store.root, parentPath(path))
  const node = dir?.type === 'dir' ? dir.children.get(pathName(path)) : undefined
  return dir?.type === 'dir' && node !== undefined ? { dir, node } : undefined
}

function remove(store: Store, path: string, options: Parameters<Vfs['rm']>[1]): void {
  const held = heldAt(store, path)
  if (!checkRemove(path, held && { isEmpty: isEmpty(held.node) }, options) || held === undefined) return
  release(store, held.node)
  dropChild(held.dir, pathName(path), store.now())
  notify(store, 'delete', path)
}

function release(store: Store, node: Node): void {
  const { bytes, entries } = weigh(node)
  store.bytes -= bytes
  store.entries -= entries
}

function move(store: Store, from: string, to: string): void {
  const held = heldAt(store, from)
  if (!checkMove(from, to, held?.node) || held === undefined) return
  const target = findParent(store.root, to, 'rename to')
  const old = target?.children.get(pathName(to))
  const taken = old && { type: old.type, isEmpty: isEmpty(old) }
  checkTarget(to, held.node, { taken, hasParent: target !== undefined })
  if (old !== undefined) release(store, old)
  const mtime = store.now()
  dropChild(held.dir, pathName(from), mtime)
  setChild(target!, pathName(to), held.node, mtime)
  notify(store, 'delete', from)
  notify(store, old === undefined ? 'add' : 'modify', to)
}
