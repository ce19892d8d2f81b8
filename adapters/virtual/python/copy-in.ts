// The files of a program, copied into Python's memory before it starts: Python opens files at once, ours are asked for.
import { joinPath } from '../../../src/vfs/path.ts'
import type { Vfs, VfsEntry } from '../../../src/vfs/vfs.ts'
import { entriesOf } from '../../../src/vfs/walk.ts'
import type { EmscriptenFs } from './pyodide.ts'

/** As much is copied; of what is more, a program loads what it wants. */
const maxFiles = 1000
const maxEntries = 10_000
const maxFileBytes = 2 ** 23
const maxBytes = 2 ** 25
const atOnce = 16
/** Large as a rule, and never what a program is about. */
const left = new Set(['.git', 'node_modules', '.tool-results'])
const pythonsOwn = /^\/(dev|proc|tmp|lib\/python[^/]*)(\/|$)/

/** Whether a path is a place of Python's own, and not the program's files. */
export const isPythonsOwn = (path: string): boolean => pythonsOwn.test(path)

/** What is there and was not copied. */
export interface Left {
  readonly count: number
  /** One of them. */
  readonly path: string
}

interface Copying {
  readonly fs: EmscriptenFs
  readonly files: Vfs
  readonly signal: AbortSignal
  room: number
  leftCount: number
  leftPath: string
}

/** Copies directories level by level, so that what lies near the root comes first. Rejects where the files fail. */
export async function copyIn(fs: EmscriptenFs, files: Vfs, signal: AbortSignal): Promise<Left | undefined> {
  const copying: Copying = { fs, files, signal, room: maxBytes, leftCount: 0, leftPath: '' }
  const found: string[] = []
  const folders = ['/']
  let entries = 0
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for await (const entry of entriesOf(files, folder, { signal })) {
      const path = joinPath(folder, entry.name)
      if (++entries > maxEntries || left.has(entry.name) || isPythonsOwn(path)) leave(copying, path)
      else if (entry.type === 'file') found.push(...wanted(copying, path, entry))
      else {
        fs.mkdirTree(path)
        folders.push(path)
      }
    }
  }
  for (const path of found.splice(maxFiles)) leave(copying, path)
  while (found.length > 0) await Promise.all(found.splice(0, atOnce).map((path) => copyFile(copying, path)))
  return copying.leftCount > 0 ? { count: copying.leftCount, path: copying.leftPath } : undefined
}

function leave(copying: Copying, path: string): void {
  if (left.has(path.slice(path.lastIndexOf('/') + 1)) || isPythonsOwn(path)) return
  copying.leftCount++
  copying.leftPath ||= path
}

function wanted(copying: Copying, path: string, { size = 0 }: VfsEntry): readonly string[] {
  if (size <= maxFileBytes && size <= copying.room) return [path]
  leave(copying, path)
  return []
}

async function copyFile(copying: Copying, path: string): Promise<void> {
  const { fs, files, signal } = copying
  const data = await files.read(path, { length: maxFileBytes + 1, signal })
  if (data.length > maxFileBytes || data.length > copying.room) return leave(copying, path)
  copying.room -= data.length
  fs.writeFile(path, data)
}
