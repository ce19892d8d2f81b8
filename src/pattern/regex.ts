// Regular expressions for searching lines: the common syntax without what needs backtracking.
import { automaton, isWord, patternError } from './automaton.ts'
import type { PatternNode } from './automaton.ts'
import { foldCase, inRanges, not } from './char-set.ts'
import type { CharTest } from './char-set.ts'

const maxPattern = 1000
const maxDepth = 50
const maxCount = 1000

interface Cursor {
  readonly source: string
  at: number
  depth: number
  fold: boolean
}

/**
 * A test for lines. Known are `. [] () (?:) | * + ? {n,m} ^ $ \b \B \d \w \s \p{…}` and their kin, and `(?i)` at the
 * start. Backreferences and look-around are refused with `expression-invalid`; matching is linear in the line.
 */
export function regexTest(
  source: string,
  options: { readonly ignoreCase?: boolean | undefined } = {},
): (line: string) => boolean {
  if (source.length > maxPattern)
    throw patternError(`at most ${maxPattern} characters are allowed, got ${source.length}`)
  const flagged = source.startsWith('(?i)')
  const cursor: Cursor = { source, at: flagged ? 4 : 0, depth: 0, fold: flagged || options.ignoreCase === true }
  const node = parseChoice(cursor)
  if (cursor.at < source.length) throw patternError(`there is no "(" for the ")" at character ${cursor.at + 1}`)
  return automaton(node, 'anywhere')
}

function parseChoice(cursor: Cursor): PatternNode {
  const items = [parseSequence(cursor)]
  while (cursor.source[cursor.at] === '|') {
    cursor.at += 1
    items.push(parseSequence(cursor))
  }
  return items.length === 1 ? items[0]! : { type: 'choice', items }
}

function parseSequence(cursor: Cursor): PatternNode {
  const items: PatternNode[] = []
  for (
    let char = cursor.source[cursor.at];
    char !== undefined && char !== '|' && char !== ')';
    char = cursor.source[cursor.at]
  ) {
    items.push(parseRepeat(cursor, parseAtom(cursor)))
  }
  return { type: 'sequence', items }
}

const counts: Readonly<Record<string, readonly [min: number, max: number]>> = {
  '*': [0, Infinity],
  '+': [1, Infinity],
  '?': [0, 1],
}

function parseRepeat(cursor: Cursor, item: PatternNode): PatternNode {
  const count = parseCount(cursor)
  if (count === undefined) return item
  const [min, max] = count
  if (min > max) throw patternError(`a repetition counts from ${min} down to ${max}`)
  // Lazy or greedy makes no difference to whether there is a match.
  if (cursor.source[cursor.at] === '?') cursor.at += 1
  if (parseCount(cursor) !== undefined) throw patternError(`there is nothing to repeat at character ${cursor.at}`)
  return { type: 'repeat', item, min, max }
}

function parseCount(cursor: Cursor): readonly [min: number, max: number] | undefined {
  const char = cursor.source[cursor.at]
  if (char === undefined) return undefined
  if (char !== '{') {
    const count = Object.hasOwn(counts, char) ? counts[char] : undefined
    if (count !== undefined) cursor.at += 1
    return count
  }
  const match = /^\{(\d{1,6})(,?)(\d{0,6})\}/.exec(cursor.source.slice(cursor.at, cursor.at + 20))
  // As in JavaScript, a brace that is no count is a plain character.
  if (match === null || (match[2] === '' && match[3] !== '')) return undefined
  cursor.at += match[0].length
  const min = Number(match[1])
  const most = match[3] === '' ? Infinity : Number(match[3])
  const max = match[2] === '' ? min : most
  if (min > maxCount || (max !== Infinity && max > maxCount))
    throw patternError(`a repetition may count to ${maxCount} at most`)
  return [min, max]
}

function parseAtom(cursor: Cursor): PatternNode {
  const start = cursor.at
  const code = cursor.source.codePointAt(start)!
  const char = String.fromCodePoint(code)
  cursor.at += char.length
  if (char === '(') return parseGroup(cursor)
  if (char === '[') return parseClass(cursor)
  if (char === '^' || char === '$') return { type: 'edge', at: char === '^' ? 'start' : 'end' }
  if (char === '.') return { type: 'char', test: (other) => other !== 10 && other !== 13 }
  if (Object.hasOwn(counts, char)) throw patternError(`there is nothing to repeat at character ${start + 1}`)
  if (char !== '\\') return one(cursor, (other) => other === code)
  const next = cursor.source[cursor.at]
  if (next === 'b' || next === 'B') {
    cursor.at += 1
    return { type: 'edge', at: next === 'b' ? 'word' : 'not-word' }
  }
  const escaped = parseEscape(cursor)
  return one(cursor, typeof escaped === 'number' ? (other) => other === escaped : escaped)
}

const one = (cursor: Cursor, test: CharTest): PatternNode => ({
  type: 'char',
  test: cursor.fold ? foldCase(test) : test,
})

function parseGroup(cursor: Cursor): PatternNode {
  if ((cursor.depth += 1) > maxDepth) throw patternError(`groups may be nested ${maxDepth} deep`)
  const start = cursor.at
  const rest = cursor.source.slice(start, start + 80)
  if (rest.startsWith('?')) {
    const head = /^\?(?::|P?<[A-Za-z_]\w{0,60}>)/.exec(rest)
    if (head === null)
      throw patternError(`"(${rest.slice(0, 3)}" is not supported: look-around and flags inside are left out`)
    cursor.at += head[0].length
  }
  const node = parseChoice(cursor)
  if (cursor.source[cursor.at] !== ')') throw patternError(`the group at character ${start} has no ")"`)
  cursor.at += 1
  cursor.depth -= 1
  return node
}

function parseClass(cursor: Cursor): PatternNode {
  const start = cursor.at
  const negated = cursor.source[cursor.at] === '^'
  if (negated) cursor.at += 1
  const tests: CharTest[] = []
  const ranges: [number, number][] = []
  for (let first = true; cursor.source[cursor.at] !== ']' || first; first = false) {
    const from = parseMember(cursor, start)
    const ranged = cursor.source[cursor.at] === '-' && cursor.source[cursor.at + 1] !== ']'
    if (typeof from === 'function') tests.push(from)
    else if (ranged) {
      cursor.at += 1
      const to = parseMember(cursor, start)
      if (typeof to === 'function' || to < from)
        throw patternError(`the range in the class at character ${start} is upside down`)
      ranges.push([from, to])
    } else ranges.push([from, from])
  }
  cursor.at += 1
  const listed = inRanges(ranges)
  const test: CharTest = (code) => listed(code) || tests.some((other) => other(code))
  const folded = cursor.fold ? foldCase(test) : test
  return { type: 'char', test: negated ? not(folded) : folded }
}

function parseMember(cursor: Cursor, start: number): number | CharTest {
  const code = cursor.source.codePointAt(cursor.at)
  if (code === undefined) throw patternError(`the class at character ${start} has no "]"`)
  cursor.at += code > 0xffff ? 2 : 1
  if (code !== 92) return code
  if (cursor.source[cursor.at] !== 'b') return parseEscape(cursor)
  cursor.at += 1
  return 8
}

const isDigit = inRanges([[48, 57]])
const isSpace: CharTest = (code) => /\s/.test(String.fromCodePoint(code))
const classes: Readonly<Record<string, CharTest>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace),
}
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 }

/** What follows a backslash: a code point, or a set of them. */
function parseEscape(cursor: Cursor): number | CharTest {
  const code = cursor.source.codePointAt(cursor.at)
  if (code === undefined) throw patternError('it ends with a backslash')
  const char = String.fromCodePoint(code)
  cursor.at += char.length
  if (Object.hasOwn(classes, char)) return classes[char]!
  if (Object.hasOwn(controls, char)) return controls[char]!
  if (char === 'x' || char === 'u') return parseCode(cursor, char)
  if (char === 'p' || char === 'P') return parseProperty(cursor, char)
  if (isDigit(code) || char === 'k') throw patternError('backreferences are not supported')
  if (isWord(code)) throw patternError(`the escape "\\${char}" is not known`)
  return code
}

function parseCode(cursor: Cursor, kind: 'x' | 'u'): number {
  const rest = cursor.source.slice(cursor.at, cursor.at + 10)
  const match = (kind === 'x' ? /^[\da-f]{2}/i : /^(?:[\da-f]{4}|\{[\da-f]{1,6}\})/i).exec(rest)
  const code = Number.parseInt((match?.[0] ?? '').replace('{', ''), 16)
  if (match === null || code > 0x10ffff) throw patternError(`"\\${kind}" needs a code in hexadecimal`)
  cursor.at += match[0].length
  return code
}

function parseProperty(cursor: Cursor, kind: 'p' | 'P'): CharTest {
  const match = /^\{[A-Za-z_]{1,40}(?:=[A-Za-z_]{1,40})?\}/.exec(cursor.source.slice(cursor.at, cursor.at + 90))
  if (match === null) throw patternError(`"\\${kind}" needs a property, for example "\\p{Lu}"`)
  cursor.at += match[0].length
  try {
    // One character at a time: the engine's own matcher has nothing to backtrack over.
    const property = new RegExp(`\\${kind}${match[0]}`, 'u')
    return (code) => property.test(String.fromCodePoint(code))
  } catch {
    throw patternError(`the property ${match[0]} is not known`)
  }
}
