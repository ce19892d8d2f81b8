// What stands in a line of Markdown: emphasis, code, links. One pass, linear in the text, and never HTML.
import type { Inline } from './node.ts'

interface Opener {
  readonly mark: string
  /** Where its text stands in the nodes. */
  readonly place: number
}

interface Scan {
  readonly text: string
  readonly nodes: Inline[]
  readonly openers: Opener[]
  /** Runs of backticks of these lengths have no partner any more. */
  readonly lonely: Set<number>
  at: number
  /** The start of plain text that is not in `nodes` yet. */
  plain: number
}

/** Longer texts are shown as they are. */
const longest = 20_000
const deepest = 32
/** As many brackets may stand in each other in an address. */
const mostBrackets = 8

/** Parses the text of one paragraph, cell or heading. */
export function parseInline(text: string): readonly Inline[] {
  if (text.length > longest) return [text]
  const scan: Scan = { text, nodes: [], openers: [], lonely: new Set(), at: 0, plain: 0 }
  while (scan.at < text.length) if (!special(scan)) scan.at++
  flush(scan)
  return scan.nodes
}

/** The address of a link that may be followed: http, https or mailto. */
export function safeHref(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return protocol === 'http:' || protocol === 'https:' || protocol === 'mailto:' ? href : undefined
}

function flush(scan: Scan): void {
  if (scan.at > scan.plain) scan.nodes.push(scan.text.slice(scan.plain, scan.at))
}

/** Puts `node` in for the text up to `end`. */
function put(scan: Scan, node: Inline, end: number): true {
  flush(scan)
  scan.nodes.push(node)
  scan.at = scan.plain = end
  return true
}

/** Handles what begins at `at`; false where it is plain text. */
function special(scan: Scan): boolean {
  const { text, at } = scan
  switch (text[at]) {
    case '\n':
      return put(scan, { type: 'break' }, at + 1)
    case '\\':
      return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '') && put(scan, text[at + 1] as string, at + 2)
    case '`':
      return codeSpan(scan)
    case '*':
    case '_':
    case '~':
      return emphasis(scan)
    case '!':
      return text[at + 1] === '[' && open(scan, '![')
    case '[':
      return open(scan, '[')
    case ']':
      return closeLink(scan)
    case '<':
    case 'h':
      return bareLink(scan)
    default:
      return false
  }
}

function runLength({ text, at }: Scan): number {
  let end = at
  while (text[end] === text[at]) end++
  return end - at
}

function codeSpan(scan: Scan): boolean {
  const { text, at, lonely } = scan
  const length = runLength(scan)
  let close = lonely.has(length) ? -1 : text.indexOf('`'.repeat(length), at + length)
  while (close >= 0 && text[close + length] === '`') {
    let end = close
    while (text[end] === '`') end++
    close = end - close === length ? close : text.indexOf('`'.repeat(length), end)
  }
  if (close < 0) {
    lonely.add(length)
    scan.at += length
    return true
  }
  const inner = text.slice(at + length, close).replace(/\n/g, ' ')
  const isPadded = inner.length > 2 && inner.startsWith(' ') && inner.endsWith(' ')
  return put(scan, { type: 'code', text: isPadded ? inner.slice(1, -1) : inner }, close + length)
}

function open(scan: Scan, mark: string): true {
  flush(scan)
  if (scan.openers.length < deepest) scan.openers.push({ mark, place: scan.nodes.length })
  scan.nodes.push(mark)
  scan.at = scan.plain = scan.at + mark.length
  return true
}

const isSpace = (char: string | undefined): boolean => char === undefined || /\s/.test(char)
const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}]/u.test(char)

function emphasis(scan: Scan): boolean {
  const { text, at, openers } = scan
  const length = runLength(scan)
  const mark = text.slice(at, at + length)
  const [before, after] = [text[at - 1], text[at + length]]
  const isKnown = mark[0] === '~' ? length === 2 : length <= 3
  const isInWord = mark[0] === '_' && isWord(before) && isWord(after)
  if (!isKnown || isInWord) {
    scan.at += length
    return true
  }
  const found = isSpace(before) ? -1 : lastOpener(openers, [mark])
  if (found >= 0) return wrap(scan, found, length)
  if (isSpace(after)) {
    scan.at += length
    return true
  }
  return open(scan, mark)
}

function lastOpener(openers: readonly Opener[], marks: readonly string[]): number {
  let index = openers.length - 1
  while (index >= 0 && !marks.includes((openers[index] as Opener).mark)) index--
  return index
}

/** Everything since the opener becomes its content; openers in between stay the text they are. */
function wrap(scan: Scan, index: number, length: number): true {
  flush(scan)
  const { mark, place } = scan.openers[index] as Opener
  scan.openers.length = index
  const children = scan.nodes.splice(place).slice(1)
  scan.nodes.push(wrapped(mark, children))
  scan.at = scan.plain = scan.at + length
  return true
}

function wrapped(mark: string, children: readonly Inline[]): Inline {
  if (mark === '~~') return { type: 'del', children }
  if (mark.length === 1) return { type: 'em', children }
  return { type: 'strong', children: mark.length === 3 ? [{ type: 'em', children }] : children }
}

function closeLink(scan: Scan): boolean {
  const { text, at, openers } = scan
  const index = lastOpener(openers, ['[', '!['])
  const opener = openers[index]
  if (opener === undefined) return false
  const target = text[at + 1] === '(' ? targetAt(text, at + 2) : undefined
  openers.length = index
  if (target === undefined) return false
  flush(scan)
  const children = scan.nodes.splice(opener.place).slice(1)
  const href = safeHref(target.address)
  const isImage = opener.mark === '!['
  const label = children.length === 0 ? [target.address] : children
  if (href === undefined) scan.nodes.push(...label)
  else scan.nodes.push({ type: 'link', href, isImage, children: label })
  scan.at = scan.plain = target.end
  return true
}

/** Reads `address "title")`; the title is not used. */
function targetAt(text: string, from: number): { readonly address: string; readonly end: number } | undefined {
  let depth = 0
  let end = from
  for (; end < text.length && end - from < 2000; end++) {
    const char = text[end] as string
    if (char === ')' && --depth < 0) break
    if (char === '(') depth++
    if (char === '\n' || depth > mostBrackets) return undefined
  }
  if (text[end] !== ')') return undefined
  const [address = ''] = text.slice(from, end).trim().split(' ', 1)
  return { address: address.startsWith('<') && address.endsWith('>') ? address.slice(1, -1) : address, end: end + 1 }
}

const bare = /https?:\/\/[^\s<>[\]()"'`*]{1,2000}/y

function bareLink(scan: Scan): boolean {
  const { text, at } = scan
  const isAngled = text[at] === '<'
  if (!isAngled && isWord(text[at - 1])) return false
  bare.lastIndex = isAngled ? at + 1 : at
  const [found] = bare.exec(text) ?? []
  if (found === undefined) return false
  const address = isAngled ? found : found.replace(/[.,;:!?]{1,20}$/, '')
  const href = safeHref(address)
  const end = at + address.length
  if (isAngled && (href === undefined || text[end + 1] !== '>')) return false
  if (href === undefined) {
    // All of it is text: it is not looked at again from each "http" in it.
    scan.at = end
    return true
  }
  return put(scan, { type: 'link', href, isImage: false, children: [address] }, isAngled ? end + 2 : end)
}
