// What a tool returned becomes a checked value for code and parts for the model.
import { describeThrown } from '../error/describe.ts'
import { contentMisfit, kindMisfit } from '../message/input.ts'
import { failure } from '../message/outcome.ts'
import type { ContentPart, Outcome } from '../message/part.ts'
import type { Json } from '../json/value.ts'
import { textPart } from '../message/text.ts'
import { settle } from '../schema/coerce.ts'
import type { Coercion } from '../schema/coerce.ts'
import { jsonText, plainJson } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { Schema } from '../schema/schema.ts'
import { issueText } from '../schema/standard.ts'
import { isAnswer } from './tool.ts'
import type { Tool, ToolAnswer } from './tool.ts'

/** Keeps a whole text, and says where. */
export type Spill = (text: string) => string

interface Limit {
  readonly maxOutputChars: number
  readonly spill: Spill | undefined
}

/** A tool with its output schema, if it has one. */
export interface Returning {
  readonly tool: Tool
  readonly output: Schema | undefined
}

/**
 * The outcome of what `execute` returned. With an object `output` schema the checked value is used as it is, any other
 * schema gives `{ result }`, none gives `{ result }` unchecked; a value that does not fit is `invalid-output`. Parts and
 * details are plain JSON, copied once; details that are no JSON are left out. A longer text than the tool's limit keeps head
 * and tail, and `spill` the whole.
 */
export function toolOutcome(returned: unknown, { tool, output }: Returning, spill?: Spill): Outcome {
  const { coerce, returnDirect: final = false } = tool
  const limit = { maxOutputChars: limitOf(tool), spill }
  const given: Partial<ToolAnswer> = isAnswer(returned) ? returned : { ok: true, content: returned }
  const { ok = true, content } = given
  const details = plainJson(given.details)
  if (!ok) return { ...failure('failed', headAndTail(String(content), limit)), details }
  const success = (value: unknown, parts: readonly ContentPart[], coercions?: readonly Coercion[]): Outcome => ({
    ok,
    value,
    parts,
    final,
    coercions: coercions?.length ? coercions : undefined,
    details,
  })
  if (isParts(content)) {
    const parts = shownParts(content, limit)
    return typeof parts === 'string' ? unfit(parts) : success({ result: content }, parts)
  }
  const settled = output
    ? settle(output, content, coerce)
    : { ok: true as const, json: content, value: content ?? null }
  const shown = settled.ok && shownValue(settled.json, limit)
  if (!settled.ok) return unfit(issueText(settled.issues, content))
  if (!shown) return unfit(noJson)
  const value = output?.json['type'] === 'object' ? settled.value : { result: settled.value }
  const more = given.parts ? shownParts(given.parts, limit) : []
  if (typeof more === 'string') return unfit(more)
  return success(value, [shown, ...more], 'coercions' in settled ? settled.coercions : undefined)
}

/** The outcome of what `execute` threw, no longer than any other. */
export function thrownOutcome(thrown: unknown, { tool }: Returning): Outcome {
  const limit = { maxOutputChars: limitOf(tool), spill: undefined }
  return failure('failed', headAndTail(describeThrown(thrown), limit), thrown)
}

const limitOf = ({ maxOutputChars = 100_000 }: Tool): number => maxOutputChars

const noJson = 'it is no JSON'

const unfit = (why: string): Outcome => failure('invalid-output', `The output of the tool does not fit: ${why}`)

function isParts(value: unknown): value is readonly ContentPart[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContentPart)
}

/** Whether it is meant as a part, plain JSON or not. */
function isContentPart(value: unknown): boolean {
  const type = own(value, 'type')
  if (type === 'json') return own(value, 'value') !== undefined
  const place = own(value, 'data') ?? own(value, 'url') ?? own(value, 'document')
  return !kindMisfit(value) && (type === 'text' || place !== undefined)
}

/**
 * What a model reads of a value, or `undefined` where it is no JSON (a function, a cycle, a number without JSON form).
 * Objects are copied through JSON text: what a tool changes later must not change the transcript.
 */
function shownValue(value: unknown, limit: Limit): ContentPart | undefined {
  if (value === undefined) return textPart('')
  if (typeof value === 'string') return textPart(headAndTail(value, limit))
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  const text = jsonText(value)
  if (!text) return undefined
  return text.length > limit.maxOutputChars
    ? textPart(headAndTail(text, limit))
    : { type: 'json', value: JSON.parse(text) as Json }
}

/** The parts as plain JSON, none too long, or what is wrong with them. */
function shownParts(given: readonly ContentPart[], limit: Limit): readonly ContentPart[] | string {
  const parts = plainJson(given) as readonly ContentPart[] | undefined
  if (!parts) return noJson
  return contentMisfit(parts) ?? parts.map((part) => cutPart(part, limit))
}

function cutPart(part: ContentPart, limit: Limit): ContentPart {
  if (part.type === 'text') return { ...part, text: headAndTail(part.text, limit) }
  return part.type === 'json' && typeof part.value === 'object' ? (shownValue(part.value, limit) ?? part) : part
}

/** Keeps head and tail, never half of a surrogate pair, and says how many characters were left out and where they are. */
function headAndTail(text: string, { maxOutputChars: limit, spill }: Limit): string {
  if (text.length <= limit) return text
  const path = spill?.(text)
  const head = text.slice(0, Math.ceil(limit / 2)).replace(/[\ud800-\udbff]$/, '')
  const tail = text.slice(text.length - Math.floor(limit / 2)).replace(/^[\udc00-\udfff]/, '')
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out${path ? `; the whole is in "${path}"` : ''} …]\n${tail}`
}
