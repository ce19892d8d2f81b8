// A unified diff as rows with line numbers.

export interface DiffRow {
  readonly kind: 'same' | 'add' | 'remove' | 'gap'
  readonly text: string
  /** The line's number in the new text, or in the old one where it was removed. */
  readonly number?: number | undefined
}

export interface DiffRows {
  readonly rows: readonly DiffRow[]
  readonly added: number
  readonly removed: number
  /** Rows that are not shown. */
  readonly left: number
}

const mostRows = 400

/** Reads a diff; lines before the first hunk and what is no diff line are left out. */
export function diffRows(diff: string): DiffRows {
  const rows: DiffRow[] = []
  const counts = { added: 0, removed: 0, left: 0 }
  let before = 0
  let after = 0
  for (const line of diff.split('\n')) {
    const hunk = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})/.exec(line)
    if (hunk !== null) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      if (rows.length > 0) rows.push({ kind: 'gap', text: '' })
      continue
    }
    if (before === 0 && after === 0) continue
    const text = line.slice(1)
    const row = rowOf(line, text, { before, after })
    if (row === undefined) continue
    if (row.kind !== 'add') before++
    if (row.kind !== 'remove') after++
    if (row.kind === 'add') counts.added++
    if (row.kind === 'remove') counts.removed++
    if (rows.length < mostRows) rows.push(row)
    else counts.left++
  }
  return { rows, ...counts }
}

function rowOf(
  line: string,
  text: string,
  at: { readonly before: number; readonly after: number },
): DiffRow | undefined {
  if (line.startsWith('+')) return { kind: 'add', text, number: at.after }
  if (line.startsWith('-')) return { kind: 'remove', text, number: at.before }
  if (line.startsWith(' ')) return { kind: 'same', text, number: at.after }
  return undefined
}
