// Searches the lines of files.
import { amounts } from '../error/amount.ts'
import { cut } from '../json/text.ts'
import { vfsError } from '../vfs/error.ts'
import { anchorGlob, globTest } from '../pattern/glob.ts'
import { absolutePath, parentPath } from '../vfs/path.ts'
import { patternError } from '../pattern/automaton.ts'
import { regexTest } from '../pattern/regex.ts'
import { walk } from '../vfs/walk.ts'
import type { Vfs, VfsOperation } from '../vfs/vfs.ts'

export interface GrepOptions extends VfsOperation {
  /** A directory or a file. Default: where relative paths count from. */
  readonly root?: string | undefined
  /** Only files that match this glob, which counts from `root`. */
  readonly glob?: string | undefined
  readonly ignoreCase?: boolean | undefined
  /** The pattern is plain text. Default false: a regular expression, see `regexTest`. */
  readonly literal?: boolean | undefined
  /** Lines shown before and after each match. Default 0, at most 20. */
  readonly context?: number | undefined
  /** Matching lines. Default 200. */
  readonly limit?: number | undefined
  /** Files searched. Default 20,000. */
  readonly maxFiles?: number | undefined
  /** Bytes searched. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Whether names that start with a dot are searched. Default true. */
  readonly hidden?: boolean | undefined
  /** Awaited after each MiB, so that a page can stay alive: resolves in a later task. */
  readonly pause?: (() => Promise<void>) | undefined
}

export interface GrepMatch {
  readonly path: string
  /** From 1. */
  readonly line: number
  /** At most 400 characters. */
  readonly text: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export interface GrepResult {
  readonly matches: readonly GrepMatch[]
  readonly files: number
  /** Files left out because they are above 1 MiB, binary, or cannot be read. */
  readonly skipped: number
  /** Which limit ended the search early. */
  readonly truncated?: 'matches' | 'files' | 'bytes' | undefined
}

const maxFileBytes = 2 ** 20
const maxEntries = 200_000
const maxLine = 400
const maxLiteral = 1000
const maxContext = 20

/** The lines that match, file by file in the order of a walk. Linear in what is searched; limits as in the options. */
export async function grep(vfs: Vfs, pattern: string, options: GrepOptions = {}): Promise<GrepResult> {
  const { root = '.', signal, pause } = options
  const { limit, context, ...most } = amounts(options, { limit: 200, context: 0, maxFiles: 20_000, maxBytes: 2 ** 26 })
  const test = options.literal === true ? literalTest(pattern, options) : regexTest(pattern, options)
  const matches: GrepMatch[] = []
  let [files, skipped, bytes, rested] = [0, 0, 0, 0]
  let truncated: GrepResult['truncated']
  for await (const file of filesOf(vfs, root, options)) {
    if (file === undefined || files >= most.maxFiles) truncated = 'files'
    else if (bytes + file.size > most.maxBytes) truncated = 'bytes'
    if (file === undefined || truncated !== undefined) break
    const text = await searchable(vfs, file, signal)
    if (text === undefined) {
      skipped += 1
      continue
    }
    files += 1
    bytes += file.size
    if (searchText(text, { test, path: file.path, limit, context: Math.min(context, maxContext) }, matches)) {
      truncated = 'matches'
      break
    }
    if (pause !== undefined && bytes - rested >= maxFileBytes) {
      rested = bytes
      await pause()
      signal?.throwIfAborted()
    }
  }
  return { matches, files, skipped, truncated }
}

interface Found {
  readonly path: string
  readonly size: number
}

/** The files to search; `undefined` where the tree is too large to go on. */
async function* filesOf(vfs: Vfs, root: string, options: GrepOptions): AsyncGenerator<Found | undefined, void, void> {
  const { glob, hidden, signal } = options
  const top = absolutePath(vfs, root)
  const stat = await vfs.stat(top, { signal })
  if (stat === undefined) throw vfsError('ENOENT', top, { action: 'search' })
  const matches =
    glob === undefined ? undefined : globTest(anchorGlob(glob, stat.type === 'dir' ? top : parentPath(top)))
  if (stat.type === 'file') {
    if (matches === undefined || matches(top)) yield { path: top, size: stat.size }
    return
  }
  let looked = 0
  for await (const entry of walk(vfs, top, { hidden, signal, maxEntries: Infinity })) {
    if ((looked += 1) > maxEntries) yield undefined
    if (entry.type !== 'file' || (matches !== undefined && !matches(entry.path))) continue
    yield { path: entry.path, size: entry.size ?? (await vfs.stat(entry.path, { signal }))?.size ?? 0 }
  }
}

async function searchable(vfs: Vfs, file: Found, signal: AbortSignal | undefined): Promise<string | undefined> {
  if (file.size > maxFileBytes) return undefined
  try {
    const data = await vfs.read(file.path, { signal, length: maxFileBytes })
    return data.subarray(0, 8192).includes(0) ? undefined : new TextDecoder().decode(data)
  } catch {
    // One file that cannot be read, or is gone by now, must not end the search; an abort does.
    signal?.throwIfAborted()
    return undefined
  }
}

function literalTest(pattern: string, options: GrepOptions): (line: string) => boolean {
  if (pattern === '') throw patternError('it is empty')
  if (pattern.length > maxLiteral)
    throw patternError(`at most ${maxLiteral} characters are allowed, got ${pattern.length}`)
  if (options.ignoreCase !== true) return (line) => line.includes(pattern)
  const folded = pattern.toLowerCase()
  return (line) => line.toLowerCase().includes(folded)
}

interface Search {
  readonly test: (line: string) => boolean
  readonly path: string
  readonly limit: number
  readonly context: number
}

/** Adds the matching lines; true when the limit cut. */
function searchText(text: string, search: Search, matches: GrepMatch[]): boolean {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const show = (line: string): string => cut(line.endsWith('\r') ? line.slice(0, -1) : line, maxLine)
  for (const [index, line] of lines.entries()) {
    if (!search.test(line.endsWith('\r') ? line.slice(0, -1) : line)) continue
    if (matches.length >= search.limit) return true
    matches.push({
      path: search.path,
      line: index + 1,
      text: show(line),
      before: lines.slice(Math.max(0, index - search.context), index).map(show),
      after: lines.slice(index + 1, index + 1 + search.context).map(show),
    })
  }
  return false
}
