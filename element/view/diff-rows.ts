// A unified diff as rows with line numbers. Nothing of it is left out but what only frames it.

export interface DiffRow {
  /** `note`: a line that is no line of a file, shown as it is. */
  readonly kind: 'same' | 'add' | 'remove' | 'gap' | 'note'
  readonly text: string
  /** The line's number in the new text, or in the old one where it was removed. */
  readonly number?: number | undefined
}

export interface DiffRows {
  readonly rows: readonly DiffRow[]
  readonly added: number
  readonly removed: number
  /** How many lines come after `rows`, and those lines as they were written. */
  readonly left: number
  readonly rest: string
  /** Whether the tool itself left out some of the change. */
  readonly isCut: boolean
}

const fewRows = 400

/** How our own tools end a diff that they cut; a line of a file cannot begin like this. */
const cutMark = /^\[the diff is cut/

interface Reading {
  before: number
  after: number
  /** Lines that the hunk still has on each side: only outside of a hunk there are headers. */
  oldLeft: number
  newLeft: number
  isBegun: boolean
}

/** Reads a diff, at most `limit` rows of it. Headers before the first hunk and remarks about last lines are left out. */
export function diffRows(diff: string, limit: number = fewRows): DiffRows {
  const lines = (diff.endsWith('\n') ? diff.slice(0, -1) : diff).split('\n')
  const rows: DiffRow[] = []
  const at: Reading = { before: 0, after: 0, oldLeft: 0, newLeft: 0, isBegun: false }
  let [added, removed, left, restFrom] = [0, 0, 0, lines.length]
  for (const [index, line] of lines.entries()) {
    const row = rowOf(line, at)
    if (row === undefined) continue
    if (row.kind === 'add') added++
    if (row.kind === 'remove') removed++
    if (rows.length < limit) rows.push(row)
    else if (left++ === 0) restFrom = index
  }
  const isCut = cutMark.test(lines.at(-1) as string)
  return { rows, added, removed, left, rest: lines.slice(restFrom).join('\n'), isCut }
}

function rowOf(line: string, at: Reading): DiffRow | undefined {
  const isInHunk = at.oldLeft > 0 || at.newLeft > 0
  if (!isInHunk) {
    const hunk = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(line)
    if (hunk !== null) return beginHunk(hunk, at)
    if (!at.isBegun && /^(---|\+\+\+) /.test(line)) return undefined
    if (!at.isBegun || /^(---|\+\+\+) /.test(line)) return { kind: 'note', text: line }
  }
  if (line.startsWith('\\')) return undefined
  const text = line.slice(1)
  switch (line[0]) {
    case '+':
      at.newLeft--
      return { kind: 'add', text, number: at.after++ }
    case '-':
      at.oldLeft--
      return { kind: 'remove', text, number: at.before++ }
    case ' ':
      at.oldLeft--
      at.newLeft--
      at.before++
      return { kind: 'same', text, number: at.after++ }
    default:
      return { kind: 'note', text: line }
  }
}

function beginHunk(
  [, before, oldLines = 1, after, newLines = 1]: readonly (string | number)[],
  at: Reading,
): DiffRow | undefined {
  const isFirst = !at.isBegun
  Object.assign(at, {
    before: Number(before),
    after: Number(after),
    oldLeft: Number(oldLines),
    newLeft: Number(newLines),
    isBegun: true,
  })
  return isFirst ? undefined : { kind: 'gap', text: '' }
}
