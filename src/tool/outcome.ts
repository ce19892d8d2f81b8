// Making outcomes: what a tool returned becomes a checked value for code and parts for the model.
import { describeThrown } from '../error/describe.ts'
import type { ContentPart, FailureReason, Json, Outcome, PublicOutcome } from '../message/part.ts'
import { settle } from '../schema/coerce.ts'
import type { Coercing } from '../schema/coerce.ts'
import type { Schema } from '../schema/schema.ts'
import { issueText } from '../schema/standard.ts'
import { isAnswer } from './tool.ts'

export function failure(reason: FailureReason, text: string, cause?: unknown): Outcome {
  return { ok: false, reason, parts: [{ type: 'text', text }], cause }
}

/** What a tool threw, as an outcome: its own words for the model, the thrown value for the host program only. */
export function thrownFailure(thrown: unknown): Outcome {
  return failure('failed', describeThrown(thrown), thrown)
}

/** Without `value` and `cause`, as events and the journal hold it. */
export function publicOutcome(outcome: Outcome): PublicOutcome {
  const { parts, details } = outcome
  return outcome.ok ? { ok: true, parts, final: outcome.final, details } : { ok: false, reason: outcome.reason, parts, details }
}

export interface ResultRules {
  readonly output: Schema | undefined
  readonly coerce: Coercing | undefined
  readonly returnDirect: boolean
  readonly maxOutputChars: number
}

/**
 * The outcome of what `execute` returned. With an object `output` schema the checked value is used as it is, any other
 * schema gives `{ result }`, none gives `{ result }` unchecked; a value that does not fit is `invalid-output`.
 */
export function toolOutcome(returned: unknown, rules: ResultRules): Outcome {
  let content = returned
  let details: Json | undefined
  if (isAnswer(returned)) {
    details = returned.details
    content = returned.content
    if (!returned.ok) {
      return { ...failure('failed', typeof content === 'string' ? content : 'The tool reported a failure'), details }
    }
  }
  if (isParts(content)) return success({ result: content }, content.map((part) => cutPart(part, rules.maxOutputChars)), rules, details)
  if (rules.output === undefined) {
    const shown = valueParts(content, rules.maxOutputChars)
    if (shown === undefined) return failure('invalid-output', `The tool returned a ${typeof content} that is no JSON value`)
    return success({ result: content ?? null }, shown, rules, details)
  }
  const settled = settle(rules.output, content, rules.coerce)
  const shown = settled.ok ? valueParts(settled.json, rules.maxOutputChars) : undefined
  if (!settled.ok || shown === undefined) {
    const why = settled.ok ? 'it is no JSON value' : issueText(settled.issues, content)
    return failure('invalid-output', `The tool returned a value that does not fit its output schema: ${why}`)
  }
  const isObject = rules.output.json['type'] === 'object'
  return success(isObject ? settled.value : { result: settled.value }, shown, rules, details)
}

function success(value: unknown, parts: readonly ContentPart[], rules: ResultRules, details: Json | undefined): Outcome {
  return { ok: true, value, parts, final: rules.returnDirect, details }
}

const partTypes = new Set(['text', 'json', 'file', 'source'])

function isParts(value: unknown): value is readonly ContentPart[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContentPart)
}

function isContentPart(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  if (!partTypes.has(value.type as string)) return false
  if (value.type === 'text') return 'text' in value && typeof value.text === 'string'
  if (value.type === 'json') return 'value' in value
  if (value.type === 'file') return 'mediaType' in value && ('data' in value || 'url' in value)
  return 'url' in value || 'document' in value
}

/**
 * What a model reads of a value, or `undefined` where it is no JSON (a function, a cycle, a number without a JSON form).
 * Objects are copied through JSON text: what a tool changes later must not change the transcript.
 */
function valueParts(value: unknown, limit: number): readonly ContentPart[] | undefined {
  if (value === undefined) return [{ type: 'text', text: '' }]
  if (typeof value === 'string') return [{ type: 'text', text: headAndTail(value, limit) }]
  if (typeof value !== 'object' || value === null) {
    const plain = value === null || typeof value === 'boolean' || Number.isFinite(value)
    return plain ? [{ type: 'json', value: value as Json }] : undefined
  }
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {
    // A cycle, a bigint or a throwing `toJSON`: the caller says that it is no JSON.
  }
  if (text === undefined) return undefined
  if (text.length > limit) return [{ type: 'text', text: headAndTail(text, limit) }]
  return [{ type: 'json', value: JSON.parse(text) as Json }]
}

function cutPart(part: ContentPart, limit: number): ContentPart {
  if (part.type === 'text') return part.text.length > limit ? { ...part, text: headAndTail(part.text, limit) } : part
  if (part.type !== 'json' || typeof part.value !== 'object') return part
  const text = JSON.stringify(part.value)
  return text.length > limit ? { type: 'text', text: headAndTail(text, limit) } : part
}

/** Keeps the first and last half of `limit` characters, never half of a surrogate pair, and says how many were left out. */
export function headAndTail(text: string, limit: number): string {
  if (text.length <= limit) return text
  let head = Math.ceil(limit / 2)
  let tail = text.length - Math.floor(limit / 2)
  if (isHighSurrogate(text.charCodeAt(head - 1))) head--
  if (isHighSurrogate(text.charCodeAt(tail - 1))) tail++
  return `${text.slice(0, head)}\n[… ${tail - head} characters left out …]\n${text.slice(tail)}`
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
