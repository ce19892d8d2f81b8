// What the planner works out by itself from earlier results, without a tool: counts, joins, short summaries.
import { isRemark } from './remark.ts'

export interface Computed {
  readonly text: string
  /** Whether the text holds the whole of what it was made from. */
  readonly isWhole?: boolean
}

/** The mark of a task list item, behind the line number that a file tool may put first. */
const box = (mark: string): RegExp => new RegExp(String.raw`^\s*(?:\d+[\t:|→]\s*)?(?:[-*+]|\d+\.)\s+\[${mark}\]`)

const countLines = (text: string, test: RegExp): number => text.split('\n').filter((line) => test.test(line)).length

interface Kind {
  readonly said: RegExp
  readonly label: string
  readonly count: (text: string) => number
}

const tasks = '(?:tasks?|todos?|to-dos?|items|boxes|checkboxes)'

const kinds = (): readonly Kind[] => [
  {
    said: new RegExp(String.raw`\b(?:open|unfinished|undone|pending|unchecked|remaining|incomplete)\s+${tasks}\b`, 'i'),
    label: 'Open tasks',
    count: (text) => countLines(text, box(' ')),
  },
  {
    said: new RegExp(String.raw`\b(?:done|finished|closed|complete|completed|checked)\s+${tasks}\b`, 'i'),
    label: 'Done tasks',
    count: (text) => countLines(text, box('[xX]')),
  },
  { said: /\btasks?\b/i, label: 'Tasks', count: (text) => countLines(text, box('[ xX]')) },
  { said: /\bwords\b/i, label: 'Words', count: (text) => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0 },
  { said: /\b(?:characters|letters|chars)\b/i, label: 'Characters', count: (text) => [...text].length },
  {
    said: /\b(?:headings|headers|sections)\b/i,
    label: 'Headings',
    count: (text) => countLines(text, /^\s*(?:\d+[\t:|→]\s*)?#{1,6}\s/),
  },
  {
    said: /\blines\b/i,
    label: 'Lines',
    count: (text) => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length),
  },
  { said: /\bfiles\b/i, label: 'Files', count: countEntries },
  {
    said: /^(?:matches|results|hits|entries|rows|items|occurrences|lines found|it|them|those|these|that)$/i,
    label: 'Matches',
    count: countEntries,
  },
]

/** The entries of a list result: those of a JSON array, else its lines, remarks apart. */
export function countEntries(text: string): number {
  try {
    const value: unknown = JSON.parse(text)
    const list = Array.isArray(value) ? value : Object.values(value ?? {}).find(Array.isArray)
    if (Array.isArray(list)) return list.length
  } catch {
    // Plain text.
  }
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !isRemark(line) && !/^no (?:matches|files|entries|results)\b/i.test(line))
    .length
}

const counting =
  /^(?:count|how many|tell me how many|give (?:me )?the number of|what is the number of)\s+(?:up\s+)?(?:of\s+)?(.+)$/i

/** What a clause asks to be counted, if it asks for that. */
export function countedThing(clause: string): string | undefined {
  return counting
    .exec(clause)?.[1]
    ?.replace(/^(?:(?:the|all|its|number|of|how|many)\s+)+/i, '')
    .replace(
      /\s+(?:are|is|do|does|did)?\s*(?:there|left|open|found|it has|you find|you found|in (?:it|them|that|there))*$/i,
      (tail) => (/\bopen\b/i.test(tail) ? tail : ''),
    )
    .trim()
}

/** Works a clause out from the last result, or `undefined` where it asks for something else. */
export function compute(clause: string, last: string): Computed | undefined {
  const thing = countedThing(clause)
  if (thing !== undefined && thing !== '') {
    const kind = kinds().find(({ said }) => said.test(thing))
    return { text: kind ? `${kind.label}: ${kind.count(last)}` : countLiteral(thing, last) }
  }
  const joined = /^join "([^]*)"$/.exec(clause)?.[1]
  if (joined !== undefined)
    return { text: last === '' || last.endsWith('\n') ? `${last}${joined}\n` : `${last}\n${joined}\n`, isWhole: true }
  return /^(?:summari[sz]e|sum up)(?:\s+(?:it|that|this|them|the (?:result|results|text|file|contents?)))?$/i.test(
    clause,
  )
    ? { text: summarize(last) }
    : undefined
}

function countLiteral(thing: string, text: string): string {
  const word = thing
    .replace(/^(?:(?:the|word|words|text|string|occurrences of|mentions of)\s+)+/i, '')
    .replace(/^["'`](.*)["'`]$/, '$1')
  const isPlain = word === word.toLowerCase()
  const parts = (isPlain ? text.toLowerCase() : text).split(word)
  return `Occurrences of ${JSON.stringify(word)}: ${parts.length - 1}`
}

/** A summary by rules: sizes, headings, and the first lines. */
export function summarize(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const headings = lines.filter((line) => /^#{1,6}\s/.test(line)).map((line) => line.replace(/^#+\s*/, ''))
  const open = countLines(text, box(' '))
  const facts = [
    `${lines.length} lines`,
    `${text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0} words`,
    ...(open > 0 ? [`${open} open tasks`] : []),
  ]
  const shape = headings.length > 0 ? [`Headings: ${headings.slice(0, 12).join('; ')}`] : lines.slice(0, 3)
  return [facts.join(', '), ...shape].join('\n')
}
