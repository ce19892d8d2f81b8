// Files as text, and small things that every caller wants.
import { amounts } from '../error/amount.ts'
import { vfsError } from './error.ts'
import { absolutePath, isInside, joinPath, pathWithin } from './path.ts'
import { walk } from './walk.ts'
import type { Vfs, VfsOperation, VfsStat, VfsWriteOptions } from './vfs.ts'

export interface ReadTextOptions extends VfsOperation {
  /** Default 10 MiB; a larger file is `vfs-too-large`. */
  readonly maxBytes?: number | undefined
}

/**
 * The text of a file, a byte-order mark included. A file that is not UTF-8, or has a NUL in its first 8 KiB, is binary:
 * `vfs-invalid`.
 */
export async function readText(vfs: Vfs, path: string, options: ReadTextOptions = {}): Promise<string> {
  const { signal } = options
  const { maxBytes } = amounts(options, { maxBytes: 10 * 2 ** 20 })
  const at = absolutePath(vfs, path)
  const stat = await vfs.stat(at, { signal })
  if (stat?.type === 'file' && stat.size > maxBytes) throw tooLarge(at, stat.size, maxBytes)
  const data = await vfs.read(at, { signal, length: maxBytes + 1 })
  if (data.length > maxBytes) throw tooLarge(at, data.length, maxBytes)
  const text = decodeText(data)
  if (text === undefined)
    throw vfsError('EINVAL', at, { action: 'read', reason: 'it is a binary file, not UTF-8 text' })
  return text
}

const tooLarge = (path: string, size: number, most: number): Error =>
  vfsError('EFBIG', path, { action: 'read', reason: `it has ${size} bytes, at most ${most} are allowed` })

/** The bytes as text, or `undefined` where they are binary. */
function decodeText(data: Uint8Array): string | undefined {
  if (data.subarray(0, 8192).includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data)
  } catch {
    return undefined
  }
}

/** Writes a text as UTF-8. */
export async function writeText(vfs: Vfs, path: string, text: string, options: VfsWriteOptions = {}): Promise<VfsStat> {
  return vfs.write(absolutePath(vfs, path), new TextEncoder().encode(text), options)
}

export async function exists(vfs: Vfs, path: string, options: VfsOperation = {}): Promise<boolean> {
  return (await vfs.stat(absolutePath(vfs, path), options)) !== undefined
}

/** Copies a file, or a directory with all below it, into `target` (the same file system unless `into` is given). */
export async function copy(
  vfs: Vfs,
  path: string,
  target: string,
  options: VfsOperation & { readonly into?: Vfs | undefined } = {},
): Promise<void> {
  const { into = vfs, signal } = options
  const from = absolutePath(vfs, path)
  const to = absolutePath(into, target)
  const stat = await vfs.stat(from, { signal })
  if (stat === undefined) throw vfsError('ENOENT', from, { action: 'copy' })
  if (into === vfs && stat.type === 'dir' && isInside(from, to))
    throw vfsError('EINVAL', to, { action: 'copy to', reason: 'it lies inside what is copied' })
  if (stat.type === 'file') {
    if (into !== vfs || from !== to) await into.write(to, await vfs.read(from, { signal }), { parents: true, signal })
    return
  }
  await into.mkdir(to, { recursive: true, signal })
  for await (const entry of walk(vfs, from, { signal })) {
    const place = joinPath(to, pathWithin(from, entry.path))
    if (entry.type === 'dir') await into.mkdir(place, { recursive: true, signal })
    else await into.write(place, await vfs.read(entry.path, { signal }), { signal })
  }
}
