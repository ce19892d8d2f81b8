// The first half of the call path: find the tool, parse, coerce and validate its arguments. Nothing runs here.
import { guarded } from '../error/guard.ts'
import type { Effect } from '../message/decision.ts'
import { failure } from '../message/outcome.ts'
import type { Failure } from '../message/outcome.ts'
import type { Json } from '../message/part.ts'
import { settle } from '../schema/coerce.ts'
import type { Coercion } from '../schema/coerce.ts'
import { cut, excerpt, isObject, own } from '../schema/json.ts'
import { issueText } from '../schema/standard.ts'
import { parseJson } from '../stream/json.ts'
import { nearestNames } from './nearest.ts'
import type { Entry } from './table.ts'

type Tools = ReadonlyMap<string, Entry>

/** Which call of which tool, as the model spelled it. */
export interface CallName {
  readonly callId: string
  readonly name: string
}

/** A call that may be executed, or that already failed (`failed` says how). */
export interface PreparedCall extends CallName {
  readonly entry: Entry | undefined
  /** The coerced arguments as the model sees them: events, approval, policy, journal and snapshots hold this. */
  readonly input: Json
  /** The validated output of the schema: only `execute` gets it. */
  readonly value: unknown
  readonly effect: Effect
  readonly coercions?: readonly Coercion[] | undefined
  readonly dropped?: readonly string[] | undefined
  readonly malformed?: boolean | undefined
  /** From 1; more after a recovery. */
  readonly attempt: number
  readonly failed?: Failure | undefined
}

/** A call that may be executed. */
export type ReadyCall = PreparedCall & { readonly entry: Entry }

/** Prepares a call from the text a model streamed; empty text counts as `{}`. `isCut`: the output limit ended it. */
export function prepareText(
  call: CallName,
  text: string,
  from: { readonly tools: Tools; readonly isCut: boolean },
): PreparedCall {
  const parsed = parseJson(text.trim() || '{}')
  if (parsed.ok && isObject(parsed.value)) return prepare(call, parsed.value as Json, from.tools)
  const why = from.isCut ? ', cut by the output limit: send it again, shorter' : ''
  const failed = invalidInput(call, `wanted a JSON object, got ${cut(text, 200)}${why}`)
  // That there is no such tool matters more.
  return { failed, ...blankCall(call, text, from.tools), malformed: true }
}

/** Prepares a call from arguments that are JSON already: a resumed call, an edited one, or one made by code. */
export function prepare(call: CallName, input: Json, tools: Tools): PreparedCall {
  const blank = blankCall(call, input, tools)
  const { entry } = blank
  if (!entry) return blank
  // No parameters: nothing the model sends reaches the tool.
  if (!entry.input) return { ...blank, effect: effectOf(entry, input) }
  const { wrapped } = entry
  const bare = wrapped ? own(input, 'input') : input
  if (bare === undefined) return { ...blank, failed: invalidInput(call, 'wanted { input }') }
  const settled = settle(entry.input, bare, entry.tool.coerce)
  const { coercions } = settled
  if (!settled.ok) return { ...blank, coercions, failed: invalidInput(call, issueText(settled.issues, bare)) }
  const json = wrapped ? { input: settled.json } : settled.json
  return {
    ...blank,
    input: json,
    value: settled.value,
    effect: effectOf(entry, json),
    coercions,
    dropped: settled.dropped,
  }
}

function blankCall({ callId, name }: CallName, input: Json, tools: Tools): PreparedCall {
  const entry = tools.get(name)
  const blank: PreparedCall = { callId, name, entry, input, value: {}, effect: 'unsafe', attempt: 1 }
  if (entry) return blank
  const near = nearestNames(name, tools.keys()).map(excerpt).join(', ')
  return {
    ...blank,
    failed: failure('not-found', `There is no tool ${excerpt(name)}. Nearest names: ${near || 'none'}`),
  }
}

const invalidInput = ({ name }: CallName, why: string): Failure =>
  failure('invalid-input', `Invalid input for tool "${name}": ${why}`)

/** What cannot be told is treated as the worst. */
const effectOf = ({ tool: { effect = 'unsafe' } }: Entry, input: Json): Effect =>
  guarded(() => (typeof effect === 'function' ? effect(input) : effect), 'unsafe')
