// Tools that look at files.
import { cut } from '../json/text.ts'
import { fail, ok } from '../tool/tool.ts'
import type { Tool, ToolAnswer } from '../tool/tool.ts'
import { glob } from '../search/glob.ts'
import { grep } from '../search/grep.ts'
import type { GrepResult } from '../search/grep.ts'
import { absolutePath } from '../vfs/path.ts'
import { readText } from '../vfs/text.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { entriesOf } from '../vfs/walk.ts'
import { pathField, readTool } from './file-tool.ts'
import { shownName } from './workspace.ts'
import type { Workspace } from './workspace.ts'

const maxLines = 2000
const maxLine = 2000
const maxListed = 500
const maxCounted = 100_000

interface ReadInput {
  readonly path: string
  readonly offset?: number
  readonly limit?: number
}

export function fsRead(space: Workspace): Tool<ReadInput> {
  return readTool<ReadInput>(space, {
    name: 'fs_read',
    description: `Reads a text file (up to 10 MiB). Shows at most ${maxLines} lines at a time; use offset and limit for the rest.`,
    fields: {
      path: pathField,
      offset: { type: 'integer', description: 'First line, from 1. Default 1' },
      limit: { type: 'integer', description: `Lines to show, at most ${maxLines}. Default ${maxLines}` },
    },
    needs: ['path'],
    examples: ['read notes.md', 'show the file README.md'],
    run: readLines,
  })
}

async function readLines(
  files: Vfs,
  { path, offset = 1, limit = maxLines }: ReadInput,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const at = absolutePath(files, path)
  if (offset < 1 || limit < 1) return fail(`offset and limit count from 1, got ${Math.min(offset, limit)}`)
  if ((await files.stat(at, { signal }))?.type === 'dir')
    return fail(`${JSON.stringify(at)} is a directory: use fs_list`)
  const contents = await readText(files, at, { signal })
  if (contents === '') return ok('[the file is empty]')
  const lines = contents.split('\n')
  const closed = lines.at(-1) === ''
  if (closed) lines.pop()
  if (offset > lines.length) return fail(`offset ${offset} is past the end: the file has ${lines.length} lines`)
  const shown = lines.slice(offset - 1, offset - 1 + Math.min(limit, maxLines))
  const text = shown
    .map((line) => (line.length > maxLine ? `${cut(line, maxLine)} [line cut, ${line.length} characters]` : line))
    .join('\n')
  if (shown.length === lines.length) return ok(text + (closed ? '\n' : ''))
  return ok(`${text}\n[showing lines ${offset}-${offset + shown.length - 1} of ${lines.length}]`)
}

interface ListInput {
  readonly path?: string
}

export function fsList(space: Workspace): Tool<ListInput> {
  return readTool<ListInput>(space, {
    name: 'fs_list',
    description: `Lists a directory, not what lies deeper: one name per line, directories end in "/". At most ${maxListed} names.`,
    fields: { path: { type: 'string', description: 'Directory. Default: the workspace root' } },
    needs: [],
    examples: ['list files', 'what files are there'],
    run: listDir,
  })
}

async function listDir(files: Vfs, { path = '.' }: ListInput, signal: AbortSignal): Promise<ToolAnswer> {
  const at = absolutePath(files, path)
  const root = absolutePath(files, '.')
  // The root of a workspace that nothing was written to yet need not exist.
  if (at === root && (await files.stat(at, { signal })) === undefined) return ok('[the directory is empty]')
  const names: string[] = []
  let count = 0
  for await (const { name, type } of entriesOf(files, at, { signal })) {
    if ((count += 1) > maxCounted) break
    if (count <= maxListed) names.push(shownName(name) + (type === 'dir' ? '/' : ''))
  }
  if (count === 0) return ok('[the directory is empty]')
  if (count <= maxListed) return ok(names.join('\n'))
  const more = count > maxCounted ? `more than ${maxCounted - maxListed}` : String(count - maxListed)
  return ok(`${names.join('\n')}\n[${more} more entries]`)
}

interface GlobInput {
  readonly pattern: string
}

export function fsGlob(space: Workspace): Tool<GlobInput> {
  return readTool<GlobInput>(space, {
    name: 'fs_glob',
    description:
      'Finds files by path: * and ? within a name, ** over directories, [a-z], {a,b}. A pattern without "/" matches names at any depth. At most 500 paths.',
    fields: { pattern: { type: 'string', description: 'For example "src/**/*.ts" or "*.md"' } },
    needs: ['pattern'],
    examples: ['find *.md files'],
    run: async (files, { pattern }, signal) => {
      const { paths, truncated } = await glob(files, pattern, { limit: maxListed, signal })
      const lines = paths.map(shownName)
      if (truncated) lines.push('[there are more: use a narrower pattern]')
      return ok(lines.length === 0 ? '[no files match]' : lines.join('\n'))
    },
  })
}

interface GrepInput {
  readonly pattern: string
  readonly path?: string
  readonly glob?: string
  readonly ignoreCase?: boolean
  readonly literal?: boolean
  readonly context?: number
}

export function fsGrep(space: Workspace): Tool<GrepInput> {
  return readTool<GrepInput>(space, {
    name: 'fs_grep',
    description:
      'Searches the lines of text files for a regular expression (no look-around, no backreferences) and shows "path:line: text". Skips names that start with a dot, binary files and files above 1 MiB. At most 200 lines.',
    fields: {
      pattern: { type: 'string', description: 'Regular expression, or plain text with literal' },
      path: { type: 'string', description: 'Directory or file. Default: the workspace root' },
      glob: { type: 'string', description: 'Only files that match, for example "*.ts"' },
      ignoreCase: { type: 'boolean', description: 'Default false' },
      literal: { type: 'boolean', description: 'The pattern is plain text. Default false' },
      context: { type: 'integer', description: 'Lines before and after each match, 0 to 20. Default 0' },
    },
    needs: ['pattern'],
    examples: ['search for TODO', 'find the text hello in files'],
    run: async (files, { pattern, path: root = '.', context = 0, ...options }, signal) => {
      const found = await grep(files, pattern, {
        ...options,
        root,
        context: Math.max(0, context),
        hidden: false,
        pause: space.pause,
        signal,
      })
      return ok(shownMatches(found, { around: context }))
    },
  })
}

function shownMatches(
  { matches, files, skipped, truncated }: GrepResult,
  { around }: { readonly around: number },
): string {
  const lines: string[] = []
  for (const { path, line, text, before, after } of matches) {
    const name = shownName(path)
    if (around > 0 && lines.length > 0) lines.push('--')
    before.forEach((other, index) => lines.push(`${name}-${line - before.length + index}- ${other}`))
    lines.push(`${name}:${line}: ${text}`)
    after.forEach((other, index) => lines.push(`${name}-${line + 1 + index}- ${other}`))
  }
  if (matches.length === 0) lines.push(`[no matches in ${files} ${files === 1 ? 'file' : 'files'}]`)
  if (skipped > 0) lines.push(`[${skipped} binary or large files were skipped]`)
  if (truncated !== undefined) lines.push(`[the limit on ${truncated} was reached: search for less]`)
  return lines.join('\n')
}

interface ExistsInput {
  readonly path: string
}

export function fsExists(space: Workspace): Tool<ExistsInput> {
  return readTool<ExistsInput>(space, {
    name: 'fs_exists',
    description: 'Tells whether a path exists, whether it is a file or a directory, and its size in bytes.',
    fields: { path: pathField },
    needs: ['path'],
    run: async (files, { path }, signal) => {
      const stat = await files.stat(absolutePath(files, path), { signal })
      return ok(stat === undefined ? { exists: false } : { exists: true, type: stat.type, size: stat.size })
    },
  })
}
