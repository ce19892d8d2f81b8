// Decides what one clause asks for: a call, a value worked out here, more clauses, a question back, or nothing we know.
import type { ToolDefinition } from '../message/model-event.ts'
import { compute, countedThing } from './compute.ts'
import { readExplicit } from './explicit.ts'
import type { ExplicitCall } from './explicit.ts'
import { rankTools } from './match.ts'
import type { Candidate } from './match.ts'
import type { Known } from './request.ts'
import { slotsOf } from './role.ts'
import type { Slot } from './role.ts'
import { expand } from './skill.ts'
import { pattern, wordsOf } from './vocabulary.ts'

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

/** Below this score nothing is called. */
const leastScore = 1.6
/** A runner-up within this share of the best makes it a question. */
const margin = 0.88

const greeting = pattern(
  '^(?:help|hello|hi|hey|/help|what can (?:you|i) do|who are you|what are you|what is this|how does this work|',
  String.raw`are you an? (?:ai|llm|bot|model))\b`,
)

export function decide(clause: string, tools: readonly ToolDefinition[], known: Known): Decision {
  const explicit = readExplicit(clause, tools, known)
  if (typeof explicit === 'object')
    return { type: 'call', call: planned(explicit, tools, 'as you spelled it out', true) }
  if (greeting.test(clause) || clause === '') return { type: 'help' }
  if (explicit !== undefined) return { type: 'none', text: explicit }
  const clauses = expand(clause, tools)
  if (clauses) return { type: 'expand', clauses }
  const worked = known.last === undefined ? undefined : compute(clause, known.last)
  if (worked) {
    if (worked.isWhole && known.isCut) return { type: 'none', text: cutText }
    return { type: 'value', text: known.isCut ? `${worked.text} (of the part that was shown)` : worked.text }
  }
  if (countedThing(clause) !== undefined) return { type: 'ask', text: 'In which file should I count?' }
  const decision = choose(rankTools(clause, tools, known), tools)
  const isLoss = decision.type === 'call' && decision.call.refersBack && known.isCut
  return isLoss ? { type: 'none', text: cutText } : decision
}

function choose(ranked: readonly Candidate[], tools: readonly ToolDefinition[]): Decision {
  const [best, second] = ranked
  if (!best || !isPlausible(best)) return { type: 'none', text: '' }
  if (second && isPlausible(second) && second.score > best.score * margin && second.score > leastScore) {
    const choices = ranked
      .filter((one) => one.score > best.score * margin)
      .slice(0, 3)
      .map((one) => one.tool.name)
    return { type: 'ask', text: `Did you mean ${choices.join(' or ')}?`, choices }
  }
  const [missing] = best.filled.missing
  if (missing) {
    return {
      type: 'ask',
      slot: missing.name,
      text: `I need \`${missing.name}\` for ${best.tool.name}: what should it be?`,
    }
  }
  const call = planned(
    { name: best.tool.name, input: best.filled.input },
    tools,
    best.word === '' ? '' : `on '${best.word}'`,
    best.filled.refersBack,
  )
  return { type: 'call', call }
}

/** Tools that change things need their own verb and most of the clause; others may be guessed more freely. */
function isPlausible({ tool, filled, score, word, coverage, isOffTopic }: Candidate): boolean {
  if (word === '') return filled.missing.length === 0 && filled.used.length > 0 && slotsOf(tool).some(isTelling)
  if (isOffTopic && vague.test(word)) return false
  return score >= leastScore && coverage >= (isReading(tool) ? 0.4 : 0.5)
}

// A sum or a glob says without a verb what is to be done with it.
const isTelling = ({ role, isRequired }: Slot): boolean => role === 'expression' || (role === 'glob' && isRequired)

/** Verbs that alone say nothing of what is wanted. */
const vague = /^(?:get|show|open|create|make|add|write|new|tell|give|run|do|fetch|find|send|file)$/

const changing =
  'write edit delete remove create patch send post update put move rename set add run exec execute shell append ' +
  'insert save drop replace cancel pay buy order book'

/** Whether a tool only looks, as far as its name and the first word of its description tell. */
export function isReading(tool: ToolDefinition): boolean {
  const words = changing.split(' ')
  const [first = ''] = wordsOf(tool.description)
  return !wordsOf(tool.name).some((word) => words.includes(word)) && !words.includes(first.replace(/s$/, ''))
}

function planned(call: ExplicitCall, tools: readonly ToolDefinition[], on: string, refersBack: boolean): PlannedCall {
  const tool = tools.find((one) => one.name === call.name)
  const given = Object.entries(call.input).map(([name, value]) => `${name}=${show(value)}`)
  const why = [`matched ${call.name}${on === '' ? '' : ` ${on}`}`, ...given].join(', ')
  return { ...call, why, isRead: tool !== undefined && isReading(tool), refersBack }
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const line = text.replace(/\s+/g, ' ')
  return line.length > 40 ? `${line.slice(0, 40).replace(/[\ud800-\udbff]$/, '')}…` : line
}
