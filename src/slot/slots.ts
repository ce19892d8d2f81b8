// Fills a tool's parameters from a clause, each by its role. Nothing is invented: what is not said stays empty.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Json } from '../json/value.ts'
import { own } from '../json/value.ts'
import { hasType, wantedTypes } from '../schema/keywords.ts'
import { parseJson } from '../json/text.ts'
import type { Entity } from '../utterance/entity.ts'
import {
  findChange,
  findCommand,
  findContents,
  findExchange,
  findLabelled,
  findPattern,
  findPlace,
  findTitle,
} from './phrase.ts'
import { insertResults, take } from './request.ts'
import type { Clear, Reading } from './request.ts'
import { slotsOf } from './role.ts'
import type { Role, Slot } from './role.ts'
import { stops, wordSet, wordsOf } from '../utterance/vocabulary.ts'

export interface Filled {
  readonly input: { readonly [name: string]: Json }
  /** Required parameters that nothing in the clause gives. */
  readonly missing: readonly Slot[]
  /** Things in the clause that became arguments, and that did not. */
  readonly used: readonly Entity[]
  readonly unused: readonly Entity[]
  /** Whether an argument came from an earlier result. */
  readonly refersBack: boolean
}

type Finder = (reading: Reading, slot: Slot) => Json | undefined

/** Only for a parameter that must be given: what it takes is easily mistaken. */
// @__NO_SIDE_EFFECTS__
const ifRequired =
  (find: Finder): Finder =>
  (reading, slot) =>
    slot.isRequired ? find(reading, slot) : undefined

/** How each role finds its value. Those that take what is unmistakable go first, those that take the rest last. */
const finders: { readonly [role in Role]: Finder } = {
  choice: (reading, slot) => choose(slot, wordsOf(reading.text)),
  flag,
  command: ifRequired(findCommand),
  url: (reading) => take(reading, 'url'),
  glob: (reading, slot) => take(reading, 'glob') ?? fileName(reading, slot),
  expression: (reading) => take(reading, 'arithmetic'),
  find: (reading) => findChange(reading, 1),
  replace: (reading) => findChange(reading, 2),
  contents: ifRequired(findContents),
  pattern: ifRequired(findPattern),
  path,
  number,
  from: (reading) => findExchange(reading, 1) ?? take(reading, 'path'),
  to: (reading) => findExchange(reading, 2) ?? take(reading, 'path'),
  place: ifRequired(findPlace),
  title: ifRequired(findTitle),
  text: ifRequired(findTitle),
  data: () => undefined,
}

export function fillSlots(tool: ToolDefinition, clause: Clear): Filled {
  const reading: Reading = { ...clause, tool, used: new Set(), refersBack: false }
  const slots = slotsOf(tool)
  const found = new Map<Slot, Json>()
  for (const [role, find] of Object.entries(finders)) {
    for (const slot of slots.filter((one) => one.role === role)) {
      const value = said(reading, slot) ?? find(reading, slot)
      if (value !== undefined) found.set(slot, value)
    }
  }
  const { entities, used, refersBack } = reading
  return {
    input: Object.fromEntries(
      slots.filter((slot) => found.has(slot)).map((slot) => [slot.name, found.get(slot) as Json]),
    ),
    missing: slots.filter((slot) => slot.isRequired && !found.has(slot)),
    used: [...used],
    unused: entities.filter((entity) => !used.has(entity) && entity.type !== 'number'),
    refersBack,
  }
}

/** What the clause says by name: `key=value`, `key: value`, `key "value"`. */
function said(reading: Reading, slot: Slot): Json | undefined {
  const text = take(reading, 'setting', ({ key }) => key === slot.name) ?? findLabelled(reading, slot.name)
  const whole = text === undefined ? undefined : insertResults(text, reading.known)
  return whole === undefined ? undefined : toType(slot, whole)
}

/** A text as the type the slot wants, or `undefined`. */
export function toType(slot: Slot, text: string): Json | undefined {
  if (slot.role === 'choice') return choose(slot, wordsOf(text))
  const types = wantedTypes(slot.schema)
  const parsed = parseJson(text)
  for (const type of types) {
    if (type === 'string') return text
    if (parsed.ok && hasType(parsed.value, type)) return parsed.value as Json
  }
  return types.length === 0 ? text : undefined
}

function choose(slot: Slot, words: readonly string[]): Json | undefined {
  return (slot.schema['enum'] as Json[]).find((option) => {
    const names = wordsOf(String(option))
    return names.length > 0 && names.every((name) => words.includes(name))
  })
}

/** True where the words of its name are said ("ignore case", "all"), never otherwise. */
function flag({ text }: Reading, slot: Slot): boolean | undefined {
  const words = wordsOf(text.replace(/\bignoring\b/i, 'ignore').replace(/\b(?:everywhere|every|each)\b/i, 'all'))
  const isSaid = wordsOf(slot.name).every((name) => words.includes(name))
  return (isSaid && !/\b(?:not|without|don't|no)\b/i.test(text)) || undefined
}

/** A file's name in place of a pattern for names: "find notes.md", but not "find x in notes.md". */
const fileName = ifRequired((reading) =>
  take(
    reading,
    'path',
    ({ value, start }) => isFile(value) && !/\b(?:in|inside|from|of) $/i.test(reading.text.slice(0, start)),
  ),
)

const isFile = (name: string): boolean => /\.\w+$/.test(name)
const listings = wordSet('list ls dir tree')

function path(reading: Reading, slot: Slot): string | undefined {
  const { text, tool } = reading
  const isListing = wordsOf(tool.name).some((word) => listings.has(word))
  const fits = ({ value }: Entity): boolean => !isListing || !isFile(value)
  const inside = /(?:\b(?:in|inside|under|of) (?:the )?|^(?:ls|list|dir) )([\w-]+)( folder| directory| dir)?$/i.exec(
    text,
  )
  const isFolder = !slot.isRequired && (isListing || inside?.[2])
  return (
    take(reading, 'path', fits) ??
    take(reading, 'quoted', (one) => /\.\w{1,8}$|\//.test(one.value) && fits(one)) ??
    name(/\b(?:file|folder|directory|dir|path) (?:called |named )?([\w.-]+)/i.exec(text)?.[1]) ??
    (isFolder ? name(inside?.[1]) : undefined)
  )
}

const noNames = wordSet(
  'file files folder folders directory dir root current here workspace project projects containing',
)

const name = (word = 'the'): string | undefined =>
  stops.has(word.toLowerCase()) || noNames.has(word.toLowerCase()) ? undefined : word

/** Words that stand for the usual numeric parameters. */
const numberWords = {
  limit: 'limit|first|top|max|maximum|up to|at most|only',
  offset: 'offset|from line|starting at line|starting at|skip|after line',
  count: 'count|times',
}

function number(reading: Reading, slot: Slot): number | undefined {
  const label = own(numberWords, slot.name) ?? wordsOf(slot.name).join(' ')
  const near = new RegExp(String.raw`\b(?:${label}) (-?\d+(?:\.\d+)?)\b`, 'i').exec(reading.text)?.[1]
  if (near === undefined && !slot.isRequired) return undefined
  const text = take(reading, 'number', ({ value }) => near === undefined || value === near) ?? near
  const value = Number(text)
  return text !== undefined && hasType(value, wantedTypes(slot.schema)[0] ?? 'number') ? value : undefined
}
