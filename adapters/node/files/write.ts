// Writing to the disk: a file beside the old one that takes its place, or an addition to its end.
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { vfsError } from '../../../src/vfs/error.ts'
import { checkWrite, writeAction } from '../../../src/vfs/rule.ts'
import type { VfsStat, VfsWriteOptions } from '../../../src/vfs/vfs.ts'
import { builtin } from '../builtin.ts'
import { makeDirectories, syncDirectory } from './durable.ts'
import { etagOf, typeOf, vfsStat } from './facts.ts'
import { hostCode } from './host-error.ts'
import { draftPrefix, follow } from './place.ts'
import type { Jail, Place, Question } from './place.ts'
import { openFound } from './read.ts'

export interface Writing extends Question {
  readonly data: Uint8Array
  readonly options: VfsWriteOptions
  readonly maxFileBytes: number
  /** Whether it is to be on the disk, and not only with the system, when it is done. */
  readonly fsync: boolean
}

export async function writeFile(jail: Jail, writing: Writing): Promise<VfsStat> {
  const { path, options, data, maxFileBytes } = writing
  const place = await follow(jail, writing)
  const old = place.stat && { type: typeOf(place.stat, writing), etag: etagOf(place.stat) }
  if (place.parent === 'file') throw vfsError('ENOTDIR', path, writing)
  checkWrite(path, { taken: old, hasParent: place.parent === 'dir' }, options)
  const isAppend = options.mode === 'append' && place.stat !== undefined
  const size = data.length + (isAppend ? Number(place.stat?.size) : 0)
  if (size > maxFileBytes) {
    const reason = `it would have ${size} bytes, and may have ${maxFileBytes}`
    throw vfsError('EFBIG', path, { ...writing, reason })
  }
  if (isAppend) return append(jail, writing)
  if (place.parent === 'missing') await makeDirectories(builtin('node:path').dirname(place.real), writing)
  return replace(jail, writing, place)
}

async function append(jail: Jail, writing: Writing): Promise<VfsStat> {
  const { O_WRONLY, O_APPEND } = builtin('node:fs').constants
  const { handle, stat, real } = await openFound(jail, writing, O_WRONLY | O_APPEND)
  try {
    await writeAll(handle, writing).catch(async (thrown: unknown) => {
      // Half of an addition is none.
      await handle.truncate(Number(stat.size)).catch(() => undefined)
      throw thrown
    })
    return vfsStat(await laterThan(stat, handle, real), writing)
  } finally {
    await handle.close()
  }
}

async function writeAll(handle: FileHandle, { data, fsync }: Pick<Writing, 'data' | 'fsync'>): Promise<void> {
  let done = 0
  while (done < data.length) done += (await handle.write(data, done, data.length - done)).bytesWritten
  if (fsync) await handle.sync()
}

/** Quick changes of one file may have one time: it is moved on, so that each can be told from those before. */
async function laterThan(old: BigIntStats | undefined, handle: FileHandle, path: string): Promise<BigIntStats> {
  const stat = await handle.stat({ bigint: true })
  if (old === undefined || stat.mtimeNs > old.mtimeNs) return stat
  // Some runtimes tell milliseconds only, and rounding may take one.
  const seconds = Number(old.mtimeMs + 2n) / 1000
  await builtin('node:fs/promises').utimes(path, seconds, seconds)
  return handle.stat({ bigint: true })
}

async function replace(jail: Jail, writing: Writing, { real, stat: old }: Place): Promise<VfsStat> {
  const { dirname, sep } = builtin('node:path')
  const { unlink } = builtin('node:fs/promises')
  // Who may not change the file may not put another one in its place either.
  if (old !== undefined) await checkWritable(jail, writing)
  const draft = `${dirname(real)}${sep}${draftPrefix}${crypto.randomUUID()}`
  try {
    const stat = await writeDraft(draft, writing, old)
    await settle(jail, writing, { draft, real })
    if (writing.fsync) await syncDirectory(dirname(real))
    return vfsStat(stat, writing)
  } catch (thrown) {
    await unlink(draft).catch(() => undefined)
    throw thrown
  }
}

async function checkWritable(jail: Jail, question: Question): Promise<void> {
  const { handle } = await openFound(jail, question, builtin('node:fs').constants.O_WRONLY)
  await handle.close()
}

async function writeDraft(draft: string, writing: Writing, old: BigIntStats | undefined): Promise<BigIntStats> {
  const handle = await builtin('node:fs/promises').open(draft, 'wx')
  try {
    await writeAll(handle, writing)
    if (old !== undefined) await handle.chmod(Number(old.mode & 0o777n)).catch(() => undefined)
    return await laterThan(old, handle, draft)
  } finally {
    await handle.close()
  }
}

/** The draft becomes the file. */
async function settle(
  jail: Jail,
  writing: Writing,
  { draft, real }: { readonly draft: string; readonly real: string },
): Promise<void> {
  const { link, rename, unlink } = builtin('node:fs/promises')
  const { path, options } = writing
  if (options.mode === 'create') {
    // Unlike a rename it fails where somebody else was faster.
    const isLinked = await link(draft, real).then(
      () => true,
      (thrown: unknown) => {
        if (hostCode(thrown) === 'EEXIST') throw vfsError('EEXIST', path, { action: 'create' })
        return false
      },
    )
    if (isLinked) return unlink(draft)
  }
  if (options.ifMatch !== undefined || options.mode === 'create') {
    // Another program may have changed it while the draft was written.
    const { stat } = await follow(jail, writing)
    const taken = stat && { type: typeOf(stat, writing), etag: etagOf(stat) }
    checkWrite(path, { taken, hasParent: true }, options)
  }
  await rename(draft, real)
}

export const writeQuestion = (path: string, options: VfsWriteOptions): Question => ({
  path,
  action: writeAction(options),
})
