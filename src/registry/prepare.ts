// The first half of the call path: find the tool, parse, coerce and validate its arguments. Nothing runs here.
import type { Effect } from '../message/decision.ts'
import type { Coercion } from '../schema/coerce.ts'
import { settle } from '../schema/coerce.ts'
import { issueText } from '../schema/standard.ts'
import { parseJson } from '../stream/json.ts'
import type { Json, Outcome } from '../message/part.ts'
import { failure } from '../tool/outcome.ts'
import { nearestNames } from './nearest.ts'
import type { Entry } from './table.ts'

/** A call that may be executed, or that already failed (`failed` says how). */
export interface PreparedCall {
  readonly callId: string
  /** As the model spelled it. */
  readonly name: string
  readonly entry: Entry | undefined
  /** The coerced arguments as the model sees them: events, approval, policy, journal and snapshots hold this. */
  readonly input: Json
  /** The validated output of the schema: only `execute` gets it. */
  readonly value: unknown
  readonly effect: Effect
  readonly coercions: readonly Coercion[]
  readonly dropped: readonly string[]
  readonly malformed: boolean
  /** From 1; more after a recovery. */
  readonly attempt: number
  readonly failed: Outcome | undefined
}

const none: readonly never[] = []

export interface CallText {
  readonly callId: string
  readonly name: string
  /** The arguments as JSON text; empty counts as `{}`. */
  readonly text: string
  /** The response was cut by the output limit. */
  readonly cut?: boolean | undefined
}

/** Prepares a call from the text a model streamed. */
export function prepareText(tools: ReadonlyMap<string, Entry>, call: CallText): PreparedCall {
  const parsed = call.text.trim() === '' ? { ok: true as const, value: {} } : parseJson(call.text)
  if (parsed.ok && isObject(parsed.value)) return prepare(tools, call.callId, call.name, parsed.value)
  const entry = tools.get(call.name)
  const why = call.cut === true ? 'the answer was cut by the output limit, so the tool was not run; send it again, shorter' : 'the arguments are not a JSON object'
  const failed = entry === undefined ? notFound(tools, call.name) : failure('invalid-input', `Invalid input for tool "${call.name}": ${why}. Got: ${excerpt(call.text)}`)
  return { ...base(call.callId, call.name, entry, call.text), malformed: true, failed }
}

/** Prepares a call from arguments that are JSON already: a resumed call, an edited one, or one made by code. */
export function prepare(tools: ReadonlyMap<string, Entry>, callId: string, name: string, input: Json): PreparedCall {
  const entry = tools.get(name)
  if (entry === undefined) return { ...base(callId, name, undefined, input), failed: notFound(tools, name) }
  return prepareEntry(entry, callId, name, input)
}

export function prepareEntry(entry: Entry, callId: string, name: string, input: Json): PreparedCall {
  const start = base(callId, name, entry, input)
  if (entry.input === undefined) {
    // No parameters: nothing the model sends reaches the tool.
    return { ...start, value: {}, effect: effectOf(entry, input) }
  }
  if (entry.wrapped && !(isObject(input) && Object.hasOwn(input, 'input'))) {
    return { ...start, failed: failure('invalid-input', `Invalid input for tool "${name}": wanted an object with the key "input"`) }
  }
  const bare = entry.wrapped ? (input as { input: Json }).input : input
  const settled = settle(entry.input, bare, entry.tool.coerce)
  if (!settled.ok) {
    const text = `Invalid input for tool "${name}": ${issueText(settled.issues, bare)}`
    return { ...start, coercions: settled.coercions, failed: failure('invalid-input', text) }
  }
  const json = entry.wrapped ? { input: settled.json } : settled.json
  return {
    callId,
    name,
    entry,
    input: json,
    value: settled.value,
    effect: effectOf(entry, json),
    coercions: settled.coercions,
    dropped: settled.dropped,
    malformed: false,
    attempt: 1,
    failed: undefined,
  }
}

const base = (callId: string, name: string, entry: Entry | undefined, input: Json): PreparedCall => ({
  callId,
  name,
  entry,
  input,
  value: undefined,
  effect: 'unsafe',
  coercions: none,
  dropped: none,
  malformed: false,
  attempt: 1,
  failed: undefined,
})

function effectOf(entry: Entry, input: Json): Effect {
  const { effect = 'unsafe' } = entry.tool
  if (typeof effect !== 'function') return effect
  try {
    return effect(input)
  } catch {
    // What cannot be told is treated as the worst.
    return 'unsafe'
  }
}

function notFound(tools: ReadonlyMap<string, Entry>, name: string): Outcome {
  const near = nearestNames(name, tools.keys())
  const all = [...tools.keys()]
  const listed = all.slice(0, 30).join(', ') + (all.length > 30 ? `, and ${all.length - 30} more` : '')
  const hint = near.length === 0 ? '' : `Did you mean ${near.map((one) => `"${one}"`).join(' or ')}? `
  return failure('not-found', `There is no tool "${name.slice(0, 100)}". ${hint}Available tools: ${listed || 'none'}`)
}

const isObject = (value: unknown): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
