// A file system over the handle of a directory. Each operation looks it up anew, so others may change it too.
import { amounts } from '../../../src/error/amount.ts'
import { vfsError } from '../../../src/vfs/error.ts'
import { normalizePath, parentPath, pathName } from '../../../src/vfs/path.ts'
import {
  checkBytes,
  checkMakeDir,
  checkMove,
  checkRemove,
  checkTarget,
  checkWrite,
  pageOf,
  rangeOf,
  writeAction,
} from '../../../src/vfs/rule.ts'
import type { Vfs, VfsEntry, VfsOperation, VfsStat, VfsWriteOptions } from '../../../src/vfs/vfs.ts'
import { handleError } from './fault.ts'
import { found, growDirs, namesIn, placeOf, statOf } from './handle.ts'
import type { Dir } from './handle.ts'
import { entryName } from './name.ts'
import { turns } from './turns.ts'
import { append, copyTo, withFile, writeWhole } from './write.ts'

export interface HandleFilesOptions {
  /** Of one file. Default 512 MiB; more is `vfs-too-large`. Another thing than a number from 0 is `config-invalid`. */
  readonly maxFileBytes?: number | undefined
}

interface Setup extends HandleFilesOptions {
  readonly name: string
  readonly root: () => Promise<Dir>
  /** The lock that all who use the same directory take. Absent: this object alone is in order. */
  readonly lock?: string | undefined
}

export function handleFiles({ name, root, lock, ...options }: Setup): Vfs {
  const { look, change } = turns(lock)
  const files: Opened = amounts(options, { maxFileBytes: 2 ** 29 })
  /** An operation in its turn, its errors in the words of files. */
  const inTurn =
    (turn: typeof look) =>
    async <Result>(
      { action, path, signal }: { readonly action: string; readonly path: string } & VfsOperation,
      work: (root: Dir, at: string) => Promise<Result>,
    ): Promise<Result> => {
      signal?.throwIfAborted()
      const at = normalizePath(path)
      try {
        return await turn(async () => work(await root(), at))
      } catch (error) {
        throw handleError(error, at, action)
      }
    }
  const [looking, changing] = [inTurn(look), inTurn(change)]
  return {
    capabilities: {
      name,
      persistent: true,
      readOnly: false,
      atomicRename: false,
      cas: false,
      append: 'native',
      watch: false,
      ...files,
    },
    stat: (path, { signal } = {}) =>
      looking({ action: 'look at', path, signal }, async (dir, at) => {
        const { taken } = await placeOf(dir, at)
        return taken && statOf(at, taken)
      }),
    list: (path, options = {}) =>
      looking({ action: 'list', path, signal: options.signal }, (dir, at) => listDir(dir, at, options)),
    read: (path, options = {}) =>
      looking({ action: 'read', path, signal: options.signal }, (dir, at) => readFile(files, dir, { at, ...options })),
    write: async (path, data, options = {}) => {
      const bytes = ownBytes(path, data)
      return changing({ action: writeAction(options), path, signal: options.signal }, (dir, at) =>
        writeFile(files, dir, { at, bytes, options }),
      )
    },
    mkdir: (path, options = {}) =>
      changing({ action: 'create', path, signal: options.signal }, async (dir, at) => {
        const place = await placeOf(dir, at, 'create')
        if (checkMakeDir(at, { taken: await found(place.taken), hasParent: !!place.dir }, options))
          await growDirs(dir, at)
      }),
    rm: (path, options = {}) =>
      changing({ action: 'remove', path, signal: options.signal }, async (dir, at) => {
        const place = await placeOf(dir, at)
        if (checkRemove(at, await found(place.taken), options) && place.dir)
          await place.dir.removeEntry(entryName(pathName(at)), { recursive: options.recursive ?? false })
      }),
    rename: (from, to, { signal } = {}) =>
      changing({ action: 'rename', path: from, signal }, (dir, at) => move(dir, at, normalizePath(to))),
  }
}

/** The caller may change its bytes before it is their turn. */
function ownBytes(path: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  checkBytes(path, data)
  return new Uint8Array(data)
}

interface Opened {
  readonly maxFileBytes: number
}

async function listDir(
  root: Dir,
  path: string,
  options: NonNullable<Parameters<Vfs['list']>[1]>,
): ReturnType<Vfs['list']> {
  const { taken: dir } = await placeOf(root, path)
  if (dir?.kind !== 'directory') throw vfsError(dir ? 'ENOTDIR' : 'ENOENT', path, { action: 'list' })
  const { entries, cursor } = pageOf(path, await namesIn(dir), options, (name): VfsEntry => ({ name, type: 'dir' }))
  const shown = await Promise.all(
    entries.map(async ({ name }): Promise<VfsEntry | undefined> => {
      const { taken } = await placeOf(dir, `/${name}`)
      if (!taken) return undefined
      const { type, size, mtime } = await statOf(name, taken)
      return { name, type, size, mtime }
    }),
  )
  return { entries: shown.filter((entry) => entry !== undefined), ...(cursor !== undefined && { cursor }) }
}

interface Reading extends NonNullable<Parameters<Vfs['read']>[1]> {
  readonly at: string
}

async function readFile({ maxFileBytes }: Opened, root: Dir, { at, ...range }: Reading): Promise<Uint8Array> {
  const action = 'read'
  const { taken } = await placeOf(root, at)
  if (taken?.kind !== 'file') throw vfsError(taken ? 'EISDIR' : 'ENOENT', at, { action })
  const file = await taken.getFile()
  const { from, to } = rangeOf(at, file.size, range)
  if (to - from > maxFileBytes)
    throw vfsError('EFBIG', at, { action, reason: `at most ${maxFileBytes} bytes are read at once` })
  return new Uint8Array(await file.slice(from, to).arrayBuffer())
}

interface Writing {
  readonly at: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly options: VfsWriteOptions
}

async function writeFile({ maxFileBytes }: Opened, root: Dir, { at, bytes, options }: Writing): Promise<VfsStat> {
  const action = writeAction(options)
  const { dir, taken } = await placeOf(root, at, action)
  const old = taken && (await statOf(at, taken))
  checkWrite(at, { taken: old, hasParent: !!dir }, options)
  const isAppend = options.mode === 'append' && old !== undefined
  if ((isAppend ? old.size : 0) + bytes.length > maxFileBytes)
    throw vfsError('EFBIG', at, { action, reason: `a file may have ${maxFileBytes} bytes` })
  const into = dir ?? (await growDirs(root, parentPath(at)))
  const handle = await withFile(into, entryName(pathName(at)), {
    isNew: !old,
    work: (file) => (isAppend ? append(file, bytes) : writeWhole(file, bytes)),
  })
  return statOf(at, handle)
}

async function move(root: Dir, from: string, to: string): Promise<void> {
  const source = await placeOf(root, from)
  const type = source.taken && (await found(source.taken))
  if (!checkMove(from, to, type) || !source.taken || !source.dir || !type) return
  const target = await placeOf(root, to, 'rename to')
  checkTarget(to, type, { taken: await found(target.taken), hasParent: !!target.dir })
  if (!target.dir) return
  await copyTo(source.taken, target.dir, entryName(pathName(to)))
  await source.dir.removeEntry(entryName(pathName(from)), { recursive: true })
}
