// A table as its rows come, and as Markdown when it is over; what only arranges a page stays a sequence of blocks.
import type { Attributes } from './tokens.ts'
import type { Block } from './block.ts'

interface Cell {
  readonly blocks: Block[]
  readonly span: number
}

export interface Table {
  /** Blocks outside of any cell, such as its caption. */
  readonly before: Block[]
  readonly rows: Cell[][]
  readonly align: string[]
  /** The cell that is open. */
  cell: Cell | undefined
  hasHeader: boolean
}

const maxColumns = 60
const maxCellChars = 500

export const emptyTable = (): Table => ({ before: [], rows: [], align: [], cell: undefined, hasHeader: false })

export function addRow(table: Table): void {
  table.rows.push([])
}

export function addCell(table: Table, name: string, attributes: Attributes): void {
  if (table.rows.length === 0) addRow(table)
  const row = table.rows.at(-1)!
  const span = Math.min(Math.max(1, Math.trunc(Number(attributes.get('colspan') ?? 1)) || 1), 20)
  table.cell = { blocks: [], span }
  if (name === 'th') table.hasHeader = true
  if (row.length < maxColumns) row.push(table.cell)
  const [, side] = /text-align\s*:\s*(left|center|right)/i.exec(attributes.get('style') ?? '') ?? []
  const align = (side ?? attributes.get('align') ?? '').toLowerCase()
  const column = row.length - 1
  if (table.align[column] === undefined && align !== '') table.align[column] = align
}

export const blocksOf = ({ before, rows }: Table): readonly Block[] => [
  ...before,
  ...rows.flatMap((row) => row.flatMap(({ blocks }) => blocks)),
]

/** One block of all rows, or `undefined` for a table that is none: one column, long texts, code or lists in its cells. */
export function tableText(table: Table, plain: boolean): Pick<Block, 'text' | 'weight' | 'linked'> | undefined {
  const rows = table.rows.filter((row) => row.some(({ blocks }) => blocks.length > 0))
  const width = Math.min(maxColumns, Math.max(0, ...rows.slice(0, 10_000).map(widthOf)))
  if (width < 2 || rows.length < (table.hasHeader ? 1 : 2) || rows.some((row) => row.some(isLong))) return undefined
  const lines = rows.map((row) => `| ${padded(row, width).join(' | ')} |`)
  if (!plain) lines.splice(1, 0, `| ${Array.from({ length: width }, (_, at) => rule(table.align[at])).join(' | ')} |`)
  const all = blocksOf({ ...table, before: [] })
  return {
    text: lines.join('\n'),
    weight: all.reduce((sum, { weight }) => sum + weight, 0),
    linked: all.reduce((sum, { linked }) => sum + linked, 0),
  }
}

const widthOf = (row: readonly Cell[]): number => row.reduce((sum, { span }) => sum + span, 0)

const isLong = ({ blocks }: Cell): boolean =>
  blocks.some(({ kind }) => kind === 'code' || kind === 'heading') ||
  blocks.length > 8 ||
  blocks.reduce((sum, { text }) => sum + text.length, 0) > maxCellChars

const padded = (row: readonly Cell[], width: number): readonly string[] => {
  const cells = row.flatMap((cell) => [cellText(cell), ...Array.from({ length: cell.span - 1 }, () => '')])
  return Array.from({ length: width }, (_, at) => cells[at] ?? '')
}

const cellText = ({ blocks }: Cell): string =>
  blocks
    .map(({ text }) => text.replace(/\s*\n\s*/g, ' '))
    .join(' ')
    .replace(/\\?\|/g, String.raw`\|`)

function rule(align: string | undefined): string {
  if (align === 'center') return ':---:'
  return align === 'right' ? '---:' : '---'
}
