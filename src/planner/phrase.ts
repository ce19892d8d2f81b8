// Finds text arguments by the words around them: what is searched for, replaced, written, named.
import { isReference, take } from './request.ts'
import type { Reading } from './request.ts'

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

const tails: readonly RegExp[] = [
  /\s+(?:everywhere|anywhere|throughout|here|recursively|ignoring case|ignore case|case[- ]insensitively|regardless of case)$/i,
  /\s+(?:in|inside|within|across|under|from|through|throughout)\s+(?:(?:all|every|any|each|the|my|this|these|of|other)\s+){0,3}(?:\w+\s+)?(?:files?|folders?|director(?:y|ies)|projects?|repo|repository|workspace|code|documents?|docs|everything|here)$/i,
]

/** The text without a place at its end: "in notes.md", "in all files", "everywhere". */
function withoutPlace(reading: Reading): string {
  let text = reading.text
  for (let before = ''; before !== text; ) {
    before = text
    text = tails.reduce((rest, tail) => rest.replace(tail, ''), text).trimEnd()
    const place = reading.entities.find((one) => (one.type === 'path' || one.type === 'glob') && one.end === text.length)
    if (place) text = text.slice(0, place.start).replace(/\s+(?:in|inside|within|across|under|from|of)\s+(?:the\s+)?(?:file\s+|folder\s+)?$/i, '')
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
const leadIn =
  /^(?:the|all|every|any|each|lines?|files?|occurrences?|mentions?|matches|word|words|text|string|phrase|of|for|with|that|which|containing|contain)\s+/i

/** What is searched for. */
export function findPattern(reading: Reading): string | undefined {
  const quoted = take(reading, 'quoted')
  if (quoted !== undefined) return quoted
  let phrase = firstMatch(withoutPlace(reading), searches)
  while (phrase !== undefined && leadIn.test(phrase)) phrase = phrase.replace(leadIn, '')
  return phrase === undefined || /^(?:files?|it|that|this|them)$/i.test(phrase) ? undefined : claim(reading, phrase)
}

const change =
  /\b(?:replace|change|substitute|swap|rename)\s+(?:the\s+(?:word|text|string)\s+)?(?:all\s+|every\s+)?(?:occurrences\s+of\s+)?("[^"]*"|'[^']*'|`[^`]*`|.+?)\s+(?:with|by|to|into|for)\s+("[^"]*"|'[^']*'|`[^`]*`|.+)$/i

/** Both sides of "replace X with Y". */
export function findChange(reading: Reading): readonly [string, string] | undefined {
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
      /^.*?\b(?:with|containing|contains|saying|that says)\s+(?:the\s+)?(?:contents?|text|message|words?|body|line)?\s*:?\s*(\S.*)$/is,
      /^\s*:\s*(\S.*)$/s,
      /\b(?:contents?|text|body|message)\s*:\s*(\S.*)$/is,
    ]) ?? between(reading, target?.start)
  if (phrase === undefined) return {}
  return isReference(phrase) ? { refersBack: true } : { text: claim(reading, phrase) }
}

function between(reading: Reading, end: number | undefined): string | undefined {
  if (end === undefined) return undefined
  return firstMatch(reading.text.slice(0, end), [
    /^(?:write|save|store|put|add|append|record|note|note down|insert|send|post)\s+(?:the\s+(?:text|words?|line|string)\s+)?(.+?)\s+(?:to|in|into|as|inside|on|under)\s+(?:a\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?["'`]?$/i,
  ])
}

/** A value that stands after its parameter's name: `title: Fix it`, `body "…"`, `unit celsius`. */
export function findLabelled(reading: Reading, name: string): string | undefined {
  const label = name.replace(/[^\p{L}\p{N}]+/gu, ' ').trim().split(' ').join('[ _-]?')
  if (label === '') return undefined
  const phrase = firstMatch(reading.text, [
    new RegExp(String.raw`\b${label}\s*[:=]\s*("[^"]*"|'[^']*'|.+?)(?=,?\s+(?:and\s+)?(?:with\s+)?\w+\s*[:=]|[,;]|$)`, 'i'),
    new RegExp(String.raw`\b${label}\s+("[^"]*"|'[^']*'|“[^”]*”)`, 'i'),
  ])
  return phrase === undefined ? undefined : claim(reading, phrase)
}

/** A name or title: quoted, after "called" or "about", or what follows the nouns of the tool. */
export function findTitle(reading: Reading, nouns: readonly string[]): string | undefined {
  const quoted = take(reading, 'quoted')
  if (quoted !== undefined) return quoted
  const noun = nouns.filter((word) => /^\w{3,}$/.test(word)).join('|')
  const phrase = firstMatch(reading.text, [
    /\b(?:called|titled|named|about|saying)\s+(.+?)(?:\s+with\s+(?:the\s+)?\w+\s.*)?$/i,
    ...(noun === '' ? [] : [new RegExp(String.raw`\b(?:${noun})s?\s*:?\s+(?:for\s+|to\s+)?(.+?)(?:\s+with\s+(?:the\s+)?(?:body|text|description)\b.*)?$`, 'i')]),
  ])
  return phrase === undefined || isReference(phrase) ? undefined : claim(reading, phrase)
}

const notPlaces = /^(?:the|a|an|all|it|this|that|celsius|fahrenheit|detail|general|total|degrees|today|now|tomorrow|me|us)$/i

/** A place: after "in", "for" or "at", or a capitalised name. */
export function findPlace(reading: Reading): string | undefined {
  const quoted = take(reading, 'quoted')
  if (quoted !== undefined) return quoted
  for (const match of reading.text.matchAll(/\b(?:in|for|at|of|near)\s+((?:[\p{L}.'-]+)(?:\s+\p{Lu}[\p{L}.'-]+)*)/gu)) {
    const name = (match[1] ?? '').replace(/[.']+$/, '')
    if (!notPlaces.test(name)) return claim(reading, name)
  }
  const capital = /\S\s+(\p{Lu}[\p{Ll}'-]+(?:\s+\p{Lu}[\p{Ll}'-]+)*)/u.exec(reading.text)?.[1] ?? /^(\p{Lu}\p{Ll}+) (?:weather|forecast)/u.exec(reading.text)?.[1]
  return capital === undefined ? undefined : claim(reading, capital)
}

/** Both sides of "100 USD to EUR". */
export function findExchange(reading: Reading): readonly [string, string] | undefined {
  const match =
    /\bfrom\s+([\p{L}]+)\s+(?:to|into|in)\s+([\p{L}]+)/iu.exec(reading.text) ??
    /\d\s*([\p{L}]+)\s+(?:to|into|in|as)\s+([\p{L}]+)/iu.exec(reading.text)
  return match?.[1] && match[2] ? [match[1], match[2]] : undefined
}
