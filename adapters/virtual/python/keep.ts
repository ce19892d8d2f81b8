// What a program does to its files, kept at once: what it wrote is there when it is ended.
import { isSameloopError } from '../../../src/error/error.ts'
import { joinPath } from '../../../src/vfs/path.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { isPythonsOwn } from './copy-in.ts'
import type { EmscriptenFs, FsNode, FsStream } from './pyodide.ts'

export interface Keeper {
  /** Puts a file there that the program's files have already. */
  readonly place: (path: string, data: Uint8Array) => void
  /** Waits for what is under way, and says what could not be kept. */
  readonly finish: () => Promise<readonly string[]>
}

interface Keeping {
  readonly fs: EmscriptenFs
  readonly files: Vfs
  /** As the engine made them. */
  readonly real: EmscriptenFs
  /** Written, and not kept yet. */
  readonly dirty: Set<FsNode>
  /** What is under way, by path: an operation waits for those that it would undo. */
  readonly pending: Map<string, Promise<void>>
  readonly failures: string[]
  written: number
  /** What happens now is not done to the program's files. */
  isPaused: boolean
}

/** Bytes by which one program may make files grow, those of its own included. */
const maxWritten = 2 ** 28
const maxFailures = 10
const [noSpace, tooLarge] = [51, 22]
const [access, create, truncate] = [3, 0o100, 0o1000]

/** Follows what happens to the files of Python, and does the same to the program's. */
export function keepFiles(fs: EmscriptenFs, files: Vfs): Keeper {
  const keeping: Keeping = {
    fs,
    files,
    real: { ...fs },
    dirty: new Set(),
    pending: new Map(),
    failures: [],
    written: 0,
    isPaused: false,
  }
  followWrites(keeping)
  followNames(keeping)
  return {
    place: (path, data) => {
      keeping.isPaused = true
      try {
        fs.mkdirTree(path.slice(0, path.lastIndexOf('/')) || '/')
        fs.writeFile(path, data)
      } finally {
        keeping.isPaused = false
      }
    },
    finish: async () => {
      for (const node of keeping.dirty) keepNode(keeping, node)
      await Promise.all(keeping.pending.values())
      return keeping.failures
    },
  }
}

function followWrites(keeping: Keeping): void {
  const { fs, real, dirty } = keeping
  const grow = (bytes: number): void => {
    keeping.written += Math.max(0, bytes)
    if (keeping.written > maxWritten) throw new fs.ErrnoError(noSpace)
  }
  const isFile = ({ node }: FsStream): boolean => !keeping.isPaused && !isPythonsOwn(fs.getPath(node))
  fs.open = (...given) => {
    const stream = real.open.apply(fs, given)
    if (stream.flags & access && stream.flags & (create | truncate) && isFile(stream)) dirty.add(stream.node)
    return stream
  }
  fs.write = (...given) => {
    const [stream, , , length, position] = given
    const { usedBytes } = stream.node
    if (usedBytes !== undefined) grow((position ?? stream.position) + length - usedBytes)
    const count = real.write.apply(fs, given)
    if (usedBytes !== undefined && isFile(stream)) dirty.add(stream.node)
    return count
  }
  fs.close = (stream) => {
    const { node } = stream
    real.close.call(fs, stream)
    if (dirty.has(node)) keepNode(keeping, node)
  }
  const checkLength = (length: number): void => {
    if (length > maxWritten) throw new fs.ErrnoError(tooLarge)
    grow(length)
  }
  fs.truncate = (path, length) => {
    checkLength(length)
    real.truncate.call(fs, path, length)
    const node = typeof path === 'string' ? fs.analyzePath(path).object : (path as FsNode)
    if (node && !isPythonsOwn(fs.getPath(node))) keepNode(keeping, node)
  }
  fs.ftruncate = (fd, length) => {
    checkLength(length)
    real.ftruncate.call(fs, fd, length)
    const stream = fs.getStream(fd)
    if (stream && isFile(stream)) dirty.add(stream.node)
  }
}

function followNames(keeping: Keeping): void {
  const { fs, real, files } = keeping
  const gone = (path: string, remove: (path: string) => void): void => {
    const full = fullPath(fs, path)
    const { object } = fs.analyzePath(path)
    remove(path)
    if (object) keeping.dirty.delete(object)
    if (!isPythonsOwn(full)) change(keeping, { path: full, isAlone: true }, () => files.rm(full, { force: true }))
  }
  fs.mkdir = (path, mode) => {
    const made = real.mkdir.call(fs, path, mode)
    const full = fullPath(fs, path)
    if (!isPythonsOwn(full)) change(keeping, { path: full }, () => files.mkdir(full, { recursive: true }))
    return made
  }
  fs.unlink = (path) => gone(path, (one) => real.unlink.call(fs, one))
  fs.rmdir = (path) => gone(path, (one) => real.rmdir.call(fs, one))
  fs.rename = (from, to) => {
    const [old, next] = [fullPath(fs, from), fullPath(fs, to)]
    real.rename.call(fs, from, to)
    if (old === next) return
    if (isPythonsOwn(old)) return keepTree(keeping, next)
    if (isPythonsOwn(next))
      return change(keeping, { path: old, isAlone: true }, () => files.rm(old, { recursive: true, force: true }))
    change(keeping, { path: next, isAlone: true }, () => files.rename(old, next))
  }
}

/** The path without links, from the root. */
function fullPath(fs: EmscriptenFs, path: string): string {
  const end = path.replace(/\/+$/, '')
  const slash = end.lastIndexOf('/')
  const [folder, name] = slash < 0 ? ['.', end] : [end.slice(0, slash) || '/', end.slice(slash + 1)]
  const found = fs.analyzePath(folder).object
  return found ? joinPath(fs.getPath(found), name) : path
}

/** Everything at and below a path, which was elsewhere before. */
function keepTree(keeping: Keeping, path: string): void {
  const { fs, files } = keeping
  const node = fs.analyzePath(path).object
  if (!node || isPythonsOwn(path)) return
  if (fs.isFile(node.mode)) return keepNode(keeping, node)
  change(keeping, { path }, () => files.mkdir(path, { recursive: true }))
  for (const name of fs.readdir(path).filter((one) => one !== '.' && one !== '..'))
    keepTree(keeping, joinPath(path, name))
}

function keepNode(keeping: Keeping, node: FsNode): void {
  const { fs, files, dirty } = keeping
  dirty.delete(node)
  const path = fs.getPath(node)
  // What was removed while it was open is nobody's any more.
  if (fs.analyzePath(path).object !== node || isPythonsOwn(path)) return
  const data = fs.readFile(path)
  change(keeping, { path }, () => files.write(path, data, { parents: true }))
}

interface Place {
  readonly path: string
  /** It waits for everything before it, and everything after waits for it. */
  readonly isAlone?: boolean
}

const everything = '*'

/** Does it as soon as it can be: at once, where nothing under way is about the same path. */
function change(keeping: Keeping, { path, isAlone = false }: Place, work: () => Promise<unknown>): void {
  const { pending, failures, isPaused } = keeping
  if (isPaused) return
  const before = isAlone ? [...pending.values()] : [path, everything].flatMap((key) => pending.get(key) ?? [])
  const doing = before.length > 0 ? Promise.all(before).then(work) : work()
  const key = isAlone ? everything : path
  const done: Promise<void> = doing.then(
    () => undefined,
    (error: unknown) => {
      const words = isSameloopError(error) ? error.message : `Cannot keep "${path}": the files failed`
      if (failures.length < maxFailures && !failures.includes(words)) failures.push(words)
    },
  )
  pending.set(key, done)
  void done.then(() => {
    if (pending.get(key) === done) pending.delete(key)
  })
}
