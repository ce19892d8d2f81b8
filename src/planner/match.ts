// Chooses the tool a clause asks for: by the words it shares with names, examples and descriptions, and by what fits its parameters.
import type { ToolDefinition } from '../message/model-event.ts'
import { quotedSpans, findEntities } from './entity.ts'
import type { Known } from './request.ts'
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
}

interface Profile {
  readonly name: ReadonlySet<string>
  readonly examples: ReadonlySet<string>
  readonly description: ReadonlySet<string>
}

const weights = { name: 3, examples: 2, description: 1 } as const
/** A synonym counts less than the word itself. */
const synonym = 0.7

const stems = (text: string): ReadonlySet<string> => new Set(wordsOf(text).map(stem))

function profileOf(tool: ToolDefinition): Profile {
  return {
    name: stems(tool.name),
    examples: stems((tool.examples ?? []).join(' ')),
    description: stems(tool.description.slice(0, 300)),
  }
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
  )
}

/** The words of a clause that say what to do: without what is quoted, paths, and words that carry nothing. */
function contentWords(clause: string): readonly string[] {
  const spans = [...quotedSpans(clause), ...findEntities(clause)]
  const open = spans.reduce((text, { start, end }) => text.slice(0, start) + ' '.repeat(end - start) + text.slice(end), clause)
  const { stops } = vocabulary()
  return wordsOf(open).filter((word) => !stops.has(word) && !/^\d+$/.test(word))
}

/** All tools, the best first; the order of equals is that of the list. */
export function rankTools(clause: string, tools: readonly ToolDefinition[], known: Known): readonly Candidate[] {
  const said = contentWords(clause)
  const profiles = tools.map(profileOf)
  const rarity = new Map(
    said.map((word) => {
      const spread = profiles.filter((profile) => strength(stem(word), profile) > 0).length
      return [word, Math.log(1 + tools.length / Math.max(1, spread))]
    }),
  )
  return tools
    .map((tool, index) => rank(tool, profiles[index] as Profile, { clause, said, rarity, known }))
    .sort((left, right) => right.score - left.score)
}

interface Question {
  readonly clause: string
  readonly said: readonly string[]
  readonly rarity: ReadonlyMap<string, number>
  readonly known: Known
}

function rank(tool: ToolDefinition, profile: Profile, { clause, said, rarity, known }: Question): Candidate {
  const filled = fillSlots(tool, clause, known)
  const values = new Set(Object.values(filled.input).flatMap((value) => wordsOf(String(value))))
  let best = { word: '', strength: 0 }
  let total = 0
  let explained = 0
  said.forEach((word, position) => {
    const strong = strength(stem(word), profile) * (rarity.get(word) ?? 0) * (position === 0 ? 1.5 : 1)
    if (strong > best.strength) best = { word, strength: strong }
    total += strong
    if (strong > 0 || values.has(word)) explained++
  })
  const score = total + filled.used * 1.5 - filled.unused * 1.5 - filled.missing.length * 1.5
  const coverage = said.length === 0 ? 1 : explained / said.length
  return { tool, filled, score, word: best.word, coverage }
}
