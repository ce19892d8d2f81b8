// Finding handles: what is at a path, and what is in a directory.
import { vfsError } from '../../../src/vfs/error.ts'
import { normalizePath, parentPath, pathName } from '../../../src/vfs/path.ts'
import type { VfsStat } from '../../../src/vfs/vfs.ts'
import { isNamed } from './fault.ts'
import { entryName, nameOfEntry } from './name.ts'

export type Dir = FileSystemDirectoryHandle
export type Handle = FileSystemDirectoryHandle | FileSystemFileHandle

export interface Place {
  /** The directory it belongs in, where that is there. */
  readonly dir: Dir | undefined
  readonly taken: Handle | undefined
}

/** `undefined` where nothing is, or another kind. */
async function ifThere<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found
  } catch (error) {
    if (isNamed(error, 'NotFoundError') || isNamed(error, 'TypeMismatchError')) return undefined
    throw error
  }
}

/** What a directory has under the name of an entry. */
export async function childOf(dir: Dir, name: string): Promise<Handle | undefined> {
  return (await ifThere(dir.getFileHandle(name))) ?? (await ifThere(dir.getDirectoryHandle(name)))
}

/** What is at a normal path. With `action`, a file in the middle of it is `vfs-not-directory`; else nothing is there. */
export async function placeOf(root: Dir, path: string, action?: string): Promise<Place> {
  if (path === '/') return { dir: root, taken: root }
  let dir = root
  for (const name of entryName(parentPath(path)).split('/')) {
    if (name === '') continue
    const next = await ifThere(dir.getDirectoryHandle(name))
    if (next === undefined) {
      if (action !== undefined && (await ifThere(dir.getFileHandle(name)))) throw vfsError('ENOTDIR', path, { action })
      return { dir: undefined, taken: undefined }
    }
    dir = next
  }
  return { dir, taken: await childOf(dir, entryName(pathName(path))) }
}

/** Makes the missing directories of a normal path and gives the last. */
export async function growDirs(root: Dir, path: string): Promise<Dir> {
  let dir = root
  for (const name of entryName(path).split('/'))
    // Looked for first: a browser without space refuses to make what is there.
    if (name !== '')
      dir = (await ifThere(dir.getDirectoryHandle(name))) ?? (await dir.getDirectoryHandle(name, { create: true }))
  return dir
}

/** Of a directory the time is not known, and is 0. */
export async function statOf(path: string, handle: Handle): Promise<VfsStat> {
  if (handle.kind === 'directory') return { path, type: 'dir', size: 0, mtime: 0 }
  const { size, lastModified } = await handle.getFile()
  return { path, type: 'file', size, mtime: lastModified, etag: `${lastModified}-${size}` }
}

/** The names in a directory in order; those that no path could name are left out. */
export async function namesIn(dir: Dir): Promise<readonly string[]> {
  const names: string[] = []
  for await (const entry of dir.keys()) {
    const name = nameOfEntry(entry)
    if (isName(name)) names.push(name)
  }
  return names.sort()
}

function isName(name: string): boolean {
  try {
    return normalizePath(name) === `/${name}`
  } catch {
    return false
  }
}

async function isEmpty(handle: Handle): Promise<boolean> {
  if (handle.kind === 'file') return true
  for await (const _ of handle.keys()) return false
  return true
}

/** What the rules want to know. */
export const found = async (
  handle: Handle | undefined,
): Promise<{ readonly type: 'file' | 'dir'; readonly isEmpty: boolean } | undefined> =>
  handle && { type: handle.kind === 'file' ? 'file' : 'dir', isEmpty: await isEmpty(handle) }
