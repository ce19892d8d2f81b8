// All that lies below a directory.
import { amounts } from '../error/amount.ts'
import { vfsError } from './error.ts'
import { absolutePath, joinPath } from './path.ts'
import type { Vfs, VfsEntry, VfsOperation } from './vfs.ts'

export interface WalkOptions extends VfsOperation {
  /** Whether names that start with a dot are entered and given. Default true. */
  readonly hidden?: boolean | undefined
  /** Default 100,000; more is `vfs-too-large`. */
  readonly maxEntries?: number | undefined
}

export interface WalkEntry extends VfsEntry {
  readonly path: string
}

/** The entries of one directory, fetched a page at a time. */
export async function* entriesOf(
  vfs: Vfs,
  path: string,
  options: VfsOperation = {},
): AsyncGenerator<VfsEntry, void, void> {
  const { signal } = options
  let cursor: string | undefined
  do {
    const page = await vfs.list(path, { limit: 1000, cursor, signal })
    yield* page.entries
    cursor = page.cursor
  } while (cursor !== undefined)
}

/** Everything below `root`, depth first, the names of a directory in order; a directory comes before what is in it. */
export async function* walk(vfs: Vfs, root: string, options: WalkOptions = {}): AsyncGenerator<WalkEntry, void, void> {
  const { hidden = true, signal } = options
  const { maxEntries } = amounts(options, { maxEntries: 100_000 })
  const top = absolutePath(vfs, root)
  const open = [{ path: top, entries: entriesOf(vfs, top, { signal }) }]
  let count = 0
  for (let dir = open.at(-1); dir !== undefined; dir = open.at(-1)) {
    const { value: entry } = await dir.entries.next()
    if (entry === undefined) {
      open.pop()
      continue
    }
    if (!hidden && entry.name.startsWith('.')) continue
    if ((count += 1) > maxEntries)
      throw vfsError('EFBIG', top, { action: 'walk', reason: `it has more than ${maxEntries} entries` })
    const path = joinPath(dir.path, entry.name)
    yield { ...entry, path }
    if (entry.type === 'dir') open.push({ path, entries: entriesOf(vfs, path, { signal }) })
  }
}
