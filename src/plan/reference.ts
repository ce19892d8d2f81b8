// References in templates: finding them, and putting values in their places.
import { excerpt, jsonText, plainJson } from '../json/text.ts'
import { isObject, typeName } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import type { Reference, StepOptions, StepValues, Template } from './step.ts'

/** What references are looked up in. */
export interface ReferenceScope {
  readonly values: StepValues
  /** Of a step with `forEach`. */
  readonly item?: unknown
}

/** Characters of JSON that the references of one template may bring: values put into values, over and over, end here. */
const room = 10_000_000

/** A template with values in it, or the reference that has none and what is wrong with it. */
export type Resolved =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reference: Reference; readonly message: string }

export function isReference(template: unknown): template is Reference {
  return isObject(template) && (Object.hasOwn(template, '$item') || Object.hasOwn(template, '$from'))
}

/** What stands in `{ $value: … }`, boxed, as it may be anything. */
export function literalIn(template: unknown): { readonly value: Json } | undefined {
  return isObject(template) && Object.hasOwn(template, '$value') ? { value: template['$value'] as Json } : undefined
}

/** All references, in the order they are written. */
export function referencesIn(template: Template | undefined): readonly Reference[] {
  const found: Reference[] = []
  collect(template, found)
  return found
}

/** The steps that they are to. A function is taken to know that there may be no value. */
export function stepsIn(template: StepOptions['input' | 'forEach']): readonly string[] {
  if (typeof template === 'function') return []
  return referencesIn(template).flatMap((reference) => ('$from' in reference ? [reference.$from] : []))
}

function collect(template: unknown, found: Reference[]): void {
  if (typeof template !== 'object' || template === null) return
  if (isReference(template)) found.push(template)
  else if (!literalIn(template)) for (const part of Object.values(template)) collect(part, found)
}

/** The keys of a reference's path; none where it stands for the whole value. */
export function keysOf({ path }: Reference): readonly string[] {
  return path ? path.split('.') : []
}

/**
 * A checked template as plain JSON that shares nothing with the template or the values. Only own properties are found,
 * and in lists only places; the first reference that leads nowhere, or to what is no JSON, ends it. Never throws.
 */
export function resolveTemplate(template: Template, scope: ReferenceScope): Resolved {
  const resolving: Resolving = { scope, room, failed: undefined }
  const value = put(resolving, template)
  return resolving.failed ?? { ok: true, value }
}

interface Resolving {
  readonly scope: ReferenceScope
  room: number
  failed: Extract<Resolved, { readonly ok: false }> | undefined
}

function put(resolving: Resolving, template: Template): Json {
  if (resolving.failed || typeof template !== 'object' || template === null) return resolving.failed ? null : template
  if (isReference(template)) {
    const taken = take(template, resolving.scope)
    if (taken.ok && taken.text.length <= resolving.room) {
      resolving.room -= taken.text.length
      return JSON.parse(taken.text) as Json
    }
    const message = `Cannot take all values of the input: expected at most ${room} characters of JSON`
    resolving.failed = taken.ok ? { ok: false, reference: template, message } : taken
    return null
  }
  const literal = literalIn(template)
  // By way of JSON text, as for any other value.
  if (literal) return plainJson(literal.value) ?? null
  if (Array.isArray(template)) return template.map((part: Template) => put(resolving, part))
  return Object.fromEntries(Object.entries(template).map(([key, part]) => [key, put(resolving, part as Template)]))
}

/** The value, or the part of one, that a single reference stands for: a copy. */
export function resolveReference(reference: Reference, scope: ReferenceScope): Resolved {
  const taken = take(reference, scope)
  return taken.ok ? { ok: true, value: JSON.parse(taken.text) as Json } : taken
}

type Taken = { readonly ok: true; readonly text: string } | Extract<Resolved, { readonly ok: false }>

/** As JSON text. */
function take(reference: Reference, { values, item }: ReferenceScope): Taken {
  const isStep = '$from' in reference
  const source = isStep ? `step ${excerpt(reference.$from)}` : 'the item'
  const fail = (why: string): Extract<Resolved, { readonly ok: false }> => {
    const part = reference.path ? `${excerpt(reference.path)} of ` : ''
    return { ok: false, reference, message: `Cannot take ${part}${source}: ${why}` }
  }
  let value = isStep ? ownPart(values, reference.$from) : item
  if (value === undefined) return fail(isStep ? 'the step has no value' : 'there is no item')
  const keys = keysOf(reference)
  for (const [index, key] of keys.entries()) {
    const next = ownPart(value, key)
    if (next === undefined) {
      const place = index ? `at ${excerpt(keys.slice(0, index).join('.'))}` : 'in it'
      return fail(`expected ${excerpt(key)} ${place}, got ${madeOf(value)}`)
    }
    value = next
  }
  const text = jsonText(value)
  return text === undefined ? fail(`expected JSON, got a value of type ${typeName(value)}`) : { ok: true, text }
}

/** An own property or a place in a list: `length` is none, and neither is anything inherited. */
function ownPart(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Array.isArray(value) && !/^\d+$/.test(key) ? undefined : (value as JsonObject)[key]
}

/** Enough of a value to see why it has not what was wanted, without what it holds. */
function madeOf(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (!isObject(value)) return value === null ? 'null' : `a value of type ${typeof value}`
  const keys = Object.keys(value)
  const shown = keys.slice(0, 8).map(excerpt).join(', ')
  return keys.length ? `an object with ${shown}${keys.length > 8 ? ' and more' : ''}` : 'an object without keys'
}
