// Finds files by their path.
import { amounts } from '../error/amount.ts'
import { anchorGlob, globTest } from '../pattern/glob.ts'
import { absolutePath, normalizePath } from '../vfs/path.ts'
import { walk } from '../vfs/walk.ts'
import type { Vfs, VfsOperation } from '../vfs/vfs.ts'

export interface GlobOptions extends VfsOperation {
  /** The directory a relative pattern counts from. Default: where relative paths count from. */
  readonly root?: string | undefined
  /** Paths given. Default 1000. */
  readonly limit?: number | undefined
  /** Entries looked at. Default 100,000. */
  readonly maxEntries?: number | undefined
  /** Whether names that start with a dot are looked at. Default true. */
  readonly hidden?: boolean | undefined
}

/**
 * The files whose path matches, in the order of a walk. A relative pattern counts from `root`; a pattern without a slash
 * matches names at any depth, as people mean "*.md". `truncated` says that `limit` or `maxEntries` cut.
 */
export async function glob(
  vfs: Vfs,
  pattern: string,
  options: GlobOptions = {},
): Promise<{ readonly paths: readonly string[]; readonly truncated: boolean }> {
  const { root = '.', hidden, signal } = options
  const { limit, maxEntries } = amounts(options, { limit: 1000, maxEntries: 100_000 })
  const base = absolutePath(vfs, root)
  const matches = globTest(anchorGlob(pattern, base))
  const paths: string[] = []
  let looked = 0
  // The root is a plain path, whatever characters are in its name.
  const from = pattern.startsWith('/') ? fixedPrefix(pattern) : normalizePath(base + fixedPrefix(`/${pattern}`))
  if ((await vfs.stat(from, { signal }))?.type !== 'dir') return { paths, truncated: false }
  for await (const entry of walk(vfs, from, { hidden, signal, maxEntries: Infinity })) {
    if ((looked += 1) > maxEntries) return { paths, truncated: true }
    if (entry.type !== 'file' || !matches(entry.path)) continue
    if (paths.length >= limit) return { paths, truncated: true }
    paths.push(entry.path)
  }
  return { paths, truncated: false }
}

/** The deepest directory that all matches lie in, as far as the pattern names it plainly. */
function fixedPrefix(pattern: string): string {
  const plainPart = /^[^\\*?[\]{}]*/.exec(pattern)![0]
  return normalizePath(plainPart.slice(0, Math.max(1, plainPart.lastIndexOf('/'))))
}
