// Cuts what a person typed into clauses that are planned one after the other.
import { asTyped, openText, trimEnd } from './open-text.ts'
import { verbs } from './vocabulary.ts'

export interface Clause {
  readonly text: string
  /** Whether "then" stood before it: it must wait for what came before. */
  readonly isAfter: boolean
}

const mostClauses = 24

/**
 * The clauses of a text, cut at new lines, semicolons, "then", sentence ends, and at commas and "and" before a verb;
 * nothing is cut inside quotes. A line that begins with "/" is one clause.
 */
export function splitClauses(text: string): readonly Clause[] {
  const clauses: Clause[] = []
  for (const line of text.split('\n')) {
    const trimmed = line.trim().replace(/^(?:[-*•]|\d+[.)])\s+/, '')
    if (/^\/[\w-]+(?:\s|$)/.test(trimmed)) clauses.push({ text: trimmed, isAfter: true })
    else addClauses(clauses, trimmed)
  }
  return clauses.slice(0, mostClauses)
}

/** The last two only before a verb. */
const separator =
  /(?: ?; ?|[.!?] (?=[A-Z])|,? (?:and )?(?:then|afterwards|after that)[ ,]+|, ?(?:and |also )?(?=([A-Za-z]+))| and (?:also )?(?=([A-Za-z]+) ))/g

function addClauses(clauses: Clause[], line: string): void {
  const open = openText(line)
  // Addresses and paths are not cut either, but may end in a separator.
  const masked = open.text.replace(/\S+/g, (word) =>
    /[./]\w/.test(word) ? '_'.repeat(word.length - 1) + (/[,;.!?]$/.exec(word)?.[0] ?? '_') : word,
  )
  let start = 0
  let isAfter = clauses.length > 0
  const add = (end?: number): void => {
    const text = tidy(open.text.slice(start, end))
    if (text !== '') clauses.push({ text: asTyped(open, text), isAfter })
  }
  for (const match of masked.matchAll(separator)) {
    const next = match[1] ?? match[2]
    if (next !== undefined && !verbs.has(next.toLowerCase())) continue
    add(match.index)
    start = match.index + match[0].length
    isAfter = /then|after/i.test(match[0]) || /^(?:and )?then\b/i.test(open.text.slice(start, start + 9))
  }
  add()
}

/** Whether a text reads like a command or a question of its own rather than an answer to ours. */
export function isCommand(text: string): boolean {
  const [first = ''] = tidy(openText(text.slice(0, 200)).text).split(/[ ,]/)
  return text.startsWith('/') || verbs.has(first.toLowerCase())
}

const filler =
  /^(?:please|kindly|(?:can|could|would|will) you|i want you to|i want to|i'd like to|i would like to|i need to|let's|let us|first(?! \d)|firstly|next|finally|now|also|and|then|ok|okay|hey|hi)\b[ ,]*/i

const thanks = /(?:please|thanks|thank you)$/i

/** A clause without the courtesies around it. */
function tidy(text: string): string {
  let rest = text.trim()
  while (filler.test(rest)) rest = rest.replace(filler, '')
  return trimEnd(trimEnd(rest, ' .!?,').replace(thanks, ''), ' ,')
}
