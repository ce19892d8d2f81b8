// The files of a command as just-bash wants them: bytes as strings, errors that begin with the POSIX name.
import type { BufferEncoding, FileContent, FsStat, IFileSystem } from 'just-bash/browser'
import { isSameloopError } from '../../../src/error/error.ts'
import { isErrno } from '../../../src/vfs/error.ts'
import type { Errno } from '../../../src/vfs/error.ts'
import { normalizePath, pathWithin } from '../../../src/vfs/path.ts'
import { copy } from '../../../src/vfs/text.ts'
import type { Vfs, VfsOperation, VfsStat, VfsWriteOptions } from '../../../src/vfs/vfs.ts'
import { entriesOf } from '../../../src/vfs/walk.ts'

export type Bytes = Awaited<ReturnType<NonNullable<IFileSystem['readFileBytes']>>>

/** What just-bash looks for in a message, and then prints as shells do. */
const words: Record<Errno, string> = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  ENOTDIR: 'not a directory',
  EISDIR: 'is a directory',
  ENOTEMPTY: 'directory not empty',
  EACCES: 'permission denied',
  EROFS: 'read-only file system',
  EINVAL: 'invalid argument',
  ENOSPC: 'no space left on device',
  EBUSY: 'resource busy',
  EFBIG: 'file too large',
  ECONFLICT: 'file changed since it was read',
  EIO: 'input/output error',
}

export interface FileError extends Error {
  readonly path: string
  /** The reason as a shell says it. */
  readonly said: string
}

export const isFileError = (error: unknown): error is FileError =>
  error instanceof Error && 'said' in error && 'path' in error

export function fileError(errno: Errno | 'EPERM', path: string): FileError {
  // Its own name would make `ln` say that directories have no hard links.
  if (errno === 'EPERM') {
    const said = 'Links are not supported here'
    return Object.assign(new Error(said), { path, said })
  }
  const reason = words[errno]
  const said = `${reason[0]?.toUpperCase()}${reason.slice(1)}`
  return Object.assign(new Error(`${errno}: ${reason}, '${path}'`), { path, said })
}

/** Runs an operation; a fault of the files becomes one that just-bash understands, an abort stays what it is. */
async function asFileError<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isSameloopError(error)) throw error
    const { errno } = error.data
    throw fileError(isErrno(errno) ? errno : 'EIO', path)
  }
}

/** Characters of a path: the work with one grows faster than it does. */
export const maxPath = 4096

const encoder = new TextEncoder()

/** A string of bytes, each a character, in pieces that fit the stack. */
export function bytesToBinary(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 32_768) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 32_768)))
  return pieces.join('')
}

export const binaryToBytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

type Encoding = { readonly encoding?: BufferEncoding | null } | BufferEncoding | undefined

const encodingOf = (options: Encoding): BufferEncoding =>
  (typeof options === 'string' ? options : options?.encoding) ?? 'utf8'

const isBinary = (encoding: BufferEncoding): boolean =>
  encoding === 'binary' || encoding === 'latin1' || encoding === 'ascii'

export function contentBytes(content: FileContent, options: Encoding): Uint8Array {
  if (typeof content !== 'string') return content
  const encoding = encodingOf(options)
  if (isBinary(encoding)) return binaryToBytes(content)
  if (encoding === 'base64') return binaryToBytes(atob(content))
  if (encoding !== 'hex') return encoder.encode(content)
  return Uint8Array.from(content.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

export function textOf(bytes: Uint8Array, options: Encoding): string {
  const encoding = encodingOf(options)
  if (isBinary(encoding)) return bytesToBinary(bytes)
  if (encoding === 'base64') return btoa(bytesToBinary(bytes))
  if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes)
}

/** So many files have a mode that was given to them; the files themselves keep none. */
const maxModes = 10_000

/** Modes given with `chmod`, for as long as the interpreter lives: a script that was made executable can be run. */
export type Modes = Map<string, number>

export interface BridgeOptions extends VfsOperation {
  readonly modes: Modes
}

type At = <Result>(given: string, work: (path: string) => Promise<Result>) => Promise<Result>

/** `vfs` for just-bash. There are no links; times are not set; a directory that is missing is not made by a write. */
export function bridge(vfs: Vfs, options: BridgeOptions): IFileSystem {
  const at: At = (given, work) => asFileError(given, () => work(normalizePath(given)))
  const refuse = async (path: string): Promise<never> => {
    throw fileError('EPERM', path)
  }
  return {
    ...looking(vfs, at, options),
    ...changing(vfs, at, options),
    resolvePath: resolveAgainst,
    getAllPaths: () => [],
    symlink: (_target, path) => refuse(path),
    link: (_existing, path) => refuse(path),
  }
}

async function found(vfs: Vfs, path: string, signal: AbortSignal | undefined): Promise<VfsStat> {
  const stat = await vfs.stat(path, { signal })
  if (stat === undefined) throw fileError('ENOENT', path)
  return stat
}

export type Looking =
  | 'readFile'
  | 'readFileBytes'
  | 'readFileBuffer'
  | 'exists'
  | 'stat'
  | 'lstat'
  | 'readdir'
  | 'readdirWithFileTypes'
  | 'readlink'
  | 'realpath'

function looking(vfs: Vfs, at: At, { signal, modes }: BridgeOptions): Pick<IFileSystem, Looking> {
  const stat = (given: string): Promise<FsStat> =>
    at(given, async (path) => shellStat(await found(vfs, path, signal), modes.get(path)))
  const read = (given: string): Promise<Uint8Array> => at(given, (path) => vfs.read(path, { signal }))
  const entries = (given: string) =>
    at(given, async (path) => {
      if ((await found(vfs, path, signal)).type !== 'dir') throw fileError('ENOTDIR', path)
      const all = []
      for await (const entry of entriesOf(vfs, path, { signal })) all.push(entry)
      return all
    })
  return {
    readFile: async (path, options) => textOf(await read(path), options),
    readFileBytes: async (path) => bytesToBinary(await read(path)) as unknown as Bytes,
    readFileBuffer: read,
    exists: async (path) =>
      stat(path).then(
        () => true,
        () => false,
      ),
    stat,
    lstat: stat,
    readdir: async (path) => (await entries(path)).map(({ name }) => name),
    readdirWithFileTypes: async (path) =>
      (await entries(path)).map(({ name, type }) => ({
        name,
        isFile: type === 'file',
        isDirectory: type === 'dir',
        isSymbolicLink: false,
      })),
    readlink: (given) =>
      at(given, async (path) => {
        await found(vfs, path, signal)
        throw fileError('EINVAL', given)
      }),
    realpath: (given) => at(given, async (path) => (await found(vfs, path, signal)).path),
  }
}

type Changing = 'writeFile' | 'appendFile' | 'mkdir' | 'rm' | 'cp' | 'mv' | 'chmod' | 'utimes'

function changing(vfs: Vfs, at: At, { signal, modes }: BridgeOptions): Pick<IFileSystem, Changing> {
  const write = (given: string, data: Uint8Array, mode: VfsWriteOptions['mode']): Promise<void> =>
    at(given, async (path) => void (await vfs.write(path, data, { mode, signal })))
  return {
    writeFile: (path, content, options) => write(path, contentBytes(content, options), 'overwrite'),
    appendFile: (path, content, options) => write(path, contentBytes(content, options), 'append'),
    mkdir: (given, { recursive = false } = {}) => at(given, (path) => vfs.mkdir(path, { recursive, signal })),
    rm: (given, { recursive = false, force = false } = {}) =>
      at(given, async (path) => {
        await vfs.rm(path, { recursive, force, signal })
        moveModes(modes, path)
      }),
    cp: (from, to, { recursive = false } = {}) =>
      at(from, async (path) => {
        if ((await found(vfs, path, signal)).type === 'dir' && !recursive) throw fileError('EISDIR', from)
        await copy(vfs, path, normalizePath(to), { signal })
      }),
    mv: (from, to) =>
      at(from, async (path) => {
        await vfs.rename(path, normalizePath(to), { signal })
        moveModes(modes, path, normalizePath(to))
      }),
    chmod: (given, mode) =>
      at(given, async (path) => {
        await found(vfs, path, signal)
        if (modes.size >= maxModes) modes.clear()
        modes.set(path, mode & 0o7777)
      }),
    utimes: (given) => at(given, async (path) => void (await found(vfs, path, signal))),
  }
}

export function resolveAgainst(base: string, path: string): string {
  // Whoever uses a path that cannot be is told then, in words.
  const segments: string[] = []
  for (const segment of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

function shellStat({ path, type, size, mtime }: VfsStat, mode: number | undefined): FsStat {
  const isFile = type === 'file'
  return {
    isFile,
    isDirectory: !isFile,
    isSymbolicLink: false,
    mode: mode ?? (isFile ? 0o644 : 0o755),
    size,
    mtime: new Date(mtime),
    // Without links, what has one path is one thing.
    identity: path,
  }
}

function moveModes(modes: Modes, from: string, to?: string): void {
  for (const [path, mode] of [...modes]) {
    if (path !== from && !path.startsWith(`${from}/`)) continue
    modes.delete(path)
    if (to !== undefined) modes.set(to + (path === from ? '' : pathWithin(from, path)), mode)
  }
}
