// Globs: `*` and `?` within a segment, `**` over segments, `[a-z]`, `{a,b}`; matched in linear time.
import { automaton, patternError } from './automaton.ts'
import type { PatternNode } from './automaton.ts'
import { inRanges, not } from './char-set.ts'
import type { CharTest } from './char-set.ts'

const maxPattern = 1000
const maxDepth = 20
const slash = 47

interface Cursor {
  readonly chars: readonly string[]
  at: number
  depth: number
}

const inSegment: CharTest = (code) => code !== slash
const repeat = (item: PatternNode): PatternNode => ({ type: 'repeat', item, min: 0, max: Infinity })
const anyInSegment: PatternNode = { type: 'char', test: inSegment }
const anything: PatternNode = repeat({ type: 'char', test: () => true })

/**
 * Whether a whole text matches a glob, as a function. `*` and `?` stop at "/", `**` does not; `**` followed by a slash
 * also matches nothing. `[!a]` or `[^a]` negates, a backslash makes the next character plain. A dot is a plain character.
 */
export function globTest(pattern: string): (text: string) => boolean {
  if (pattern.length > maxPattern)
    throw patternError(`at most ${maxPattern} characters are allowed, got ${pattern.length}`)
  const cursor: Cursor = { chars: [...pattern], at: 0, depth: 0 }
  return automaton(parseSequence(cursor), 'whole')
}

function parseSequence(cursor: Cursor): PatternNode {
  const items: PatternNode[] = []
  for (let char = cursor.chars[cursor.at]; char !== undefined; char = cursor.chars[cursor.at]) {
    if (cursor.depth > 0 && (char === ',' || char === '}')) break
    cursor.at += 1
    items.push(parseItem(cursor, char))
  }
  return { type: 'sequence', items }
}

function parseItem(cursor: Cursor, char: string): PatternNode {
  if (char === '*') return parseStar(cursor)
  if (char === '?') return anyInSegment
  if (char === '[') return parseClass(cursor) ?? plain(char)
  if (char === '{') return parseBraces(cursor)
  if (char !== '\\' || cursor.at >= cursor.chars.length) return plain(char)
  cursor.at += 1
  return plain(cursor.chars[cursor.at - 1]!)
}

function plain(char: string): PatternNode {
  const code = char.codePointAt(0)!
  return { type: 'char', test: (other) => other === code }
}

function parseStar(cursor: Cursor): PatternNode {
  const before = cursor.chars[cursor.at - 2]
  if (cursor.chars[cursor.at] !== '*') return repeat(anyInSegment)
  while (cursor.chars[cursor.at] === '*') cursor.at += 1
  const opens = before === undefined || before === '/' || before === '{' || before === ','
  if (!opens || cursor.chars[cursor.at] !== '/') return anything
  cursor.at += 1
  return { type: 'repeat', item: { type: 'sequence', items: [anything, plain('/')] }, min: 0, max: 1 }
}

/** `undefined` where the bracket is never closed: it is a plain character then. */
function parseClass(cursor: Cursor): PatternNode | undefined {
  const { chars } = cursor
  let at = cursor.at
  const negated = chars[at] === '!' || chars[at] === '^'
  if (negated) at += 1
  const ranges: [number, number][] = []
  for (let first = true; chars[at] !== ']' || first; first = false) {
    if (chars[at] === '\\') at += 1
    const from = chars[at]
    if (from === undefined) return undefined
    const ranged = chars[at + 1] === '-' && chars[at + 2] !== ']' && chars[at + 2] !== undefined
    const to = ranged ? chars[at + 2]! : from
    ranges.push([from.codePointAt(0)!, to.codePointAt(0)!])
    at += ranged ? 3 : 1
  }
  cursor.at = at + 1
  const listed = inRanges(ranges)
  const wanted = negated ? not(listed) : listed
  return { type: 'char', test: (code) => inSegment(code) && wanted(code) }
}

function parseBraces(cursor: Cursor): PatternNode {
  if ((cursor.depth += 1) > maxDepth) throw patternError(`braces may be nested ${maxDepth} deep`)
  const items: PatternNode[] = []
  do {
    items.push(parseSequence(cursor))
    cursor.at += 1
  } while (cursor.chars[cursor.at - 1] === ',')
  if (cursor.chars[cursor.at - 1] !== '}') throw patternError('a "{" has no "}"')
  cursor.depth -= 1
  return { type: 'choice', items }
}

/** A pattern for absolute paths: a relative one counts from `root`, one without a slash means any depth below it. */
export function anchorGlob(pattern: string, root: string): string {
  if (pattern.startsWith('/')) return pattern
  const base = root === '/' ? '' : root.replace(/[\\*?[\]{}]/g, '\\$&')
  const relative = pattern.startsWith('./') ? pattern.slice(2) : pattern
  return relative.includes('/') ? `${base}/${relative}` : `${base}/**/${relative}`
}
