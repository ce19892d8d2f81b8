// Cuts what a person typed into clauses that are planned one after the other.
import { quotedSpans } from './entity.ts'
import { pattern, vocabulary } from './vocabulary.ts'

export interface Clause {
  readonly text: string
  /** Whether "then" stood before it: it must wait for what came before. */
  readonly isAfter: boolean
}

const mostCharacters = 8_000
const mostClauses = 24

/**
 * The clauses of a text, cut at new lines, semicolons, "then", sentence ends, and at commas and "and" before a verb;
 * nothing is cut inside quotes. A line that begins with "/" is one clause.
 */
export function splitClauses(text: string): readonly Clause[] {
  const clauses: Clause[] = []
  for (const line of text.slice(0, mostCharacters).split('\n')) {
    const trimmed = line.trim().replace(/^(?:[-*•]|\d+[.)])\s+/, '')
    if (trimmed.startsWith('/') && /^\/[\w-]+(?:\s|$)/.test(trimmed)) clauses.push({ text: trimmed, isAfter: true })
    else clauses.push(...splitLine(trimmed, clauses.length > 0))
  }
  return clauses.slice(0, mostClauses)
}

function splitLine(line: string, isAfter: boolean): Clause[] {
  const masked = mask(line)
  const separator = new RegExp(
    [
      String.raw`\s*;\s*`,
      String.raw`[.!?]\s+(?=[A-Z])`,
      String.raw`,?\s+(?:and\s+)?(?:then|afterwards|after that)[\s,]+`,
      // Only before a verb, which is looked at below.
      String.raw`,\s*(?:and\s+|also\s+)?(?=([A-Za-z]+)[\s.!?]?)`,
      String.raw`\s+and\s+(?:also\s+)?(?=([A-Za-z]+)\s)`,
    ].join('|'),
    'g',
  )
  const clauses: Clause[] = []
  let start = 0
  let waits = isAfter
  for (const match of masked.matchAll(separator)) {
    const next = match[1] ?? match[2]
    if (next !== undefined && !startsClause(next)) continue
    clauses.push({ text: line.slice(start, match.index), isAfter: waits })
    start = match.index + match[0].length
    waits = /then|after/i.test(match[0]) || /^(?:and\s+)?then\b/i.test(line.slice(start))
  }
  clauses.push({ text: line.slice(start), isAfter: waits })
  return clauses.map((clause) => ({ ...clause, text: tidy(clause.text) })).filter((clause) => clause.text !== '')
}

const startsClause = (word: string): boolean => vocabulary().verbs.has(word.toLowerCase())

/** Whether a text reads like a command or a question of its own rather than an answer to ours. */
export function isCommand(text: string): boolean {
  const [first = ''] = tidy(text).split(/[\s,]/)
  return text.startsWith('/') || startsClause(first)
}

/** The text with quoted spans, addresses and paths blanked out, of the same length. */
function mask(text: string): string {
  const blank = (span: string): string => '_'.repeat(span.length)
  const open = quotedSpans(text).reduce(
    (rest, { start, end }) => rest.slice(0, start) + blank(rest.slice(start, end)) + rest.slice(end),
    text,
  )
  return open.replace(
    /\S*[./]\w\S*/g,
    (span) => blank(span.slice(0, -1)) + (/[,;.!?]$/.test(span) ? span.slice(-1) : '_'),
  )
}

const fillers = pattern(
  "^(?:please|kindly|(?:can|could|would|will) you|i want you to|i want to|i'd like to|i would like to|i need to|let's|",
  String.raw`let us|first(?!\s+\d)|firstly|next|finally|now|also|and|then|ok|okay|hey|hi)\b[\s,]*`,
)

function tidy(text: string): string {
  let rest = text.trim()
  for (let before = ''; before !== rest;) {
    before = rest
    rest = rest.replace(fillers, '')
  }
  return rest.replace(/[\s,]*(?:please|thanks|thank you)?[\s.!?,]*$/i, '').trim()
}
