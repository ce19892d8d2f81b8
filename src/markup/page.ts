// Reads HTML as it comes into blocks of Markdown or plain text.
import { guarded } from '../error/guard.ts'
import type { Block, BlockKind, Container, Page } from './block.ts'
import { asideness, codeLanguage, isBlock, isContainer, markOf } from './element.ts'
import { line, visible, weightOf } from './line.ts'
import type { Line } from './line.ts'
import { htmlElements } from './stack.ts'
import { addCell, addRow, blocksOf, emptyTable, tableText } from './table.ts'
import type { Table } from './table.ts'
import type { Attributes } from './tokens.ts'

export interface PageKind {
  /** Where the page is, for its links. */
  readonly url: string
  /** Without signs of Markdown. Default false. */
  readonly plain?: boolean | undefined
  /** Characters of text that are kept at most. Default 4 Mi. */
  readonly maxChars?: number | undefined
}

export interface PageReader {
  /** `false` when it holds as much as it may, and reads no more. */
  write(html: string): boolean
  end(): Page
}

/** Of blocks, cells and containers. */
const maxParts = 50_000
const maxFrames = 12
/** A longer text is not indented: each of its lines would grow. */
const maxFramedChars = 20_000
/** The largest number that a list may begin with. */
const maxStart = 1_000_000
/** Characters that are read between two looks at what is held. */
const maxPiece = 16_384
const maxUrlChars = 1000
const maxFactChars = 300

type End = () => void

/** What stands before each line of a quotation or an item of a list. */
interface Frame {
  readonly first: string
  readonly rest: string
  isUsed: boolean
}

interface List {
  readonly isOrdered: boolean
  next: number
}

interface Code {
  text: string
  language: string
}

/** A page that is being read. */
interface Reading {
  readonly plain: boolean
  readonly run: Line
  readonly blocks: Block[]
  readonly containers: Container[]
  /** The containers that are open, by their index. */
  readonly places: number[]
  readonly lists: List[]
  /** The outermost list that the block before stands in. */
  lastList: List | undefined
  frames: Frame[]
  table: Table | undefined
  code: Code | undefined
  /** The level of the heading that is open, 0 for none. */
  heading: number
  /** How many elements are open that hold the main text. */
  textDepth: number
  inTitle: boolean
  /** How many elements are open whose text is for clicking, not for reading. */
  muted: number
  title: string
  author: string
  base: string
  chars: number
  /** Blocks and cells so far. */
  parts: number
}

/** Time grows with the text, and not with its nesting. */
export function pageReader({ url, plain = false, maxChars = 4 * 2 ** 20 }: PageKind): PageReader {
  const page: Reading = {
    plain,
    run: line(plain),
    blocks: [],
    containers: [{ name: 'page', parent: -1, aside: undefined }],
    places: [0],
    lists: [],
    lastList: undefined,
    frames: [],
    table: undefined,
    code: undefined,
    heading: 0,
    textDepth: 0,
    inTitle: false,
    muted: 0,
    title: '',
    author: '',
    base: url,
    chars: 0,
    parts: 0,
  }
  const isFull = (): boolean => page.chars >= maxChars || page.parts >= maxParts
  const elements = htmlElements({
    open: (name, attributes) => opened(page, name, attributes),
    text: (text) => addText(page, text),
  })
  return {
    write: (html) => {
      // A whole page may come as one piece: what is too much is seen on the way.
      for (let at = 0; at < html.length && !isFull(); at += maxPiece) elements.write(html.slice(at, at + maxPiece))
      return !isFull()
    },
    end: () => {
      const isCut = isFull()
      elements.end()
      flush(page)
      const { blocks, containers, title, author } = page
      return { title: title.trim(), author, blocks, containers, isCut }
    },
  }
}

function addText(page: Reading, text: string): void {
  page.chars += text.length
  if (page.inTitle) page.title = tidy(page.title + text)
  else if (page.code !== undefined) page.code.text += visible(text)
  else if (page.muted === 0) page.run.text(text)
}

function opened(page: Reading, name: string, attributes: Attributes): End | undefined {
  if (page.code !== undefined) return openInCode(page.code, name, attributes)
  if (inHead.has(name)) return openInHead(page, name, attributes)
  if (!isBlock(name)) return openInline(page, name, attributes)
  flush(page)
  const leave = openContainer(page, name, attributes)
  const end = openBlock(page, name, attributes)
  return () => {
    flush(page)
    end?.()
    leave?.()
  }
}

const inHead = new Set(['base', 'head', 'link', 'meta', 'title'])

function openInHead(page: Reading, name: string, attributes: Attributes): End | undefined {
  if (name === 'base') page.base = guarded(() => new URL(attributes.get('href') ?? '', page.base).href, page.base)
  if (name === 'meta' && page.author === '' && attributes.get('name') === 'author')
    page.author = tidy(attributes.get('content') ?? '')
  if (name !== 'title') return undefined
  if (page.title !== '') return mute(page)
  page.inTitle = true
  return () => {
    page.inTitle = false
  }
}

const tidy = (text: string): string => visible(text).replace(/\s+/g, ' ').trimStart().slice(0, maxFactChars)

function openInline(page: Reading, name: string, attributes: Attributes): End | undefined {
  const { run, base, plain } = page
  const kind = markOf(name)
  if (kind !== undefined) return run.mark(kind)
  if (name === 'br') run.lineBreak()
  if (name === 'button') return openButton(page)
  if (name === 'img' && !plain) {
    const alt = tidy(attributes.get('alt') ?? '').replace(/[[\]]/g, '')
    const src = absolute(attributes.get('src'), base)
    page.chars += src?.length ?? 0
    if (alt.trim() !== '') run.put(`![${alt.trim()}]${src === undefined ? '' : `(${src})`}`, 0)
  }
  if (name === 'q') {
    run.put('"', 0)
    return () => run.put('"', 0)
  }
  if (name !== 'a' || !attributes.has('href')) return undefined
  const url = absolute(attributes.get('href'), base)
  page.chars += url?.length ?? 0
  return run.mark('link', url)
}

/** A heading that can be clicked is one all the same. */
const openButton = (page: Reading): End | undefined => (page.heading > 0 ? undefined : mute(page))

function mute(page: Reading): End {
  page.muted++
  return () => {
    page.muted--
  }
}

/** Where a link leads, if it leads to another page. */
function absolute(href: string | undefined, base: string): string | undefined {
  const trimmed = href?.trim() ?? ''
  if (trimmed === '' || trimmed.startsWith('#') || trimmed.length > maxUrlChars) return undefined
  const found = guarded(() => new URL(trimmed, base), undefined)
  if (found === undefined || !/^(?:https?|mailto|tel):$/.test(found.protocol) || found.href.length > maxUrlChars)
    return undefined
  return found.href.replaceAll('(', '%28').replaceAll(')', '%29')
}

function openContainer(page: Reading, name: string, attributes: Attributes): End | undefined {
  const { containers, places } = page
  const isMain = name === 'main' || attributes.get('role')?.toLowerCase() === 'main'
  const aside = asideness(name, attributes, page.textDepth > 0)
  if (!(isContainer(name) || aside !== undefined || isMain) || containers.length >= maxParts) return undefined
  containers.push({ name: isMain ? 'main' : name, parent: places.at(-1)!, aside })
  places.push(containers.length - 1)
  const deeper = isMain || name === 'article' ? 1 : 0
  page.textDepth += deeper
  return () => {
    places.pop()
    page.textDepth -= deeper
  }
}

function openBlock(page: Reading, name: string, attributes: Attributes): End | undefined {
  if (/^h[1-6]$/.test(name)) return openHeading(page, Number(name[1]))
  switch (name) {
    case 'ul':
    case 'ol':
    case 'menu':
    case 'dir':
    case 'dl':
      return openList(page, name === 'ol', attributes)
    case 'li':
      return openItem(page)
    case 'dt':
      return within(page, { first: '', rest: '', isUsed: false })
    case 'dd':
      return within(page, { first: ': ', rest: '  ', isUsed: false })
    case 'blockquote':
      return page.plain ? undefined : within(page, { first: '> ', rest: '> ', isUsed: false })
    case 'pre':
      return openCode(page, attributes)
    case 'hr':
      if (!page.plain) put(page, { kind: 'rule', text: '---', weight: 0, linked: 0 })
      return undefined
    case 'table':
      return openTable(page)
    case 'tr':
      if (page.table !== undefined) addRow(page.table)
      return undefined
    case 'td':
    case 'th':
      return openCell(page, name, attributes)
    case 'summary':
      return page.run.mark('strong')
    default:
      return undefined
  }
}

function openHeading(page: Reading, level: number): End {
  page.heading = level
  return () => {
    page.heading = 0
  }
}

function openList({ lists }: Reading, isOrdered: boolean, attributes: Attributes): End {
  const start = Math.trunc(Number(attributes.get('start') ?? 1))
  lists.push({ isOrdered, next: Math.abs(start) <= maxStart ? start : 1 })
  return () => void lists.pop()
}

function openItem(page: Reading): End | undefined {
  const list = page.lists.at(-1)
  const first = list?.isOrdered === true ? `${list.next++}. ` : '- '
  return within(page, { first, rest: ' '.repeat(first.length), isUsed: false })
}

function within({ frames }: Reading, frame: Frame): End | undefined {
  if (frames.length >= maxFrames) return undefined
  frames.push(frame)
  return () => void frames.pop()
}

function openCode(page: Reading, attributes: Attributes): End {
  const code = (page.code = { text: '', language: codeLanguage(attributes) })
  return () => {
    page.code = undefined
    const text = code.text.replace(/^\n/, '').trimEnd()
    if (text === '') return
    const ticks = Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length)
    const fence = '`'.repeat(ticks.reduce((most, length) => Math.max(most, length + 1), 3))
    const shown = page.plain ? text : `${fence}${code.language}\n${text}\n${fence}`
    put(page, { kind: 'code', text: shown, weight: weightOf(text), linked: 0 })
  }
}

function openInCode(code: Code, name: string, attributes: Attributes): End | undefined {
  if (name === 'br') code.text += '\n'
  if (name === 'code' && code.language === '') code.language = codeLanguage(attributes)
  if (!isBlock(name)) return undefined
  // Some highlighters make a block of each line.
  return () => {
    if (!code.text.endsWith('\n')) code.text += '\n'
  }
}

function openTable(page: Reading): End {
  // The one around it only arranges this one.
  dissolve(page, page.table)
  const table = (page.table = emptyTable())
  const { frames } = page
  return () => {
    page.frames = frames
    if (page.table !== table) return
    page.table = undefined
    const shown = tableText(table, page.plain)
    if (shown === undefined) return dissolve(page, table)
    page.blocks.push(...table.before)
    put(page, { kind: 'table', ...shown })
  }
}

/** Its blocks follow each other as if there were no table. */
function dissolve(page: Reading, table: Table | undefined): void {
  page.table = undefined
  if (table !== undefined) for (const block of blocksOf(table)) page.blocks.push(block)
}

function openCell(page: Reading, name: string, attributes: Attributes): End | undefined {
  const { table, frames } = page
  if (table === undefined) return undefined
  addCell(table, name, attributes)
  page.parts++
  page.frames = []
  return () => {
    page.frames = frames
    table.cell = undefined
  }
}

/** Ends the block that is open. */
function flush(page: Reading): void {
  const taken = page.run.take()
  if (taken === undefined) return
  const { plain, heading } = page
  const kind = heading > 0 ? 'heading' : 'text'
  page.heading = 0
  put(page, { ...taken, kind, text: plain ? taken.text : marked(taken.text, heading) })
}

const marked = (text: string, heading: number): string =>
  heading > 0
    ? `${'#'.repeat(heading)} ${text.replaceAll('\n', ' ')}`
    : // What would begin a heading, a quotation or a block of code.
      text.replace(/^(?=#{1,6} |>|```|~~~)/gm, '\\')

interface Made extends Pick<Block, 'text' | 'weight' | 'linked'> {
  readonly kind: BlockKind
}

/** Adds a block, with what stands before its lines. */
function put(page: Reading, { kind, text, ...weights }: Made): void {
  const { frames, table, places, lists } = page
  const isItem = frames.some(({ isUsed, first }) => !isUsed && first !== '> ')
  const first = frames.map((frame) => (frame.isUsed ? frame.rest : frame.first)).join('')
  const rest = text.length > maxFramedChars ? '' : frames.map((frame) => frame.rest).join('')
  for (const frame of frames) frame.isUsed = true
  const list = lists[0]
  const block: Block = {
    ...weights,
    kind: isItem && kind === 'text' ? 'item' : kind,
    text: first + (rest === '' ? text : text.replaceAll('\n', `\n${rest}`)),
    container: places.at(-1)!,
    isTight: isItem && list !== undefined && list === page.lastList,
  }
  page.lastList = list
  page.chars += block.text.length - text.length + 2
  page.parts++
  if (table === undefined) page.blocks.push(block)
  else (table.cell?.blocks ?? table.before).push(block)
}
