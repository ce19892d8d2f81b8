// Fills a tool's parameters from a clause, each by its role. Nothing is invented: what is not said stays empty.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Json } from '../message/part.ts'
import { hasType, wantedTypes } from '../schema/keywords.ts'
import type { Entity } from './entity.ts'
import { findChange, findContents, findExchange, findLabelled, findPattern, findPlace, findTitle } from './phrase.ts'
import { insertResults, take } from './request.ts'
import type { Reading } from './request.ts'
import { slotsOf } from './role.ts'
import type { Role, Slot } from './role.ts'
import { vocabulary, wordsOf } from './vocabulary.ts'

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

/** Those that take what is unmistakable go first, those that take the rest last. */
const order =
  'choice flag url glob expression find replace contents pattern path number from to place title text data'.split(
    ' ',
  ) as Role[]

export function fillSlots(tool: ToolDefinition, start: Reading): Filled {
  const reading = { ...start, used: new Set<Entity>() }
  const slots = slotsOf(tool)
  const input: { [name: string]: Json } = {}
  const filling: Filling = { reading, tool, slots, refersBack: false }
  for (const role of order) {
    for (const slot of slots) {
      if (slot.role !== role || slot.name === '__proto__') continue
      const value = said(filling, slot) ?? guess(filling, slot)
      if (value !== undefined) input[slot.name] = value
    }
  }
  const ordered: { [name: string]: Json } = {}
  for (const { name } of slots) if (Object.hasOwn(input, name)) ordered[name] = input[name] as Json
  return {
    input: ordered,
    missing: slots.filter((slot) => slot.isRequired && !Object.hasOwn(input, slot.name)),
    used: [...reading.used],
    unused: reading.entities.filter((entity) => !reading.used.has(entity) && entity.type !== 'number'),
    refersBack: filling.refersBack,
  }
}

interface Filling {
  readonly reading: Reading
  readonly tool: ToolDefinition
  readonly slots: readonly Slot[]
  refersBack: boolean
}

/** What the clause says by name: `key=value`, `key: value`, `key "value"`. */
function said(filling: Filling, slot: Slot): Json | undefined {
  const { reading } = filling
  const named = take(reading, 'setting', (one) => one.key === slot.name)
  const text = named ?? findLabelled(reading, slot.name)
  if (text === undefined) return undefined
  const whole = insertResults(text, reading.known)
  return whole === undefined ? undefined : toType(slot, whole)
}

/** A text as the type the slot wants, or `undefined`. */
export function toType(slot: Slot, text: string): Json | undefined {
  if (slot.role === 'choice') return choose(slot, wordsOf(text))
  for (const type of wantedTypes(slot.schema)) {
    if (type === 'string') return text
    try {
      const value = JSON.parse(text) as Json
      if (hasType(value, type)) return value
    } catch {
      // Not this type.
    }
  }
  return wantedTypes(slot.schema).length === 0 ? text : undefined
}

function guess(filling: Filling, slot: Slot): Json | undefined {
  const { reading } = filling
  switch (slot.role) {
    case 'choice':
      return choose(slot, wordsOf(reading.text))
    case 'flag':
      return flag(reading, slot)
    case 'url':
      return take(reading, 'url')
    case 'glob':
      return (
        take(reading, 'glob') ??
        (slot.isRequired
          ? take(
              reading,
              'path',
              (one) =>
                /\.\w+$/.test(one.value) && !/\b(?:in|inside|from|of)\s+$/i.test(reading.text.slice(0, one.start)),
            )
          : undefined)
      )
    case 'expression':
      return take(reading, 'arithmetic')
    case 'find':
      return findChange(reading)?.[0]
    case 'replace':
      return findChange(reading)?.[1]
    case 'path':
      return path(filling, slot)
    case 'number':
      return number(filling, slot)
    case 'from':
      return side(filling, 0)
    case 'to':
      return side(filling, 1)
    default:
      return slot.isRequired ? words(filling, slot) : undefined
  }
}

function words(filling: Filling, slot: Slot): string | undefined {
  const { reading } = filling
  switch (slot.role) {
    case 'contents':
      return contents(filling)
    case 'pattern':
      return findPattern(reading)
    case 'place':
      return findPlace(reading)
    case 'title':
      return findTitle(reading, wordsOf(filling.tool.name))
    case 'text':
      return take(reading, 'quoted') ?? findTitle(reading, wordsOf(filling.tool.name))
    default:
      return undefined
  }
}

function contents(filling: Filling): string | undefined {
  const { text, refersBack } = findContents(filling.reading)
  if (text !== undefined) return insertResults(text, filling.reading.known)
  if (!refersBack) return undefined
  filling.refersBack = true
  return filling.reading.known.last
}

function choose(slot: Slot, said: readonly string[]): Json | undefined {
  const options = Array.isArray(slot.schema['enum']) ? (slot.schema['enum'] as Json[]) : []
  return options.find((option) => {
    const names = wordsOf(String(option))
    return names.length > 0 && names.every((name) => said.includes(name))
  })
}

/** True where the words of its name are said ("ignore case", "all"), never otherwise. */
function flag(reading: Reading, slot: Slot): boolean | undefined {
  const said = wordsOf(reading.text.replace(/\bignoring\b/i, 'ignore').replace(/\b(?:everywhere|every|each)\b/i, 'all'))
  const names = wordsOf(slot.name)
  if (!names.every((name) => said.includes(name))) return undefined
  return !/\b(?:not|without|don't|no)\b/i.test(reading.text) || undefined
}

function path(filling: Filling, slot: Slot): string | undefined {
  const { reading } = filling
  const isListing = wordsOf(filling.tool.name).some((word) => ['list', 'ls', 'dir', 'tree'].includes(word))
  const fits = ({ value }: Entity): boolean => !isListing || !/\.\w+$/.test(value)
  const found =
    take(reading, 'path', fits) ?? take(reading, 'quoted', (one) => /\.\w{1,8}$|\//.test(one.value) && fits(one))
  if (found !== undefined) return found
  const named = /\b(?:file|folder|directory|dir|path)\s+(?:called\s+|named\s+)?([\w.-]+)/i.exec(reading.text)?.[1]
  if (named !== undefined && isName(named)) return named
  const inside =
    /(?:\b(?:in|inside|under|of)\s+(?:the\s+)?|^(?:ls|list|dir)\s+)([\w-]+)(?:\s+(?:folder|directory|dir))?$/i.exec(
      reading.text,
    )?.[1]
  const isFolder = /\b(?:folder|directory|dir)$/i.test(reading.text)
  return inside !== undefined && isName(inside) && !slot.isRequired && (isFolder || isListing) ? inside : undefined
}

const isName = (word: string): boolean =>
  !vocabulary().stops.has(word.toLowerCase()) &&
  !/^(?:file|folder|directory|dir|root|current|here|workspace|project|with|containing|files)s?$/i.test(word)

/** Words that stand for the usual numeric parameters. */
const numberWords: ReadonlyMap<string, string> = new Map([
  ['limit', 'limit|first|top|max|maximum|up to|at most|only'],
  ['offset', 'offset|from line|starting at line|starting at|skip|after line'],
  ['count', 'count|times'],
])

function number(filling: Filling, slot: Slot): number | undefined {
  const { reading } = filling
  const label = numberWords.get(slot.name) ?? wordsOf(slot.name).join(' ')
  const near = new RegExp(String.raw`\b(?:${label})\s+(-?\d+(?:\.\d+)?)\b`, 'i').exec(reading.text)?.[1]
  const text =
    near ??
    (slot.isRequired
      ? reading.entities.find((one) => one.type === 'number' && !reading.used.has(one))?.value
      : undefined)
  if (text === undefined) return undefined
  take(reading, 'number', (one) => one.value === text)
  const value = Number(text)
  return hasType(value, wantedTypes(slot.schema)[0] ?? 'number') ? value : undefined
}

/** `from` or `to`: of two paths, or of an exchange. */
function side(filling: Filling, index: 0 | 1): string | undefined {
  const { reading } = filling
  const exchange = findExchange(reading)
  if (exchange) return /^[a-z]{3}$/i.test(exchange[index]) ? exchange[index].toUpperCase() : exchange[index]
  return take(reading, 'path')
}
