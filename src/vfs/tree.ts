// The nodes behind the memory file system: a tree of maps, so that a rename moves one reference.
import { vfsError } from './error.ts'
import { parentPath } from './path.ts'

export interface FileNode {
  readonly type: 'file'
  /** May be longer than the file, so that appending is cheap. */
  bytes: Uint8Array
  size: number
  mtime: number
  etag: string
}

export interface DirNode {
  readonly type: 'dir'
  readonly children: Map<string, Node>
  /** The names in order, until the next change. */
  sorted: readonly string[] | undefined
  mtime: number
}

export type Node = FileNode | DirNode

export const dirNode = (mtime: number): DirNode => ({ type: 'dir', children: new Map(), sorted: undefined, mtime })

const segments = (path: string): string[] => (path === '/' ? [] : path.slice(1).split('/'))

/** What is at a normal path. A file in the middle of the path counts as nothing there. */
export function findNode(root: DirNode, path: string): Node | undefined {
  let node: Node | undefined = root
  for (const name of segments(path)) {
    if (node?.type !== 'dir') return undefined
    node = node.children.get(name)
  }
  return node
}

/** The directory that holds `path`; `undefined` where it is missing, `vfs-not-directory` where a file stands in its place. */
export function findParent(root: DirNode, path: string, action: string): DirNode | undefined {
  let dir = root
  for (const name of segments(parentPath(path))) {
    const next = dir.children.get(name)
    if (next === undefined) return undefined
    if (next.type === 'file') throw vfsError('ENOTDIR', path, { action })
    dir = next
  }
  return dir
}

/** Makes the missing directories of a normal path and returns the last; nothing on the way is a file. */
export function growDirs(root: DirNode, path: string, mtime: number): DirNode {
  let dir = root
  for (const name of segments(path)) {
    let next = dir.children.get(name)
    if (next?.type !== 'dir') {
      next = dirNode(mtime)
      setChild(dir, name, next, mtime)
    }
    dir = next
  }
  return dir
}

/** How many directories of a normal path are missing. */
export function countMissing(root: DirNode, path: string): number {
  const names = segments(path)
  let node: Node | undefined = root
  let depth = 0
  for (; depth < names.length && node?.type === 'dir'; depth += 1) {
    node = node.children.get(names[depth]!)
    if (node === undefined) break
  }
  return names.length - depth
}

export function setChild(dir: DirNode, name: string, node: Node, mtime: number): void {
  if (!dir.children.has(name)) dir.sorted = undefined
  dir.children.set(name, node)
  dir.mtime = mtime
}

export function dropChild(dir: DirNode, name: string, mtime: number): void {
  if (dir.children.delete(name)) dir.sorted = undefined
  dir.mtime = mtime
}

/** The names of a directory, sorted by code unit. */
export function sortedNames(dir: DirNode): readonly string[] {
  return (dir.sorted ??= [...dir.children.keys()].sort())
}

/** Bytes and entries of a node and all below it. */
export function weigh(node: Node): { bytes: number; entries: number } {
  const total = { bytes: 0, entries: 0 }
  const open: Node[] = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    total.entries += 1
    if (next.type === 'file') total.bytes += next.size
    else for (const child of next.children.values()) open.push(child)
  }
  return total
}
