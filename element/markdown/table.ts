// Tables of Markdown: a row of cells, a row of dashes, more rows.
import { parseInline } from './inline.ts'
import type { Align, Block } from './node.ts'

interface Lines {
  readonly lines: readonly string[]
  at: number
}

const mostColumns = 50

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

export function tableAt(source: Lines): Block {
  const head = cells(source.lines[source.at] as string)
  const align = cells(source.lines[source.at + 1] as string).map(alignOf)
  const rows: (readonly string[])[] = []
  source.at += 2
  for (; source.at < source.lines.length; source.at++) {
    const line = source.lines[source.at] as string
    if (line.trim() === '' || !line.includes('|')) break
    const row = cells(line)
    rows.push(head.map((_, column) => row[column] ?? ''))
  }
  return { type: 'table', align, head: head.map(parseInline), rows: rows.map((row) => row.map(parseInline)) }
}
