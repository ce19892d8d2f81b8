// Finds text arguments by the words around them: what is searched for, replaced, written, named.
import { isPath } from './entity.ts'
import { isReference, take } from './request.ts'
import type { Reading } from './request.ts'
import { pattern, stem, vocabulary, wordsOf } from './vocabulary.ts'

const trimQuotes = (text: string): string => text.trim().replace(/^(["'`“])(.*)["'`”]$/s, '$2')

/** Marks what stood in the span as taken, so that another parameter does not take it again. */
function claim(reading: Reading, phrase: string): string {
  const start = reading.text.indexOf(phrase)
  for (const entity of reading.entities) {
    if (start >= 0 && entity.start >= start && entity.end <= start + phrase.length) reading.used.add(entity)
  }
  return trimQuotes(phrase)
}

function firstMatch(text: string, patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    const phrase = pattern.exec(text)?.[1]?.trim()
    if (phrase) return phrase
  }
  return undefined
}

const tails = (): readonly RegExp[] => [
  pattern(' (?:everywhere|anywhere|throughout|here|recursively|ignoring case|ignore case|regardless of case)$'),
  pattern(
    ' (?:in|inside|within|across|under|from|through|throughout) ',
    String.raw`(?:(?:all|every|any|each|the|my|this|these|of|other) ){0,3}(?:\w+ )?`,
    '(?:files?|folders?|director(?:y|ies)|projects?|repo|repository|workspace|code|documents?|docs|notes|' +
      'everything|here)$',
  ),
]

/** The text without a place at its end: "in notes.md", "in all files", "everywhere". */
function withoutPlace(reading: Reading): string {
  let text = reading.text
  for (let before = ''; before !== text;) {
    before = text
    text = tails()
      .reduce((rest, tail) => rest.replace(tail, ''), text)
      .trimEnd()
    const place = reading.entities.find(
      (one) => (one.type === 'path' || one.type === 'glob') && one.end === text.length,
    )
    if (place)
      text = text
        .slice(0, place.start)
        .replace(/\s+(?:in|inside|within|across|under|from|of)\s+(?:the\s+)?(?:file\s+|folder\s+)?$/i, '')
  }
  return text
}

const searches: readonly RegExp[] = [
  /\b(?:search|grep|look|scan)\s+(?:\S+\s+){0,4}?for\s+(.+)$/i,
  /\b(?:contains?|containing|mentions?|mentioning|including|with the (?:word|text))\s+(.+)$/i,
  /\bwhere\s+(?:is|are|do i (?:use|mention|have))\s+(.+?)(?:\s+(?:used|defined|mentioned))?$/i,
  /\b(?:search|grep|find|locate|look up)\s+(.+)$/i,
]

/** Words before what is searched for that say nothing of it. */
const leadIn = pattern(
  '^(?:the|all|every|any|each|lines?|files?|occurrences?|mentions?|matches|word|words|text|string|phrase|of|for|with|',
  String.raw`that|which|containing|contain)(?:\s+|$)`,
)

/** What is searched for. */
export function findPattern(reading: Reading): string | undefined {
  const quoted = take(reading, 'quoted')
  if (quoted !== undefined) return quoted
  let phrase = firstMatch(withoutPlace(reading), searches)
  while (phrase !== undefined && leadIn.test(phrase)) phrase = phrase.replace(leadIn, '')
  return !phrase || /^(?:files?|it|that|this|them)$/i.test(phrase) ? undefined : claim(reading, phrase)
}

const side = (rest: string): string => `("[^"]*"|'[^']*'|\`[^\`]*\`|${rest})`

/** Both sides of "replace X with Y". */
export function findChange(reading: Reading): readonly [string, string] | undefined {
  const change = pattern(
    String.raw`\b(?:replace|change|substitute|swap|rename) (?:the (?:word|text|string) )?(?:(?:all|every) )?`,
    `(?:occurrences of )?${side('.+?')} (?:with|by|to|into|for) ${side('.+')}$`,
  )
  const match = change.exec(withoutPlace(reading))
  return match?.[1] && match[2] ? [claim(reading, match[1]), claim(reading, match[2])] : undefined
}

/**
 * What is written: quoted, after a colon or "with content", or between the verb and the path. `refersBack` where it is
 * "it", "the total" and the like.
 */
export function findContents(reading: Reading): { readonly text?: string; readonly refersBack?: boolean } {
  const quoted = take(reading, 'quoted')
  if (quoted !== undefined) return { text: quoted }
  const target = reading.entities.find((entity) => entity.type === 'path')
  const after = target ? reading.text.slice(target.end) : reading.text
  const phrase =
    firstMatch(after, [
      /^.*?\b(?:with|containing|contains|saying)\s+(?:the\s+)?(?:contents?|text|message|words?|body)?\s*:?\s*(\S.*)$/is,
      /^\s*:\s*(\S.*)$/s,
      /\b(?:contents?|text|body|message)\s*:\s*(\S.*)$/is,
    ]) ?? between(reading, target?.start)
  if (phrase === undefined) return {}
  return isReference(phrase) ? { refersBack: true } : { text: claim(reading, phrase) }
}

function between(reading: Reading, end: number | undefined): string | undefined {
  if (end === undefined) return undefined
  const written = pattern(
    '^(?:write|save|store|put|add|append|record|note down|note|insert|send|post) (?:the (?:text|words?|line|string) )?',
    `(.+?) (?:to|in|into|as|inside|on|under) (?:(?:a|the) )?(?:new )?(?:file )?(?:(?:called|named) )?["'\`]?$`,
  )
  return firstMatch(reading.text.slice(0, end), [written])
}

/** A value that stands after its parameter's name: `title: Fix it`, `body "…"`, `unit celsius`. */
export function findLabelled(reading: Reading, name: string): string | undefined {
  const label = name
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ')
    .join('[ _-]?')
  if (label === '') return undefined
  const phrase = firstMatch(reading.text, [
    new RegExp(
      String.raw`\b${label}\s*[:=]\s*("[^"]*"|'[^']*'|.+?)(?=,?\s+(?:and\s+)?(?:with\s+)?\w+\s*[:=]|[,;]|$)`,
      'i',
    ),
    // Not at the start, where it is the verb: replace "a" with "b".
    new RegExp(String.raw`\s${label}\s+("[^"]*"|'[^']*'|“[^”]*”)`, 'i'),
  ])
  return phrase === undefined ? undefined : claim(reading, phrase)
}

/**
 * A name or title: quoted, after "called" or "about", or what follows the nouns of the tool (`create_issue`: "create an
 * issue Fix it"). Where the tool has nouns, one must be said.
 */
export function findTitle(reading: Reading, name: readonly string[]): string | undefined {
  const { verbs } = vocabulary()
  const nouns = name.filter((word) => !verbs.has(word))
  const said = wordsOf(reading.text).map(stem)
  if (nouns.length > 0 && !nouns.some((noun) => said.includes(stem(noun)))) return undefined
  const quoted = take(reading, 'quoted')
  if (quoted !== undefined) return quoted
  const phrase = (
    firstMatch(reading.text, [/\b(?:called|titled|named|about|saying)\s+(.+)$/i]) ?? afterNouns(reading.text, nouns)
  ).replace(/(?:\s+with\s+(?:the\s+)?(?:body|text|description)\b|[,;]?\s+(?:and\s+|with\s+)?\w+\s*[:=]).*$/i, '')
  return phrase === '' || isReference(phrase) ? undefined : claim(reading, phrase)
}

/** What is left without the verb, the articles and the nouns at the start. */
function afterNouns(text: string, nouns: readonly string[]): string {
  const words = text.split(/\s+/)
  const skipped = new Set([
    'a',
    'an',
    'the',
    'new',
    'my',
    'me',
    'for',
    'to',
    'that',
    ...nouns,
    ...nouns.map((noun) => `${noun}s`),
  ])
  let index = vocabulary().verbs.has((words[0] ?? '').toLowerCase()) ? 1 : 0
  while (skipped.has((words[index] ?? '').toLowerCase().replace(/:$/, ''))) index++
  return words.slice(index).join(' ')
}

const notPlaces =
  /^(?:the|a|an|all|it|this|that|celsius|fahrenheit|detail|general|total|degrees|today|now|tomorrow|me|us)$/i

/** A place: after "in", "for" or "at", or a capitalised name. */
export function findPlace(reading: Reading): string | undefined {
  const quoted = take(reading, 'quoted')
  if (quoted !== undefined) return quoted
  for (const match of reading.text.matchAll(/\b(?:in|for|at|of|near)\s+((?:[\p{L}.'-]+)(?:\s+\p{Lu}[\p{L}.'-]+)*)/gu)) {
    const name = (match[1] ?? '').replace(/[.']+$/, '')
    if (!notPlaces.test(name) && !isPath(name)) return claim(reading, name)
  }
  const capital =
    /\S\s+(\p{Lu}[\p{Ll}'-]+(?:\s+\p{Lu}[\p{Ll}'-]+)*)/u.exec(reading.text)?.[1] ??
    /^(\p{Lu}\p{Ll}+) (?:weather|forecast)/u.exec(reading.text)?.[1]
  return capital === undefined ? undefined : claim(reading, capital)
}

/** Both sides of "100 USD to EUR". */
export function findExchange(reading: Reading): readonly [string, string] | undefined {
  const match =
    /\bfrom\s+([\p{L}]+)\s+(?:to|into|in)\s+([\p{L}]+)/iu.exec(reading.text) ??
    /\d\s*([\p{L}]+)\s+(?:to|into|in|as)\s+([\p{L}]+)/iu.exec(reading.text)
  return match?.[1] && match[2] ? [match[1], match[2]] : undefined
}
