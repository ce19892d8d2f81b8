// What POSIX allows, as every file system here keeps it: pure checks over what was found, and messages said once.
import { vfsError } from './error.ts'
import { isInside } from './path.ts'
import type { Vfs, VfsEntry, VfsWriteOptions } from './vfs.ts'

type Options<Name extends 'list' | 'read' | 'rm'> = NonNullable<Parameters<Vfs[Name]>[1]>

interface Found {
  readonly type: 'file' | 'dir'
}

/** What is at a path, and whether the directory it belongs in is there. */
interface Place<Taken extends Found = Found> {
  readonly taken: Taken | undefined
  readonly hasParent: boolean
}

/** What an error of a write says was being done. */
export const writeAction = ({ mode }: VfsWriteOptions): string => (mode === 'append' ? 'append to' : 'write')

export const noDirectory = (path: string, action: string): Error =>
  vfsError('ENOENT', path, { action, reason: 'its directory does not exist' })

export const rootStays = (action: string): Error => vfsError('EACCES', '/', { action, reason: 'the root stays' })

/** Throws `vfs-invalid` for what is no bytes: a text in their place would be an empty file on some disks. */
export function checkBytes(path: string, data: unknown): void {
  // Bytes of another realm are bytes.
  const kind = Object.prototype.toString.call(data).slice('[object '.length, -1)
  if (kind === 'Uint8Array') return
  throw vfsError('EINVAL', path, { action: 'write', reason: `wanted bytes, a Uint8Array, got ${kind}` })
}

/** Throws where these options forbid the write. */
export function checkWrite(
  path: string,
  { taken, hasParent }: Place<Found & { readonly etag?: string | undefined }>,
  options: VfsWriteOptions,
): void {
  const { mode, parents = false, ifMatch } = options
  const action = writeAction(options)
  if (taken?.type === 'dir') throw vfsError('EISDIR', path, { action })
  if (ifMatch !== undefined && taken?.etag !== ifMatch) throw vfsError('ECONFLICT', path, { action })
  if (taken !== undefined && mode === 'create') throw vfsError('EEXIST', path, { action: 'create' })
  if (!hasParent && !parents) throw noDirectory(path, action)
}

/** Whether there is a directory to make. */
export function checkMakeDir(
  path: string,
  { taken, hasParent }: Place,
  { recursive = false }: NonNullable<Parameters<Vfs['mkdir']>[1]> = {},
): boolean {
  if (taken?.type === 'dir' && recursive) return false
  if (taken !== undefined) throw vfsError('EEXIST', path, { action: 'create' })
  if (!hasParent && !recursive) throw noDirectory(path, 'create')
  return true
}

/** Whether there is something to remove; a file counts as empty. */
export function checkRemove(
  path: string,
  taken: { readonly isEmpty: boolean } | undefined,
  { recursive = false, force = false }: Options<'rm'> = {},
): boolean {
  const action = 'remove'
  if (path === '/') throw rootStays(action)
  if (taken === undefined && force) return false
  if (taken === undefined) throw vfsError('ENOENT', path, { action })
  if (!taken.isEmpty && !recursive) throw vfsError('ENOTEMPTY', path, { action })
  return true
}

/** Whether there is something to move; `from` and `to` are normal. */
export function checkMove(from: string, to: string, source: Found | undefined): boolean {
  if (from === '/' || to === '/') throw rootStays('rename')
  if (source === undefined) throw vfsError('ENOENT', from, { action: 'rename' })
  if (from === to) return false
  if (isInside(from, to))
    throw vfsError('EINVAL', to, { action: 'rename to', reason: 'it lies inside what is renamed' })
  return true
}

/** Throws where a thing of this type may not come to be at `to`. */
export function checkTarget(
  to: string,
  { type }: Found,
  { taken, hasParent }: Place<Found & { readonly isEmpty: boolean }>,
): void {
  const action = 'rename to'
  if (!hasParent) throw noDirectory(to, action)
  if (taken === undefined) return
  if (taken.type === 'file' && type === 'dir') throw vfsError('ENOTDIR', to, { action })
  if (taken.type === 'dir' && type === 'file') throw vfsError('EISDIR', to, { action })
  if (taken.type === 'dir' && !taken.isEmpty) throw vfsError('ENOTEMPTY', to, { action })
}

export interface Space {
  readonly bytes: number
  readonly entries: number
}

/** Throws `vfs-no-space` where `more` beside what is `used` goes above the limits. */
export function checkSpace(
  path: string,
  { used, more }: { readonly used: Space; readonly more: Space },
  limits: { readonly maxBytes: number; readonly maxEntries: number },
): void {
  if (more.bytes > 0 && used.bytes + more.bytes > limits.maxBytes)
    throw vfsError('ENOSPC', path, { action: 'write', reason: `all files together may have ${limits.maxBytes} bytes` })
  if (more.entries > 0 && used.entries + more.entries > limits.maxEntries)
    throw vfsError('ENOSPC', path, { action: 'create', reason: `at most ${limits.maxEntries} entries are allowed` })
}

/** How many entries a list gives at once: one at least, or it would never go on. */
export function pageSize(path: string, limit: number | undefined = Infinity): number {
  if (limit >= 0) return Math.max(1, Math.floor(limit))
  throw vfsError('EINVAL', path, { action: 'list', reason: `wanted a limit from 0, got ${String(limit)}` })
}

/** The bytes that are asked for, of those that there are. */
export function rangeOf(
  path: string,
  size: number,
  { offset = 0, length = Infinity }: Options<'read'> = {},
): { readonly from: number; readonly to: number } {
  if (!(offset >= 0 && length >= 0)) {
    const reason = `wanted offset and length from 0, got ${String(offset)} and ${String(length)}`
    throw vfsError('EINVAL', path, { action: 'read', reason })
  }
  const from = Math.min(Math.floor(offset), size)
  return { from, to: Math.min(size, from + Math.floor(length)) }
}

/** The page of a list that `limit` and `cursor` ask for; `names` are sorted. */
export function pageOf(
  path: string,
  names: readonly string[],
  { limit, cursor }: Options<'list'>,
  entryOf: (name: string) => VfsEntry,
): Awaited<ReturnType<Vfs['list']>> {
  const from = cursor === undefined ? 0 : firstAfter(names, cursor)
  const shown = names.slice(from, from + pageSize(path, limit))
  const entries = shown.map(entryOf)
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
