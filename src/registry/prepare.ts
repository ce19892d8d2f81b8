// The first half of the call path: find the tool, parse, coerce and validate its arguments. Nothing runs here.
import { guarded } from '../error/guard.ts'
import type { Effect } from '../message/decision.ts'
import { failure } from '../message/outcome.ts'
import type { Failure } from '../message/outcome.ts'
import type { Outcome } from '../message/part.ts'
import type { Json } from '../json/value.ts'
import { settle } from '../schema/coerce.ts'
import type { Coercion } from '../schema/coerce.ts'
import { copyJson, isObject, own } from '../json/value.ts'
import { cut, excerpt } from '../json/text.ts'
import { issueText } from '../schema/standard.ts'
import { parseJson } from '../json/text.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { nearestNames } from './nearest-names.ts'
import type { Entry } from './table.ts'

type Tools = ReadonlyMap<string, Entry>

/** How a call is to be made, where that is not as its tool says. */
export interface CallTerms {
  /** For each try. */
  readonly timeoutMs?: number | undefined
  /** Asked when a try failed, of which this is the number: the outcome to end with, or `undefined` for one more try. */
  readonly again?: ((outcome: Failure, attempt: number) => Promise<Outcome | undefined>) | undefined
  /** A person approved what the call is a part of, which answers a tool that wants to be asked about every call. */
  readonly isApproved?: boolean | undefined
}

/** Which call of which tool, as the model spelled it. */
export interface CallName {
  readonly callId: string
  readonly name: string
  /** How many tools called this one: such calls run in the slot of the outermost. */
  readonly depth?: number | undefined
  /** The files of the call that made this one, where they are kept apart. */
  readonly fs?: Vfs | undefined
  readonly terms?: CallTerms | undefined
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
  /** The snapshot of a sub-run that this call began and that goes on. */
  readonly continues?: Json | undefined
  /** It ended before the run was cut off, with this. */
  readonly answered?: Outcome | undefined
  /** It began before the run was cut off, and has no result: the effect that it may have had. */
  readonly interrupted?: Effect | undefined
  /** The sub-agent whose call it is. */
  readonly agent?: string | undefined
  /** From a snapshot that nobody vouches for: asked about, whatever else allows it. */
  readonly imported?: boolean | undefined
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
  const draft = draftOf(call, text, from.tools)
  draft.malformed = true
  // That there is no such tool matters more.
  draft.failed ??= invalidInput(call, `wanted a JSON object, got ${cut(text, 200)}${why}`)
  return draft
}

/** Prepares a call from arguments that are JSON already: a resumed call, an edited one, or one made by code. */
export function prepare(call: CallName, input: Json, tools: Tools): PreparedCall {
  const draft = draftOf(call, input, tools)
  const { entry } = draft
  if (!entry) return draft
  // No parameters: nothing the model sends reaches the tool.
  if (entry.input) {
    const bare = entry.wrapped ? own(input, 'input') : input
    const settled = settle(entry.input, bare, entry.tool.coerce)
    draft.coercions = settled.coercions
    if (!settled.ok || bare === undefined) {
      draft.failed = invalidInput(call, settled.ok ? 'wanted { input }' : issueText(settled.issues, bare))
      return draft
    }
    draft.input = entry.wrapped ? { input: settled.json } : settled.json
    // A tool may change what it is given; the transcript may not.
    draft.value = settled.value === settled.json ? copyJson(settled.json) : settled.value
    draft.dropped = settled.dropped
  }
  const { effect = 'unsafe' } = entry.tool
  // What cannot be told is treated as the worst.
  draft.effect = guarded(() => (typeof effect === 'function' ? effect(draft.input) : effect), 'unsafe')
  return draft
}

type Draft = { -readonly [key in keyof PreparedCall]: PreparedCall[key] }

/** A call of one shape, whatever becomes of it. */
function draftOf({ callId, name, depth, fs, terms }: CallName, input: Json, tools: Tools): Draft {
  const entry = tools.get(name)
  const near = entry ? '' : nearestNames(name, tools.keys()).map(excerpt).join(', ')
  return {
    callId,
    name,
    depth,
    fs,
    terms,
    entry,
    input,
    value: {},
    effect: 'unsafe',
    coercions: undefined,
    dropped: undefined,
    malformed: undefined,
    attempt: 1,
    failed: entry
      ? undefined
      : failure('not-found', `There is no tool ${excerpt(name)}. Available, nearest first: ${near || 'none'}`),
  }
}

const invalidInput = (call: CallName, why: string): Failure =>
  failure('invalid-input', `Invalid input for tool "${call.name}": ${why}`)
