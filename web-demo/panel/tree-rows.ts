// The files of a workspace as the visible rows of a tree.
import type { FileFacts, Mark } from '../state/files.ts'

export interface TreeRow {
  readonly path: string
  readonly name: string
  readonly type: 'file' | 'dir'
  readonly level: number
  readonly size: number
  readonly mark: Mark | undefined
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

/** Directories first, then by name; what lies in a closed directory is left out, deleted files are kept in their place. */
export function treeRows(
  listed: readonly FileFacts[],
  marks: ReadonlyMap<string, Mark>,
  closed: ReadonlySet<string>,
): readonly TreeRow[] {
  const children = new Map<string, FileFacts[]>()
  const known = new Set<string>()
  const add = (facts: FileFacts): void => {
    if (known.has(facts.path)) return
    known.add(facts.path)
    const parent = parentOf(facts.path)
    children.set(parent, [...(children.get(parent) ?? []), facts])
    if (parent !== '') add({ path: parent, type: 'dir', size: 0, version: '' })
  }
  for (const facts of listed) add(facts)
  for (const [path, mark] of marks) if (mark === 'deleted') add({ path, type: 'file', size: 0, version: '' })
  return rowsBelow('', 1, { children, marks, closed })
}

interface Tree {
  readonly children: ReadonlyMap<string, readonly FileFacts[]>
  readonly marks: ReadonlyMap<string, Mark>
  readonly closed: ReadonlySet<string>
}

function rowsBelow(parent: string, level: number, tree: Tree): readonly TreeRow[] {
  const entries = [...(tree.children.get(parent) ?? [])].sort(byKindAndName)
  return entries.flatMap(({ path, type, size }) => {
    const row: TreeRow = {
      path,
      name: path.slice(path.lastIndexOf('/') + 1),
      type,
      level,
      size,
      mark: tree.marks.get(path),
    }
    return type === 'dir' && !tree.closed.has(path) ? [row, ...rowsBelow(path, level + 1, tree)] : [row]
  })
}

function byKindAndName(left: FileFacts, right: FileFacts): number {
  if (left.type !== right.type) return left.type === 'dir' ? -1 : 1
  return left.path < right.path ? -1 : 1
}
