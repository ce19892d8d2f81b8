// What the planner works out by itself from earlier results, without a tool: counts, joins, short summaries.
import { isObject } from '../json/value.ts'
import { parseJson } from '../json/text.ts'
import { asValue } from '../utterance/open-text.ts'
import type { OpenText } from '../utterance/open-text.ts'
import { isRemark } from '../utterance/remark.ts'

export interface Computed {
  readonly text: string
  /** Whether the text holds the whole of what it was made from. */
  readonly isWhole?: boolean
}

const countLines = (text: string, test: RegExp): number => text.split('\n').filter((line) => test.test(line)).length
const countWords = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0

/** Items of a task list, behind the line number that a file tool may put first. */
const countTasks = (text: string, marks: string): number =>
  countLines(text, new RegExp(String.raw`^\s*(?:\d+[\t:|→]\s*)?(?:[-*+]|\d+\.)\s+\[[${marks}]\]`))

/** The entries of a list result: those of a JSON array, else its lines, remarks apart. */
function countEntries(text: string): number {
  const parsed = parseJson(text)
  const value = parsed.ok ? parsed.value : undefined
  const list = isObject(value) ? Object.values(value).find(Array.isArray) : value
  if (Array.isArray(list)) return list.length
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !isRemark(line) && !/^no (?:matches|files|entries|results)\b/i.test(line))
    .length
}

/** What can be counted, in the order it is looked for. */
const kinds: readonly (readonly [label: string, said: RegExp, count: (text: string) => number])[] = [
  [
    'Open tasks',
    /^(?=.*\b(?:open|unfinished|undone|pending|unchecked|remaining|incomplete)\b).*\b(?:tasks?|to-?dos?|items|(?:check)?boxes)\b/i,
    (text) => countTasks(text, ' '),
  ],
  [
    'Done tasks',
    /^(?=.*\b(?:done|finished|closed|completed?|checked)\b).*\b(?:tasks?|to-?dos?|items|(?:check)?boxes)\b/i,
    (text) => countTasks(text, 'xX'),
  ],
  ['Tasks', /\btasks?\b/i, (text) => countTasks(text, ' xX')],
  ['Words', /\bwords\b/i, countWords],
  ['Characters', /\b(?:characters|letters|chars)\b/i, (text) => [...text].length],
  ['Headings', /\b(?:headings|headers|sections)\b/i, (text) => countLines(text, /^\s*(?:\d+[\t:|→]\s*)?#{1,6}\s/)],
  ['Lines', /\blines\b/i, (text) => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length)],
  ['Files', /\bfiles\b/i, countEntries],
  [
    'Matches',
    /^(?:matches|results|hits|entries|rows|items|occurrences|lines found|it|them|those|these|that)$/i,
    countEntries,
  ],
]

/** What a clause asks to be counted, if it asks for that. */
export function countedThing(clause: string): string | undefined {
  return /^(?:count|(?:tell me )?how many|(?:give (?:me )?|what is )the number of) (?:up )?(?:of )?(.+)$/i
    .exec(clause)?.[1]
    ?.replace(/^(?:(?:the|all|its|number|of|how|many) )+/i, '')
    .replace(
      / (?:are|is|do|does|did|(?:(?:are|is|do|does|did) )?(?:there|left|found|it has|you find|you found|in (?:it|them|that|there)))$/i,
      '',
    )
}

/** Works a clause out from the last result, or `undefined` where it asks for something else. */
export function compute(clause: OpenText, last: string): Computed | undefined {
  const thing = countedThing(clause.text)
  if (thing) {
    const [label, , count] = kinds.find(([, said]) => said.test(thing)) ?? []
    return { text: count ? `${label}: ${count(last)}` : countLiteral(clause, thing, last) }
  }
  const joined = /^join (.+)$/.exec(clause.text)?.[1]
  if (joined !== undefined) {
    const start = last === '' || last.endsWith('\n') ? last : `${last}\n`
    return { text: `${start}${asValue(clause, joined)}\n`, isWhole: true }
  }
  return /^(?:summari[sz]e|sum up)(?: (?:it|that|this|them|the (?:results?|text|file|contents?)))?$/i.test(clause.text)
    ? { text: summary(last) }
    : undefined
}

function countLiteral(clause: OpenText, thing: string, text: string): string {
  const said = thing.replace(/^(?:(?:the|words?|text|string|occurrences of|mentions of) )+/i, '')
  const word = asValue(clause, said)
  const isPlain = word === word.toLowerCase()
  const parts = word === '' ? [''] : (isPlain ? text.toLowerCase() : text).split(word)
  return `Occurrences of ${JSON.stringify(word)}: ${parts.length - 1}`
}

/** A summary by rules: sizes, headings, and the first lines. */
function summary(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const headings = lines.filter((line) => /^#{1,6}\s/.test(line)).map((line) => line.replace(/^#+\s*/, ''))
  const open = countTasks(text, ' ')
  const facts = `${lines.length} lines, ${countWords(text)} words${open > 0 ? `, ${open} open tasks` : ''}`
  const shape = headings.length > 0 ? [`Headings: ${headings.slice(0, 12).join('; ')}`] : lines.slice(0, 3)
  return [facts, ...shape].join('\n')
}
