// Reading from the disk: files whole or in part, and directories a page at a time.
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { vfsError } from '../../../src/vfs/error.ts'
import { joinPath } from '../../../src/vfs/path.ts'
import { pageOf, rangeOf } from '../../../src/vfs/rule.ts'
import type { Vfs, VfsEntry } from '../../../src/vfs/vfs.ts'
import { builtin } from '../builtin.ts'
import { isSame, typeOf } from './facts.ts'
import { hostCode, whereFound } from './host-error.ts'
import { draftPrefix, follow, isReserved } from './place.ts'
import type { Jail, Place, Question } from './place.ts'

type ReadOptions = NonNullable<Parameters<Vfs['read']>[1]>
type ListOptions = NonNullable<Parameters<Vfs['list']>[1]>

const tries = 10
const pieceBytes = 2 ** 26
const statsAtOnce = 64
const draftMs = 24 * 60 * 60 * 1000

/**
 * Opens the file that was found, and no other: who replaces it meanwhile is followed, a link in its place is not. Node
 * refuses the link by itself, Deno does not.
 */
export async function openFound(jail: Jail, question: Question, flags: number): Promise<OpenFile> {
  const { O_NOFOLLOW, O_NONBLOCK } = builtin('node:fs').constants
  const { open } = builtin('node:fs/promises')
  for (let left = tries; left > 0; left--) {
    const { real, stat } = await follow(jail, question)
    if (stat === undefined) throw vfsError('ENOENT', question.path, question)
    if (typeOf(stat, question) === 'dir') throw vfsError('EISDIR', question.path, question)
    const handle = await whereFound(open(real, flags | O_NOFOLLOW | O_NONBLOCK)).catch((thrown: unknown) => {
      if (hostCode(thrown) === 'ELOOP') return undefined
      throw thrown
    })
    if (handle === undefined) continue
    const opened = await handle.stat({ bigint: true })
    if (isSame(opened, stat)) return { handle, stat: opened, real }
    await handle.close()
  }
  throw vfsError('EBUSY', question.path, { ...question, reason: 'it is replaced again and again' })
}

export interface OpenFile {
  readonly handle: FileHandle
  readonly stat: BigIntStats
  readonly real: string
}

export async function readFile(
  jail: Jail,
  question: Question,
  { maxFileBytes, ...range }: ReadOptions & { readonly maxFileBytes: number },
): Promise<Uint8Array> {
  const { handle, stat } = await openFound(jail, question, builtin('node:fs').constants.O_RDONLY)
  try {
    const size = Number(stat.size)
    const { from, to } = rangeOf(question.path, size, range)
    if (to - from > maxFileBytes) {
      const reason = `it has ${size} bytes; read at most ${maxFileBytes} at once, with offset and length`
      throw vfsError('EFBIG', question.path, { ...question, reason })
    }
    return await readRange(handle, new Uint8Array(to - from), from)
  } finally {
    await handle.close()
  }
}

/** Fills the bytes, or as many as there are: the file may have become shorter. */
async function readRange(handle: FileHandle, bytes: Uint8Array, from: number): Promise<Uint8Array> {
  let done = 0
  while (done < bytes.length) {
    const { bytesRead } = await handle.read(bytes, done, Math.min(pieceBytes, bytes.length - done), from + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
}

/** A link is listed as what it leads to; what leads out or nowhere, sockets, pipes and devices are not. */
export async function listDirectory(
  jail: Jail,
  question: Question,
  options: ListOptions,
): Promise<Awaited<ReturnType<Vfs['list']>>> {
  const { path } = question
  const { real, stat } = await follow(jail, question)
  if (stat === undefined) throw vfsError('ENOENT', path, question)
  if (typeOf(stat, question) === 'file') throw vfsError('ENOTDIR', path, question)
  const types = new Map<string, VfsEntry['type']>()
  for (const entry of await builtin('node:fs/promises').readdir(real, { withFileTypes: true })) {
    const at = joinPath(path, entry.name)
    if (entry.name.startsWith(draftPrefix)) await sweep(real, entry.name)
    if (isReserved(at)) continue
    if (entry.isFile()) types.set(entry.name, 'file')
    else if (entry.isDirectory()) types.set(entry.name, 'dir')
    else if (entry.isSymbolicLink()) await noteLink(jail, { at, name: entry.name, types })
  }
  const names = [...types.keys()].sort()
  const page = pageOf(path, names, options, (name) => ({ name, type: types.get(name) ?? 'file' }))
  return { ...page, entries: await withFacts(jail, question, page.entries) }
}

/** Removes what nobody can still be writing. */
async function sweep(folder: string, name: string): Promise<void> {
  const { lstat, unlink } = builtin('node:fs/promises')
  const path = builtin('node:path').join(folder, name)
  const stat = await lstat(path).catch(() => undefined)
  if (stat && Date.now() - stat.mtimeMs > draftMs) await unlink(path).catch(() => undefined)
}

interface LinkNote {
  readonly at: string
  readonly name: string
  readonly types: Map<string, VfsEntry['type']>
}

async function noteLink(jail: Jail, { at, name, types }: LinkNote): Promise<void> {
  const stat = await found(jail, at)
  if (stat?.isFile()) types.set(name, 'file')
  else if (stat?.isDirectory()) types.set(name, 'dir')
}

const found = async (jail: Jail, path: string): Promise<Place['stat']> =>
  (await follow(jail, { path, action: 'list' }).catch(() => undefined))?.stat

/** Entries with sizes and times; what is gone by now is left out. */
async function withFacts(jail: Jail, { path }: Question, entries: readonly VfsEntry[]): Promise<readonly VfsEntry[]> {
  const full: VfsEntry[] = []
  for (let from = 0; from < entries.length; from += statsAtOnce) {
    const some = entries.slice(from, from + statsAtOnce)
    const stats = await Promise.all(some.map(({ name }) => found(jail, joinPath(path, name))))
    for (const [index, { name, type }] of some.entries()) {
      const stat = stats[index]
      if (stat) full.push({ name, type, size: type === 'dir' ? 0 : Number(stat.size), mtime: Number(stat.mtimeMs) })
    }
  }
  return full
}
