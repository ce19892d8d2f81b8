// Chooses the tool a clause asks for, by the words it shares with the tool and by what fits its parameters.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Clear } from './request.ts'
import { slotsOf } from './role.ts'
import { fillSlots } from './slots.ts'
import type { Filled } from './slots.ts'
import { isSynonym, stem, stops, verbs, wordSet, wordsOf } from '../utterance/vocabulary.ts'

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

/** How much each stem speaks for a tool. */
type Weights = ReadonlyMap<string, number>

/** A synonym counts less than the word itself. */
const synonym = 0.7

function weightsOf(tool: ToolDefinition): Weights {
  const weights = new Map<string, number>()
  const weigh = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) if (!stops.has(word)) weights.set(stem(word), weight)
  }
  weigh(tool.description.slice(0, 300), 1)
  for (const slot of slotsOf(tool)) weigh(slot.name, 1)
  for (const example of tool.examples ?? []) weigh(example, 2)
  weigh(tool.name, 3)
  return weights
}

/** First words that several names share, as `fs` in `fs_read`: they say nothing. */
function commonPrefixes(tools: readonly ToolDefinition[]): readonly string[] {
  const firsts = tools.map((tool) => wordsOf(tool.name)[0] ?? '')
  return firsts.filter((first, index) => firsts.indexOf(first) !== index)
}

function strength(root: string, weights: Weights): number {
  let most = weights.get(root) ?? 0
  for (const [other, weight] of weights) if (isSynonym(root, other)) most = Math.max(most, weight * synonym)
  return most
}

/** The words of a clause that say what to do: without what is quoted, paths, and words that carry nothing. */
function contentWords({ text, entities }: Clear): readonly string[] {
  let open = ''
  let end = 0
  for (const entity of entities) {
    open += `${text.slice(end, entity.start)} `
    end = entity.end
  }
  return wordsOf(open + text.slice(end)).filter((word) => !stops.has(word) && !/^\d+$/.test(word))
}

/** Commands of a shell: at the start, anything else further on. */
const shellWords = wordSet('cat ls rm dir grep')

/** All tools, the best first; the order of equals is that of the list. */
export function rankTools(clause: Clear, tools: readonly ToolDefinition[]): readonly Candidate[] {
  const words = contentWords(clause).filter((word, index) => index === 0 || !shellWords.has(word))
  const weights = tools.map(weightsOf)
  const said = words.map((word) => {
    const strengths = weights.map((one) => strength(stem(word), one))
    const spread = strengths.filter((one) => one > 0).length
    // The fewer tools know a word, the more it says.
    const rarity = Math.log(1 + tools.length / Math.max(1, spread))
    return { word, strengths: strengths.map((one) => one * rarity) }
  })
  const prefixes = commonPrefixes(tools)
  return tools
    .map((tool, index) =>
      rank(tool, fillSlots(tool, clause), {
        said: said.map(({ word, strengths }, at) => ({ word, strong: (strengths[index] ?? 0) * (at === 0 ? 1.5 : 1) })),
        prefixes,
      }),
    )
    .sort((left, right) => right.score - left.score)
}

interface Question {
  readonly said: readonly { readonly word: string; readonly strong: number }[]
  readonly prefixes: readonly string[]
}

function rank(tool: ToolDefinition, filled: Filled, { said, prefixes }: Question): Candidate {
  const { used, unused, missing } = filled
  const values = new Set(Object.values(filled.input).flatMap((value) => wordsOf(String(value))))
  const best = said.reduce((most, one) => (one.strong > most.strong ? one : most), { word: '', strong: 0 })
  const explained = said.filter(({ word, strong }) => strong > 0 || values.has(word)).length
  const name = wordsOf(tool.name)
  const nouns = name.some((word) => verbs.has(word))
    ? name.filter((word) => !verbs.has(word) && !prefixes.includes(word)).map(stem)
    : []
  const isSaid = (noun: string): boolean => said.some(({ word }) => stem(word) === noun || isSynonym(stem(word), noun))
  const isOffTopic = nouns.length > 0 && !nouns.some(isSaid)
  const isForGlobs = slotsOf(tool).some(({ role, isRequired }) => role === 'glob' && isRequired)
  const score = [
    ...said.map(({ strong }) => strong),
    ...used.map(({ type }) => (type === 'glob' && isForGlobs ? 6 : 1.5)),
    ...unused.map(({ type }) => (type === 'glob' || type === 'url' ? -6 : -2.5)),
    ...missing.map(() => -1.5),
    isOffTopic ? -1 : 0,
  ].reduce((total, one) => total + one)
  const all = said.length + used.length
  return {
    tool,
    filled,
    score,
    word: best.word,
    coverage: said.length === 0 ? 1 : (explained + used.length) / all,
    isOffTopic,
  }
}
