// Markdown as blocks: paragraphs, headings, code, lists, quotes, tables. Text that grows is parsed anew from its last block.
import { parseInline } from './inline.ts'
import type { Block, ListItem } from './node.ts'
import { isTableAt, tableAt } from './table.ts'

export interface PlacedBlock {
  readonly block: Block
  /** Where it begins in the text. */
  readonly start: number
}

export interface Markdown {
  readonly text: string
  readonly blocks: readonly PlacedBlock[]
}

const deepest = 8

/** Parses `text`; of an earlier parse of its beginning all blocks but the last are taken over as they are. */
export function markdown(text: string, before?: Markdown): Markdown {
  const last = before?.blocks.at(-1)
  if (before === undefined || last === undefined || !text.startsWith(before.text))
    return { text, blocks: blocksOf(text, 0) }
  const fresh = blocksOf(text.slice(last.start), 0).map(({ block, start }) => ({ block, start: start + last.start }))
  return { text, blocks: [...before.blocks.slice(0, -1), ...fresh] }
}

interface Lines {
  readonly lines: readonly string[]
  /** For each line the next one, from itself on, that is not blank; the number of lines where there is none. */
  readonly filled: readonly number[]
  readonly depth: number
  at: number
}

/** Longer lists go on as another one: of text that grows, only the last block is made anew. */
const mostItems = 500

/** The blocks of a text, each with its offset. */
function blocksOf(text: string, depth: number): readonly PlacedBlock[] {
  const lines = text.split('\n')
  const source: Lines = { lines, filled: filledFrom(lines), depth, at: 0 }
  const blocks: PlacedBlock[] = []
  let start = 0
  let counted = 0
  while (source.at < source.lines.length) {
    for (; counted < source.at; counted++) start += (source.lines[counted] as string).length + 1
    if (isBlank(source.lines[source.at])) source.at++
    else blocks.push({ block: blockAt(source), start })
  }
  return blocks
}

function filledFrom(lines: readonly string[]): readonly number[] {
  const filled = Array.from({ length: lines.length + 1 }, () => lines.length)
  for (let index = lines.length - 1; index >= 0; index--)
    filled[index] = isBlank(lines[index]) ? (filled[index + 1] as number) : index
  return filled
}

const inner = (lines: readonly string[], depth: number): readonly Block[] =>
  blocksOf(lines.join('\n'), depth + 1).map(({ block }) => block)

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ''
const fenceOf = (line: string): RegExpExecArray | null => /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})([^]*)$/.exec(line)
const markerOf = (line: string): RegExpExecArray | null => /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|$)/.exec(line)
const headingOf = (line: string): RegExpExecArray | null => /^ {0,3}(#{1,6}) ([^]*)$/.exec(line)
const isQuote = (line: string): boolean => /^ {0,3}>/.test(line)
const isRule = (line: string): boolean => /^(-{3,}|\*{3,}|_{3,})$/.test(line.replace(/[ \t]/g, ''))

function blockAt(source: Lines): Block {
  const line = source.lines[source.at] as string
  const fence = fenceOf(line)
  if (fence !== null) return codeAt(source, fence)
  const heading = headingOf(line)
  if (heading !== null) {
    source.at++
    return { type: 'heading', level: (heading[1] as string).length, inline: parseInline((heading[2] as string).trim()) }
  }
  if (isRule(line)) {
    source.at++
    return { type: 'rule' }
  }
  if (source.depth < deepest && isQuote(line)) return quoteAt(source)
  if (source.depth < deepest && markerOf(line) !== null) return listAt(source)
  return isTableAt(source) ? tableAt(source) : paragraphAt(source)
}

function codeAt(source: Lines, [, mark = '', info = '']: RegExpExecArray): Block {
  const { lines } = source
  const close = new RegExp(`^ {0,3}\\${mark[0] as string}{${mark.length},}[ \\t]*$`)
  let end = source.at + 1
  while (end < lines.length && !close.test(lines[end] as string)) end++
  const text = lines.slice(source.at + 1, end).join('\n')
  source.at = end + 1
  return { type: 'code', language: info.trim().split(' ', 1)[0] ?? '', text }
}

function quoteAt(source: Lines): Block {
  const quoted: string[] = []
  while (source.at < source.lines.length && isQuote(source.lines[source.at] as string)) {
    quoted.push((source.lines[source.at++] as string).replace(/^ {0,3}> ?/, ''))
  }
  return { type: 'quote', blocks: inner(quoted, source.depth) }
}

function listAt(source: Lines): Block {
  const [, , first = ''] = markerOf(source.lines[source.at] as string) ?? []
  const kind = first.at(-1)
  const items: ListItem[] = []
  while (items.length < mostItems) {
    const marker = markerOf(source.lines[source.at] ?? '')
    if (marker === null || (marker[2] as string).at(-1) !== kind || isRule(source.lines[source.at] as string)) break
    items.push(itemAt(source, marker[0].length))
    const next = source.filled[source.at] ?? source.at
    if (markerOf(source.lines[next] ?? '') !== null) source.at = next
  }
  return { type: 'list', start: /\d/.test(first) ? Number.parseInt(first, 10) : undefined, items }
}

/** An item: its first line without the marker, then what is indented under it, and plain lines that run on. */
function itemAt(source: Lines, width: number): ListItem {
  const { lines, filled } = source
  const first = (lines[source.at++] as string).slice(width)
  const task = /^\[([ xX])\] /.exec(first)
  const own = [task === null ? first : first.slice(4)]
  while (source.at < lines.length) {
    const line = lines[source.at] as string
    const next = filled[source.at] as number
    const indent = (lines[next] ?? '').search(/\S/)
    const runsOn = next === source.at && markerOf(line) === null && !startsBlock(line)
    if (indent < 2 && !runsOn) break
    own.push(line.slice(Math.min(width, Math.max(0, line.search(/\S/)))))
    source.at++
  }
  return { ...(task === null ? {} : { checked: task[1] !== ' ' }), blocks: inner(own, source.depth) }
}

const startsBlock = (line: string): boolean =>
  fenceOf(line) !== null || headingOf(line) !== null || isQuote(line) || isRule(line)

function paragraphAt(source: Lines): Block {
  const own: string[] = [source.lines[source.at++] as string]
  while (source.at < source.lines.length) {
    const line = source.lines[source.at] as string
    if (isBlank(line) || startsBlock(line) || markerOf(line) !== null || isTableAt(source)) break
    own.push(line)
    source.at++
  }
  return { type: 'paragraph', inline: parseInline(own.map((line) => line.trim()).join('\n')) }
}
