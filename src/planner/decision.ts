// Decides what one clause asks for: a call, a value worked out here, more clauses, a question back, or nothing we know.
import type { ToolDefinition } from '../message/model-event.ts'
import { cut } from '../json/text.ts'
import { compute, countedThing } from './compute.ts'
import { findEntities } from '../utterance/entity.ts'
import { readExplicit } from './explicit.ts'
import type { ExplicitCall } from './explicit.ts'
import { rankTools } from '../slot/match.ts'
import type { Candidate } from '../slot/match.ts'
import { openText } from '../utterance/open-text.ts'
import type { Known } from '../slot/request.ts'
import { slotsOf } from '../slot/role.ts'
import type { Slot } from '../slot/role.ts'
import { expand } from './skill.ts'
import { wordSet, wordsOf } from '../utterance/vocabulary.ts'

export interface PlannedCall extends ExplicitCall {
  /** One line: which tool, matched on what, with which arguments. */
  readonly why: string
  readonly isRead: boolean
  readonly refersBack: boolean
}

export type Decision =
  | { readonly type: 'call'; readonly call: PlannedCall }
  | { readonly type: 'value'; readonly text: string }
  | { readonly type: 'expand'; readonly clauses: readonly string[] }
  /** `slot`: the parameter the answer is for; `choices`: the tools it may name. */
  | { readonly type: 'ask'; readonly text: string; readonly slot?: string; readonly choices?: readonly string[] }
  | { readonly type: 'help' }
  | { readonly type: 'none'; readonly text: string }

const cutText = 'The earlier result was cut, so I do not pass it on as if it were whole'

/** The longest clause that is read by rules, quotes apart: their work may grow with its square. */
const mostCharacters = 1_000
/** Below this score nothing is called. */
const leastScore = 1.6
/** A runner-up within this share of the best makes it a question. */
const margin = 0.88

const greeting =
  /^(?:$|(?:help|hello|hi|hey|\/help|what can (?:you|i) do|who are you|what are you|what is this|how does this work|are you an? (?:ai|llm|bot|model))\b)/i

export function decide(raw: string, tools: readonly ToolDefinition[], known: Known): Decision {
  const explicit = readExplicit(raw, tools, known)
  if (typeof explicit === 'object') return planned(explicit, tools, { on: ' as you spelled it out', refersBack: true })
  if (greeting.test(raw)) return { type: 'help' }
  if (explicit !== undefined) return { type: 'none', text: explicit }
  const open = openText(raw)
  if (open.text.length > mostCharacters)
    return { type: 'none', text: `That is longer than ${mostCharacters} characters outside of quotes` }
  const clause = { ...open, entities: findEntities(open), known }
  const clauses = expand(clause, tools)
  if (clauses) return { type: 'expand', clauses }
  const worked = known.last === undefined ? undefined : compute(clause, known.last)
  if (worked) {
    if (worked.isWhole && known.isCut) return { type: 'none', text: cutText }
    return { type: 'value', text: known.isCut ? `${worked.text} (of the part that was shown)` : worked.text }
  }
  if (countedThing(clause.text) !== undefined) return { type: 'ask', text: 'In which file should I count?' }
  const decision = choose(rankTools(clause, tools), tools)
  const isLoss = decision.type === 'call' && decision.call.refersBack && known.isCut
  return isLoss ? { type: 'none', text: cutText } : decision
}

function choose(ranked: readonly Candidate[], tools: readonly ToolDefinition[]): Decision {
  const [best] = ranked
  if (!best || !isPlausible(best)) return { type: 'none', text: '' }
  const { tool, filled, score, word } = best
  const close = ranked.filter((one) => one.score > score * margin)
  if (close[1] && isPlausible(close[1]) && close[1].score > leastScore) {
    const choices = close.slice(0, 3).map((one) => one.tool.name)
    return { type: 'ask', text: `Did you mean ${choices.join(' or ')}?`, choices }
  }
  const slot = filled.missing[0]?.name
  if (slot !== undefined) return { type: 'ask', slot, text: `I need \`${slot}\` for ${tool.name}: what should it be?` }
  return planned({ name: tool.name, input: filled.input }, tools, {
    on: word === '' ? '' : ` on '${word}'`,
    refersBack: filled.refersBack,
  })
}

/** Tools that change things need their own verb and most of the clause; others may be guessed more freely. */
function isPlausible({ tool, filled, score, word, coverage, isOffTopic }: Candidate): boolean {
  if (word === '') return filled.missing.length === 0 && filled.used.length > 0 && slotsOf(tool).some(isTelling)
  if (isOffTopic && vague.has(word)) return false
  return score >= leastScore && coverage >= (isReading(tool) ? 0.4 : 0.5)
}

// A sum or a glob says without a verb what is to be done with it.
const isTelling = ({ role, isRequired }: Slot): boolean => role === 'expression' || (role === 'glob' && isRequired)

/** Verbs that alone say nothing of what is wanted. */
const vague = wordSet('get show open create make add write new tell give run do fetch find send file')

const changing = wordSet(
  'write edit delete remove create patch send post update put move rename set add run exec execute shell append ' +
    'insert save drop replace cancel pay buy order book',
)

/** Whether a tool only looks, as far as its name and the first word of its description tell. */
function isReading({ name, description }: ToolDefinition): boolean {
  const [first = ''] = wordsOf(description.slice(0, 100))
  return ![...wordsOf(name), first.replace(/s$/, '')].some((word) => changing.has(word))
}

interface Reason {
  readonly on: string
  readonly refersBack: boolean
}

function planned(call: ExplicitCall, tools: readonly ToolDefinition[], { on, refersBack }: Reason): Decision {
  const tool = tools.find((one) => one.name === call.name)
  const given = Object.entries(call.input).map(([name, value]) => `${name}=${show(value)}`)
  const why = [`matched ${call.name}${on}`, ...given].join(', ')
  return { type: 'call', call: { ...call, why, isRead: tool !== undefined && isReading(tool), refersBack } }
}

const show = (value: unknown): string =>
  cut((typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' '), 40)
