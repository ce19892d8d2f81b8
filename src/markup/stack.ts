// The elements that are open, ended as a browser ends them, in time that does not depend on how deep they nest.
import { isBlock, isHeadPart, isHidden, isScope, isSkipped, isVoid } from './element.ts'
import { htmlTokens } from './tokens.ts'
import type { Attributes, Tokens } from './tokens.ts'

export interface ElementReader {
  /** Returns what to do at its end. Not called for what is hidden or no text, nor for what is within that. */
  open(name: string, attributes: Attributes): (() => void) | undefined
  text(text: string): void
}

interface Element {
  readonly name: string
  readonly end: (() => void) | undefined
}

/** Deeper elements are not noted: their text is read as that of the one around them. */
const maxDepth = 20_000

const tableParts = new Set(['tbody', 'td', 'tfoot', 'th', 'thead', 'tr'])
const rowGroups = new Set(['tbody', 'tfoot', 'thead'])

interface Open {
  readonly reader: ElementReader
  readonly stack: Element[]
  /** What is open in each scope; the last is the innermost. Most of them hold nothing. */
  readonly scopes: (Map<string, number> | undefined)[]
  /** How many of each kind of scope are open. */
  readonly totals: Map<string, number>
  /** The depths of tables. */
  readonly tables: number[]
  /** The depth of the element that is not read, with all it holds. */
  skipped: number
}

export function htmlElements(reader: ElementReader): Tokens {
  const open: Open = { reader, stack: [], scopes: [undefined], totals: new Map(), tables: [], skipped: Infinity }
  const tokens = htmlTokens({
    open: (name, attributes, selfClosing) => begin(open, name, { attributes, selfClosing }),
    close: (name) => finish(open, name),
    text: (text) => {
      if (open.skipped === Infinity) reader.text(text)
    },
  })
  return {
    write: tokens.write,
    end: () => {
      tokens.end()
      popAbove(open, 0)
    },
  }
}

function count({ totals, scopes }: Open, name: string, by: 1 | -1): void {
  const counts = isScope(name) ? totals : (scopes[scopes.length - 1] ??= new Map())
  counts.set(name, (counts.get(name) ?? 0) + by)
}

const isOpen = ({ totals, scopes }: Open, name: string): boolean =>
  ((isScope(name) ? totals : scopes.at(-1))?.get(name) ?? 0) > 0

function begin(
  open: Open,
  name: string,
  { attributes, selfClosing }: { readonly attributes: Attributes; readonly selfClosing: boolean },
): void {
  const { stack, reader } = open
  const isForeign = name === 'svg' || name === 'math' || stack[open.skipped]?.name === 'svg'
  if (!isForeign && !makeWay(open, name)) return
  const isRead = open.skipped === Infinity && !isSkipped(name) && !isHidden(name, attributes)
  if (isVoid(name) || (selfClosing && isForeign)) {
    if (isRead) reader.open(name, attributes)?.()
    return
  }
  if (stack.length >= maxDepth) return
  const depth = stack.length
  if (!isRead && open.skipped === Infinity) open.skipped = depth
  push(open, name, isRead ? reader.open(name, attributes) : undefined)
  if (name === 'table') open.tables.push(depth)
}

function push(open: Open, name: string, end: (() => void) | undefined): void {
  count(open, name, 1)
  if (isScope(name)) open.scopes.push(undefined)
  open.stack.push({ name, end })
}

function pop(open: Open): void {
  const { stack, scopes, tables } = open
  const { name, end } = stack.pop()!
  if (isScope(name)) scopes.pop()
  count(open, name, -1)
  if (tables.at(-1) === stack.length) tables.pop()
  if (stack.length === open.skipped) open.skipped = Infinity
  else end?.()
}

function popAbove(open: Open, depth: number): void {
  while (open.stack.length > depth) pop(open)
}

/** Ends the innermost element of this name, which is open, and all within it. */
function popTo(open: Open, name: string): void {
  while (open.stack.at(-1)!.name !== name) pop(open)
  pop(open)
}

/** Ends what cannot hold the element that begins. Whether that has a place at all. */
function makeWay(open: Open, name: string): boolean {
  const leave = (one: string): void => {
    if (isOpen(open, one)) popTo(open, one)
  }
  if (!isHeadPart(name)) leave('head')
  if (tableParts.has(name)) return makeWayInTable(open, name)
  if (name === 'li' || name === 'a') leave(name)
  if (name === 'dt' || name === 'dd') {
    leave('dt')
    leave('dd')
  }
  if (isBlock(name)) leave('p')
  return true
}

function makeWayInTable(open: Open, name: string): boolean {
  const { stack, tables } = open
  const table = tables.at(-1)
  if (table === undefined) return false
  let depth = table + 1
  if (name === 'tr' || name === 'td' || name === 'th') {
    if (rowGroups.has(stack[depth]?.name ?? '')) depth++
    if (name !== 'tr' && stack[depth]?.name === 'tr') depth++
  }
  popAbove(open, depth)
  return true
}

function finish(open: Open, name: string): void {
  // The body ends with the page: some say so, and go on.
  if (name === 'body' || name === 'html') return
  if (name === 'br') return begin(open, 'br', { attributes: new Map(), selfClosing: false })
  if (isOpen(open, name)) return popTo(open, name)
  const table = open.tables.at(-1)
  if (table === undefined || !(name === 'tr' || rowGroups.has(name))) return
  // A row may be left from within its cell.
  const depth = [table + 1, table + 2].find((at) => open.stack[at]?.name === name)
  if (depth !== undefined) popAbove(open, depth)
}
