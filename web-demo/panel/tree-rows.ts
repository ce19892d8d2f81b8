// The files of a workspace as the visible rows of a tree. Their paths may come from a worker: nothing is taken as given.
import type { FileFacts, Listing, Mark } from '../state/files.ts'

export interface TreeRow {
  readonly path: string
  readonly name: string
  readonly type: 'file' | 'dir'
  readonly level: number
  readonly size: number
  readonly mark: Mark | undefined
}

export interface TreeRows {
  readonly rows: readonly TreeRow[]
  /** Whether there is more than is shown. */
  readonly isCut: boolean
}

const mostRows = 5000
/** As many files and directories are looked at, shown or not. */
const mostNodes = 20_000

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

/** Absolute and normal, as all paths of a workspace are; others have no place in a tree. */
const isPath = (path: string): boolean => /^(?:\/[^/]+)+$/.test(path)

/** Directories first, then by name; what lies in a closed directory is left out, deleted files are kept in their place. */
export function treeRows(listed: Listing, marks: ReadonlyMap<string, Mark>, closed: ReadonlySet<string>): TreeRows {
  const children = new Map<string, FileFacts[]>()
  const known = new Set<string>()
  const add = (facts: FileFacts): void => {
    for (let next = facts; next.path !== '' && !known.has(next.path) && known.size < mostNodes;) {
      known.add(next.path)
      const parent = parentOf(next.path)
      const siblings = children.get(parent)
      if (siblings === undefined) children.set(parent, [next])
      else siblings.push(next)
      next = { path: parent, type: 'dir', size: 0, version: '' }
    }
  }
  for (const facts of listed.files) if (isPath(facts.path)) add(facts)
  for (const [path, mark] of marks)
    if (mark === 'deleted' && isPath(path)) add({ path, type: 'file', size: 0, version: '' })
  const rows = visibleRows(children, marks, closed)
  return { rows: rows.slice(0, mostRows), isCut: listed.isCut || known.size >= mostNodes || rows.length > mostRows }
}

/** The rows from the top, one more than are shown at most. */
function visibleRows(
  children: ReadonlyMap<string, readonly FileFacts[]>,
  marks: ReadonlyMap<string, Mark>,
  closed: ReadonlySet<string>,
): readonly TreeRow[] {
  const rows: TreeRow[] = []
  const below = (parent: string, level: number): Waiting[] =>
    [...(children.get(parent) ?? [])].sort(lastFirst).map((facts) => ({ facts, level }))
  const waiting = below('', 1)
  for (let next = waiting.pop(); next !== undefined && rows.length <= mostRows; next = waiting.pop()) {
    const { facts, level } = next
    const { path, type, size } = facts
    rows.push({ path, name: path.slice(path.lastIndexOf('/') + 1), type, level, size, mark: marks.get(path) })
    if (type === 'dir' && !closed.has(path)) for (const inner of below(path, level + 1)) waiting.push(inner)
  }
  return rows
}

interface Waiting {
  readonly facts: FileFacts
  readonly level: number
}

function lastFirst(left: FileFacts, right: FileFacts): number {
  if (left.type !== right.type) return left.type === 'dir' ? 1 : -1
  return left.path < right.path ? 1 : -1
}
