// Files in memory: the reference for every other file system, and the one for tests and throw-away work.
import { webHost } from '../host/web-host.ts'
import { vfsError } from './error.ts'
import { isInside, normalizePath, parentPath, pathName } from './path.ts'
import {
  checkReplace,
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

/** A file system in memory. Bytes are copied in and out; every write and rename is atomic; nothing survives. */
export function memoryFiles(options: MemoryFilesOptions = {}): Vfs {
  const { now = webHost.now, maxBytes = 2 ** 26, maxEntries = 100_000, files = {} } = options
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
      const from = Math.max(0, operation?.offset ?? 0)
      return node.bytes.slice(from, Math.min(node.size, from + Math.max(0, operation?.length ?? node.size)))
    },
    write: async (path, data, operation = {}) => writeFile(store, start(path, operation), data, operation),
    mkdir: async (path, operation) => makeDir(store, start(path, operation), operation?.recursive === true),
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
  { limit = Infinity, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
): Awaited<ReturnType<Vfs['list']>> {
  const dir = findNode(store.root, path)
  if (dir?.type !== 'dir') throw vfsError(dir === undefined ? 'ENOENT' : 'ENOTDIR', path, { action: 'list' })
  const names = sortedNames(dir)
  const from = cursor === undefined ? 0 : firstAfter(names, cursor)
  const shown = names.slice(from, from + Math.max(1, limit))
  const entries = shown.map((name) => {
    const node = dir.children.get(name)!
    return { name, type: node.type, size: node.type === 'file' ? node.size : 0, mtime: node.mtime }
  })
  return from + shown.length < names.length ? { entries, cursor: shown.at(-1)! } : { entries }
}

/** The index of the first name after `cursor`, which may itself be gone by now. */
function firstAfter(names: readonly string[], cursor: string): number {
  let low = 0
  let high = names.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (names[middle]! <= cursor) low = middle + 1
    else high = middle
  }
  return low
}

function writeFile(store: Store, path: string, data: Uint8Array, options: VfsWriteOptions): VfsStat {
  const { mode = 'overwrite', parents = false, ifMatch } = options
  const action = mode === 'append' ? 'append to' : 'write'
  const parent = findParent(store.root, path, action)
  const old = path === '/' ? store.root : parent?.children.get(pathName(path))
  if (old?.type === 'dir') throw vfsError('EISDIR', path, { action })
  if (ifMatch !== undefined && old?.etag !== ifMatch) throw vfsError('ECONFLICT', path, { action })
  if (old !== undefined && mode === 'create') throw vfsError('EEXIST', path, { action: 'create' })
  if (parent === undefined && !parents)
    throw vfsError('ENOENT', path, { action, reason: 'its directory does not exist' })
  const kept = mode === 'append' ? (old?.size ?? 0) : 0
  const size = kept + data.length
  const made = old === undefined ? 1 + countMissing(store.root, parentPath(path)) : 0
  reserve(store, path, { bytes: size - (old?.size ?? 0), entries: made })
  const mtime = store.now()
  const etag = String((store.version += 1))
  const bytes = old !== undefined && kept > 0 ? appended(old, data) : new Uint8Array(data)
  const node: FileNode = { type: 'file', bytes, size, mtime, etag }
  setChild(parent ?? growDirs(store.root, parentPath(path), mtime), pathName(path), node, mtime)
  notify(store, old === undefined ? 'add' : 'modify', path)
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

function reserve(store: Store, path: string, more: { readonly bytes: number; readonly entries: number }): void {
  const bytes = store.bytes + more.bytes
  const entries = store.entries + more.entries
  if (more.bytes > 0 && bytes > store.maxBytes)
    throw vfsError('ENOSPC', path, { action: 'write', reason: `all files together may have ${store.maxBytes} bytes` })
  if (more.entries > 0 && entries > store.maxEntries)
    throw vfsError('ENOSPC', path, { action: 'create', reason: `at most ${store.maxEntries} entries are allowed` })
  store.bytes = bytes
  store.entries = entries
}

function makeDir(store: Store, path: string, recursive: boolean): void {
  const action = 'create'
  const parent = findParent(store.root, path, action)
  const taken = path === '/' ? store.root : parent?.children.get(pathName(path))
  if (taken?.type === 'dir' && recursive) return
  if (taken !== undefined) throw vfsError('EEXIST', path, { action })
  if (parent === undefined && !recursive)
    throw vfsError('ENOENT', path, { action, reason: 'its directory does not exist' })
  reserve(store, path, { bytes: 0, entries: countMissing(store.root, path) })
  growDirs(store.root, path, store.now())
  notify(store, 'add', path)
}

function remove(
  store: Store,
  path: string,
  {
    recursive = false,
    force = false,
  }: { readonly recursive?: boolean | undefined; readonly force?: boolean | undefined },
): void {
  const action = 'remove'
  if (path === '/') throw vfsError('EACCES', path, { action, reason: 'the root stays' })
  const parent = findNode(store.root, parentPath(path))
  const node = parent?.type === 'dir' ? parent.children.get(pathName(path)) : undefined
  if (node === undefined || parent?.type !== 'dir') {
    if (force) return
    throw vfsError('ENOENT', path, { action })
  }
  if (node.type === 'dir' && node.children.size > 0 && !recursive) throw vfsError('ENOTEMPTY', path, { action })
  release(store, node)
  dropChild(parent, pathName(path), store.now())
  notify(store, 'delete', path)
}

function release(store: Store, node: Node): void {
  const { bytes, entries } = weigh(node)
  store.bytes -= bytes
  store.entries -= entries
}

function move(store: Store, from: string, to: string): void {
  const action = 'rename'
  if (from === '/' || to === '/') throw vfsError('EACCES', '/', { action, reason: 'the root stays' })
  const source = findNode(store.root, parentPath(from))
  const node = source?.type === 'dir' ? source.children.get(pathName(from)) : undefined
  if (node === undefined || source?.type !== 'dir') throw vfsError('ENOENT', from, { action })
  if (from === to) return
  if (isInside(from, to))
    throw vfsError('EINVAL', to, { action: 'rename to', reason: 'it lies inside what is renamed' })
  const target = findParent(store.root, to, 'rename to')
  if (target === undefined)
    throw vfsError('ENOENT', to, { action: 'rename to', reason: 'its directory does not exist' })
  const taken = target.children.get(pathName(to))
  if (taken !== undefined) {
    checkReplace(node.type, { type: taken.type, empty: taken.type === 'dir' && taken.children.size === 0 }, to)
    release(store, taken)
  }
  const mtime = store.now()
  dropChild(source, pathName(from), mtime)
  setChild(target, pathName(to), node, mtime)
  notify(store, 'delete', from)
  notify(store, taken === undefined ? 'add' : 'modify', to)
}
