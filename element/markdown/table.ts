// Tables of Markdown: a row of cells, a row of dashes, more rows. One with too many cells stays the text it is.
import { parseInline } from './inline.ts'
import type { Align, Block } from './node.ts'

interface Lines {
  readonly lines: readonly string[]
  at: number
}

const mostColumns = 50
const mostCells = 4000

function cells(line: string): readonly string[] {
  const row = line.trim()
  const inner = row.slice(row.startsWith('|') ? 1 : 0, row.endsWith('|') && !row.endsWith('\\|') ? -1 : undefined)
  const hidden = inner.replaceAll('\\|', '\0')
  return hidden.split('|', mostColumns).map((cell) => cell.trim().replaceAll('\0', '|'))
}

const isDash = (cell: string): boolean => /^:?-+:?$/.test(cell)

/** Whether a table begins at this line. */
export function isTableAt({ lines, at }: Lines): boolean {
  const [head, dashes] = [lines[at] ?? '', lines[at + 1] ?? '']
  if (!head.includes('|') || !dashes.includes('-')) return false
  const row = cells(dashes)
  return row.every(isDash) && row.length === cells(head).length
}

function alignOf(dash: string): Align {
  if (dash.endsWith(':')) return dash.startsWith(':') ? 'center' : 'right'
  return dash.startsWith(':') ? 'left' : undefined
}

/** A short row has fewer cells than the head; what goes beyond the head is left out. */
export function tableAt(source: Lines): Block {
  const from = source.at
  const head = cells(source.lines[source.at] as string)
  const align = cells(source.lines[source.at + 1] as string).map(alignOf)
  const rows: (readonly string[])[] = []
  let count = head.length
  source.at += 2
  for (; source.at < source.lines.length; source.at++) {
    const line = source.lines[source.at] as string
    if (line.trim() === '' || !line.includes('|')) break
    const row = cells(line).slice(0, head.length)
    count += row.length
    if (count <= mostCells) rows.push(row)
  }
  if (count > mostCells) return { type: 'code', language: '', text: source.lines.slice(from, source.at).join('\n') }
  return { type: 'table', align, head: head.map(parseInline), rows: rows.map((row) => row.map(parseInline)) }
}
