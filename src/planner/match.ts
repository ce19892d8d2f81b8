// Chooses the tool a clause asks for, by the words it shares with the tool and by what fits its parameters.
import type { ToolDefinition } from '../message/model-event.ts'
import { findEntities } from './entity.ts'
import type { Entity } from './entity.ts'
import { startReading } from './request.ts'
import type { Known, Reading } from './request.ts'
import { slotsOf } from './role.ts'
import { fillSlots } from './slots.ts'
import type { Filled } from './slots.ts'
import { stem, vocabulary, wordsOf } from './vocabulary.ts'

export interface Candidate {
  readonly tool: ToolDefinition
  readonly filled: Filled
  readonly score: number
  /** The word of the clause that spoke most for the tool. */
  readonly word: string
  /** How much of what the clause says the tool accounts for, from 0 to 1. */
  readonly coverage: number
  /** Whether its name has nouns (`create_issue`) of which none is said. */
  readonly isOffTopic: boolean
}

interface Profile {
  readonly name: ReadonlySet<string>
  readonly examples: ReadonlySet<string>
  readonly description: ReadonlySet<string>
  readonly parameters: ReadonlySet<string>
  /** Of a name such as `create_issue` the words that are no verbs. */
  readonly nouns: ReadonlySet<string>
}

const weights = { name: 3, examples: 2, description: 1 } as const
/** A synonym counts less than the word itself. */
const synonym = 0.7

const stems = (text: string): ReadonlySet<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => !vocabulary().stops.has(word))
      .map(stem),
  )

function profileOf(tool: ToolDefinition, prefixes: ReadonlySet<string>): Profile {
  const { verbs } = vocabulary()
  const words = wordsOf(tool.name)
  const nouns = words.filter((word) => !verbs.has(word) && !prefixes.has(word))
  return {
    name: stems(tool.name),
    examples: stems((tool.examples ?? []).join(' ')),
    description: stems(tool.description.slice(0, 300)),
    parameters: stems(
      slotsOf(tool)
        .map((slot) => slot.name)
        .join(' '),
    ),
    nouns: words.some((word) => verbs.has(word)) ? new Set(nouns.map(stem)) : new Set(),
  }
}

/** First words that several names share, as `fs` in `fs_read`: they say nothing. */
function commonPrefixes(tools: readonly ToolDefinition[]): ReadonlySet<string> {
  const firsts = tools.map((tool) => wordsOf(tool.name)[0] ?? '')
  return new Set(firsts.filter((first, index) => firsts.indexOf(first) !== index && !vocabulary().verbs.has(first)))
}

function isSynonym(left: string, right: string): boolean {
  const { groups } = vocabulary()
  const mine = groups.get(left)
  return mine !== undefined && (groups.get(right)?.some((group) => mine.includes(group)) ?? false)
}

/** How strongly a word speaks for a field: 1 itself, less as a synonym, else 0. */
function hit(word: string, field: ReadonlySet<string>): number {
  if (field.has(word)) return 1
  for (const other of field) if (isSynonym(word, other)) return synonym
  return 0
}

function strength(word: string, profile: Profile): number {
  return Math.max(
    hit(word, profile.name) * weights.name,
    hit(word, profile.examples) * weights.examples,
    hit(word, profile.description) * weights.description,
    profile.parameters.has(word) ? weights.description : 0,
  )
}

/** The words of a clause that say what to do: without what is quoted, paths, and words that carry nothing. */
function contentWords(clause: string, entities: readonly Entity[]): readonly string[] {
  const open = entities.reduce(
    (text, { start, end }) => text.slice(0, start) + ' '.repeat(end - start) + text.slice(end),
    clause,
  )
  const { stops } = vocabulary()
  return wordsOf(open).filter((word) => !stops.has(word) && !/^\d+$/.test(word))
}

/** Words of a shell: commands at the start, anything else further on. */
const shellWord = /^(?:cat|ls|rm|dir|grep)$/

/** All tools, the best first; the order of equals is that of the list. */
export function rankTools(clause: string, tools: readonly ToolDefinition[], known: Known): readonly Candidate[] {
  const reading = startReading(clause, findEntities(clause), known)
  const said = contentWords(clause, reading.entities)
  const prefixes = commonPrefixes(tools)
  const profiles = tools.map((tool) => profileOf(tool, prefixes))
  const rarity = new Map(
    said.map((word) => {
      const spread = profiles.filter((profile) => strength(stem(word), profile) > 0).length
      return [word, Math.log(1 + tools.length / Math.max(1, spread))]
    }),
  )
  return tools
    .map((tool, index) => rank(tool, profiles[index] as Profile, { reading, said, rarity }))
    .sort((left, right) => right.score - left.score)
}

const sum = (entities: readonly Entity[], weigh: (entity: Entity) => number): number =>
  entities.reduce((total, entity) => total + weigh(entity), 0)

interface Question {
  readonly reading: Reading
  readonly said: readonly string[]
  readonly rarity: ReadonlyMap<string, number>
}

function rank(tool: ToolDefinition, profile: Profile, { reading, said, rarity }: Question): Candidate {
  const filled = fillSlots(tool, reading)
  const values = new Set(Object.values(filled.input).flatMap((value) => wordsOf(String(value))))
  let best = { word: '', strength: 0 }
  let total = 0
  let explained = 0
  said.forEach((word, position) => {
    if (position > 0 && shellWord.test(word)) return
    const strong = strength(stem(word), profile) * (rarity.get(word) ?? 0) * (position === 0 ? 1.5 : 1)
    if (strong > best.strength) best = { word, strength: strong }
    total += strong
    if (strong > 0 || values.has(word)) explained++
  })
  const isOffTopic = profile.nouns.size > 0 && !said.some((word) => hit(stem(word), profile.nouns) > 0)
  const isForGlobs = slotsOf(tool).some((slot) => slot.role === 'glob' && slot.isRequired)
  const score =
    total +
    sum(filled.used, ({ type }) => (type === 'glob' && isForGlobs ? 6 : 1.5)) -
    sum(filled.unused, ({ type }) => (type === 'glob' || type === 'url' ? 6 : 2.5)) -
    filled.missing.length * 1.5 -
    (isOffTopic ? 1 : 0)
  const coverage = said.length === 0 ? 1 : (explained + filled.used.length) / (said.length + filled.used.length)
  return { tool, filled, score, word: best.word, coverage, isOffTopic }
}
