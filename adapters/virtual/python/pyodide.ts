// What is used of Pyodide, in types of our own, and how it is started: from its files, or from a picture of its memory.
import { own } from '../../../src/json/value.ts'

/** A file or directory of Emscripten's memory. */
export interface FsNode {
  readonly usedBytes?: number | undefined
}

export interface FsStream {
  readonly node: FsNode
  readonly flags: number
  readonly position: number
}

/** The part of Emscripten's file system that is used; each function may be replaced. */
export interface EmscriptenFs {
  readonly ErrnoError: new (errno: number) => Error
  mkdirTree(path: string): void
  writeFile(path: string, data: Uint8Array): void
  readFile(path: string): Uint8Array
  readdir(path: string): readonly string[]
  getPath(node: FsNode): string
  analyzePath(path: string): { readonly exists: boolean; readonly object?: FsNode & { readonly mode: number } }
  isDir(mode: number): boolean
  isFile(mode: number): boolean
  getStream(fd: number): FsStream | undefined
  open(...given: unknown[]): FsStream
  write(
    ...given: [stream: FsStream, buffer: unknown, offset: number, length: number, position?: number, own?: boolean]
  ): number
  close(stream: FsStream): void
  truncate(path: unknown, length: number): void
  ftruncate(fd: number, length: number): void
  mkdir(path: string, mode?: number): unknown
  rmdir(path: string): void
  unlink(path: string): void
  rename(from: string, to: string): void
}

interface Stream {
  readonly isatty: boolean
  write(bytes: Uint8Array): number
}

export interface Pyodide {
  readonly FS: EmscriptenFs
  readonly globals: { get(name: string): unknown; delete(name: string): void }
  runPython(text: string): unknown
  setStdin(options: { readonly stdin: () => unknown; readonly isatty: boolean }): void
  setStdout(stream: Stream): void
  setStderr(stream: Stream): void
  makeMemorySnapshot(): Uint8Array
}

/** The files of the package, as the runtime has them. */
export interface PyodideFiles {
  readonly loadPyodide: (options: object) => Promise<unknown>
  /** The default export of `pyodide.asm.mjs`. */
  readonly createPyodideModule: unknown
  /** What `pyodide-lock.json` says. */
  readonly lock: unknown
  /** With a slash at its end. */
  readonly indexUrl: string
}

export interface StartOptions {
  readonly files: PyodideFiles
  readonly memoryMb: number
  /** What `onSnapshot` was given before, of the same files. */
  readonly snapshot: Uint8Array | undefined
  /** Told once, where there was none: the memory of Python before any program. */
  readonly onSnapshot: (snapshot: Uint8Array) => void
  /** Evaluated before the picture is taken. */
  readonly driver: string
}

/**
 * Python, ready for one program. Of the globals it is given timers only; the way to its own JavaScript is closed, as far
 * as that can be: what runs it must have nothing worth taking.
 */
export async function startPyodide(options: StartOptions): Promise<Pyodide> {
  const { files, memoryMb, snapshot, onSnapshot, driver } = options
  limitMemory(memoryMb)
  const pyodide = (await files.loadPyodide({
    indexURL: files.indexUrl,
    createPyodideModule: files.createPyodideModule,
    // No package is ever fetched.
    lockFileContents: { info: own(files.lock, 'info'), packages: {} },
    packageBaseUrl: files.indexUrl,
    env: { HOME: '/tmp', PYTHONINSPECT: '' },
    jsglobals: { __proto__: null, setTimeout, clearTimeout, Object },
    ...(snapshot ? { _loadSnapshot: snapshot } : { _makeSnapshot: true }),
  })) as Pyodide
  if (!snapshot) {
    pyodide.runPython(driver)
    onSnapshot(pyodide.makeMemorySnapshot())
  }
  return pyodide
}

const pageBytes = 2 ** 16

/** The engine would let it grow to four gibibytes; what Python cannot have is a MemoryError. */
function limitMemory(memoryMb: number): void {
  const { prototype } = WebAssembly.Memory
  const { grow } = prototype
  prototype.grow = function (this: WebAssembly.Memory, pages: number): number {
    if (this.buffer.byteLength + pages * pageBytes > memoryMb * 2 ** 20) throw new RangeError('There is no more memory')
    return grow.call(this, pages)
  }
}
