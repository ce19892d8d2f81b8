// Finds text arguments by the words around them: what is searched for, replaced, written, named.
import { isPath } from '../utterance/entity.ts'
import { asValue, mark } from '../utterance/open-text.ts'
import { insertResults, isReference, take } from './request.ts'
import type { Reading } from './request.ts'
import { stem, verbs, wordSet, wordsOf } from '../utterance/vocabulary.ts'

/** The phrase as a value; marks what stands in it as taken, so that another parameter does not take it again. */
function claim(reading: Reading, phrase: string | undefined): string | undefined {
  if (!phrase) return undefined
  const start = reading.text.indexOf(phrase)
  for (const entity of reading.entities) {
    if (start >= 0 && entity.start >= start && entity.end <= start + phrase.length) reading.used.add(entity)
  }
  return asValue(reading, phrase)
}

function firstMatch(text: string, ...patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    const phrase = pattern.exec(text)?.[1]?.trim()
    if (phrase) return phrase
  }
  return undefined
}

const place =
  / (?:everywhere|anywhere|throughout|here|recursively|ignoring case|ignore case|regardless of case|(?:in|inside|within|across|under|from|through|throughout) (?:(?:all|every|any|each|the|my|this|these|of|other) ){0,3}(?:\w+ )?(?:files?|folders?|director(?:y|ies)|projects?|repo|repository|workspace|code|documents?|docs|notes|everything|here))$/i

/** The text without a place at its end: "in notes.md", "in all files", "everywhere". */
function withoutPlace({ text, entities }: Reading): string {
  let rest = text
  for (let before = ''; before !== rest;) {
    before = rest
    rest = rest.replace(place, '').trim()
    const named = entities.find(({ type, end }) => (type === 'path' || type === 'glob') && end === rest.length)
    if (named)
      rest = rest
        .slice(0, named.start)
        .replace(/ (?:in|inside|within|across|under|from|of) (?:the )?(?:file |folder )?$/i, '')
  }
  return rest
}

/** Words before what is searched for that say nothing of it. */
const leadIn =
  /^(?:the|all|every|any|each|lines?|files?|occurrences?|mentions?|matches|words?|text|string|phrase|of|for|with|that|which|containing|contain)(?: |$)/i

/** What is searched for. */
export function findPattern(reading: Reading): string | undefined {
  const quoted = take(reading, 'quoted')
  if (quoted !== undefined) return quoted
  let phrase = firstMatch(
    withoutPlace(reading),
    /\b(?:search|grep|look|scan) (?:\S+ ){0,4}?for (.+)$/i,
    /\b(?:contains?|containing|mentions?|mentioning|including|with the (?:word|text)) (.+)$/i,
    /\bwhere (?:is|are|do i (?:use|mention|have)) (.+?)(?: (?:used|defined|mentioned))?$/i,
    /\b(?:search|grep|find|locate|look up) (.+)$/i,
  )
  while (phrase !== undefined && leadIn.test(phrase)) phrase = phrase.replace(leadIn, '')
  return /^(?:it|that|this|them)$/i.test(phrase ?? '') ? undefined : claim(reading, phrase)
}

const change =
  /\b(?:replace|change|substitute|swap|rename) (?:the (?:word|text|string) )?(?:(?:all|every) )?(?:occurrences of )?(.+?) (?:with|by|to|into|for) (.+)$/i

/** One side of "replace X with Y". */
export const findChange = (reading: Reading, side: 1 | 2): string | undefined =>
  claim(reading, change.exec(withoutPlace(reading))?.[side])

/**
 * What is written: quoted, after a colon or "with content", or between the verb and the path. "It", "the total" and the
 * like are the last result.
 */
export function findContents(reading: Reading): string | undefined {
  const { text, known, entities } = reading
  const target = entities.find(({ type }) => type === 'path')
  let said = take(reading, 'quoted')
  if (said === undefined) {
    const phrase =
      firstMatch(
        text.slice(target?.end ?? 0),
        /^.*?\b(?:with|containing|contains|saying) (?:the )?(?:contents?|text|message|words?|body)?[ :]*([^ :].*)$/i,
        /^ ?: ?(.+)$/,
        /\b(?:contents?|text|body|message) ?: ?(.+)$/i,
      ) ??
      firstMatch(
        text.slice(0, target?.start ?? 0),
        /^(?:write|save|store|put|add|append|record|note down|note|insert|send|post) (?:the (?:text|words?|line|string) )?(.+?) (?:to|in|into|as|inside|on|under) (?:(?:a|the) )?(?:new )?(?:file )?(?:(?:called|named) )?$/i,
      )
    if (phrase !== undefined && isReference(phrase)) {
      reading.refersBack = true
      return known.last
    }
    said = claim(reading, phrase)
  }
  return said === undefined ? undefined : insertResults(said, known)
}

/** A value that stands after its parameter's name: `title: Fix it`, `body "…"`, `unit celsius`. */
export function findLabelled(reading: Reading, name: string): string | undefined {
  const label = (name.match(/[\p{L}\p{N}]+/gu) ?? []).join('[ _-]?')
  if (label === '') return undefined
  return claim(
    reading,
    firstMatch(
      reading.text,
      new RegExp(`\\b${label} ?[:=] ?(${mark}|.+?)(?=,? (?:and )?(?:with )?\\w+ ?[:=]|[,;]|$)`, 'i'),
      // Not where it is the verb: replace "a" with "b", in x replace "a" by "b".
      new RegExp(` ${label} (${mark})(?! (?:with|by|to|into|for) )`, 'i'),
    ),
  )
}

/**
 * A name or title: quoted, after "called" or "about", or what follows the nouns of the tool (`create_issue`: "create an
 * issue Fix it"). Where the tool has nouns, one must be said.
 */
export function findTitle(reading: Reading): string | undefined {
  const nouns = wordsOf(reading.tool.name).filter((word) => !verbs.has(word))
  const said = wordsOf(reading.text).map(stem)
  if (nouns.length > 0 && !nouns.some((noun) => said.includes(stem(noun)))) return undefined
  const quoted = take(reading, 'quoted')
  if (quoted !== undefined) return quoted
  const phrase = (
    firstMatch(reading.text, /\b(?:called|titled|named|about|saying) (.+)$/i) ?? afterNouns(reading.text, nouns)
  ).replace(/(?: with (?:the )?(?:body|text|description)\b|[,;]? (?:and |with )?\w+ ?[:=]).*$/i, '')
  return isReference(phrase) ? undefined : claim(reading, phrase)
}

const skipped = wordSet('a an the new my me for to that')

/** What is left without the verb, the articles and the nouns at the start. */
function afterNouns(text: string, nouns: readonly string[]): string {
  const words = text.split(' ')
  const bare = words.map((word) => word.toLowerCase().replace(/:$/, ''))
  const start = bare.findIndex(
    (word, index) =>
      !(index === 0 && verbs.has(word)) && !skipped.has(word) && !nouns.some((noun) => stem(noun) === stem(word)),
  )
  return start < 0 ? '' : words.slice(start).join(' ')
}

const noPlaces = wordSet(
  'the a an all it this that celsius fahrenheit detail general total degrees today now tomorrow me us',
)

/** A place: after "in", "for" or "at", or a capitalised name. */
export function findPlace(reading: Reading): string | undefined {
  const quoted = take(reading, 'quoted')
  if (quoted !== undefined) return quoted
  const { text } = reading
  for (const match of text.matchAll(/\b(?:in|for|at|of|near) ([\p{L}.'-]+(?: \p{Lu}[\p{L}.'-]+)*)/gu)) {
    const name = (match[1] ?? '').replace(/[.']+$/, '')
    if (!noPlaces.has(name.toLowerCase()) && !isPath(name)) return claim(reading, name)
  }
  return claim(
    reading,
    firstMatch(text, /\S (\p{Lu}[\p{Ll}'-]+(?: \p{Lu}[\p{Ll}'-]+)*)/u, /^(\p{Lu}\p{Ll}+) (?:weather|forecast)/u),
  )
}

const runs =
  /^(?:run|execute|exec) (?:(?:the |this )?(?:shell |bash )?command |(?:in|with) (?:the |a )?(?:shell|terminal|bash) )?:? ?(.+?)(?: in (?:the|a) (?:shell|terminal))?$/i

/** A command as it was typed, without quotation marks where all of it is quoted: "run the tests" names none. */
export function findCommand(reading: Reading): string | undefined {
  const phrase = firstMatch(reading.text, runs)
  return phrase === undefined || /^(?:the|a|an|my|all|this|that|it) /i.test(`${phrase} `)
    ? undefined
    : claim(reading, phrase)
}

/** One side of "100 USD to EUR". */
export function findExchange({ text }: Reading, side: 1 | 2): string | undefined {
  const match = /(?:\bfrom |\d ?)(\p{L}+) (?:to|into|in|as) (\p{L}+)/iu.exec(text)
  return match?.[side]?.replace(/^[a-z]{3}$/i, (code) => code.toUpperCase())
}
