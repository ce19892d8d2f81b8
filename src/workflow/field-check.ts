// What each field of a definition may hold, taken by itself; what it refers to is looked at later.
import { isSameloopError } from '../error/error.ts'
import { excerpt } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { boundary } from './boundary.ts'
import { innerFields, retryFields } from './fields.ts'
import type { Fields } from './fields.ts'
import { compileAt, keywords } from './look-up.ts'
import { fieldName, hint, refusal } from './refusal.ts'
import type { Site } from './refusal.ts'
import { compileTemplate } from './template.ts'

type FieldCheck = (site: Site, value: Json) => void

/** The longest a timer can run. */
const longestMs = 2 ** 31 - 1

/** Throws unless `value` is an object with the fields that must be there, no unknown one, and each as it may be. */
export function checkFields(site: Site, value: Json, fields: Fields): void {
  if (!isObject(value)) throw wrong(site, 'an object', value)
  const at = (field: string): Site => ({ ...site, field: inside(site, field) })
  for (const field of Object.keys(value)) {
    if (Object.hasOwn(fields, field)) continue
    const known = Object.keys(fields)
    throw refusal(site, `${fieldName(at(field))} is no field: known are ${known.join(', ')}${hint(field, known)}`)
  }
  for (const [field, rule] of Object.entries(fields)) {
    const found = own(value, field) as Json | undefined
    if (found !== undefined) checks[field]?.(at(field), found)
    else if (rule === 'must') throw refusal(site, `${fieldName(at(field))} is missing`)
  }
}

const inside = ({ field }: Site, name: string): string => (field === undefined ? name : `${field}.${name}`)

function wrong(site: Site, wanted: string, got: Json): Error {
  const named = site.field === undefined ? 'it' : fieldName(site)
  return refusal(site, `${named} must be ${wanted}, got ${excerpt(got)}`)
}

/** Throws for what is no type of these. */
export function checkType<Type extends string>(site: Site, value: Json, types: Readonly<Record<Type, unknown>>): Type {
  if (!isObject(value)) throw wrong(site, 'an object', value)
  const type = own(value, 'type') as Json | undefined
  if (typeof type === 'string' && Object.hasOwn(types, type)) return type as Type
  const known = Object.keys(types)
  const meant = typeof type === 'string' ? hint(type, known) : ''
  throw refusal(site, `"${inside(site, 'type')}" must be one of ${known.join(', ')}, got ${excerpt(type)}${meant}`)
}

const text: FieldCheck = (site, value) => {
  if (typeof value !== 'string' || value === '') throw wrong(site, 'a text that is not empty', value)
}

const name: FieldCheck = (site, value) => {
  text(site, value)
  if ((value as string).length > 200) throw wrong(site, 'at most 200 characters long', value)
}

const string: FieldCheck = (site, value) => {
  if (typeof value !== 'string') throw wrong(site, 'a text', value)
}

const number =
  (least: number, most: number): FieldCheck =>
  (site, value) => {
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
      throw wrong(site, `a whole number from ${least} to ${most}`, value)
  }

/** Names in expressions that are no nodes, and a name that must not become a field. */
const reserved: readonly string[] = ['input', 'state', 'item', 'index', 'output', ...keywords, '__proto__']

const id: FieldCheck = (site, value) => {
  if (typeof value !== 'string' || !/^[\w-]{1,64}$/.test(value)) throw wrong(site, '1 to 64 of a-z A-Z 0-9 _ -', value)
  if (reserved.includes(value)) throw refusal(site, `${fieldName(site)} must not be a reserved name, got "${value}"`)
}

const template: FieldCheck = (site, value) => void compileTemplate(value, site)

const expression: FieldCheck = (site, value) => {
  text(site, value)
  compileAt(site, value as string)
}

const schema: FieldCheck = (site, value) => {
  if (!isObject(value)) throw wrong(site, 'a JSON Schema', value)
  try {
    boundary(value as JsonSchema)
  } catch (cause) {
    throw refusal(site, `${fieldName(site)}: ${isSameloopError(cause) ? cause.message : 'it cannot be used'}`, {
      cause,
    })
  }
}

const object: FieldCheck = (site, value) => {
  if (!isObject(value)) throw wrong(site, 'an object', value)
}

/** An object of any names, each with such a value. */
const each =
  (check: FieldCheck, isOpen = false): FieldCheck =>
  (site, value) => {
    object(site, value)
    const entries = Object.entries(value as Record<string, Json>)
    if (entries.length === 0 && !isOpen) throw refusal(site, `${fieldName(site)} must not be empty`)
    for (const [key, item] of entries) check({ ...site, field: inside(site, key) }, item)
  }

const innerNode: FieldCheck = (site, value) =>
  checkFields(site, value, innerFields[checkType(site, value, innerFields)])

const version: FieldCheck = (site, value) => {
  if (value !== 1) throw wrong(site, '1', value)
}

const nodes: FieldCheck = (site, value) => {
  if (!Array.isArray(value)) throw wrong(site, 'a list', value)
}

/** By name: a field of this name is the same thing wherever it is. `type` is looked at first, and elsewhere. */
const checks: Readonly<Record<string, FieldCheck>> = {
  version,
  name,
  description: string,
  state: object,
  nodes,
  maxVisits: number(1, 1_000_000),
  timeoutMs: number(1, longestMs),
  id,
  inputSchema: schema,
  outputSchema: schema,
  set: each(template, true),
  next: text,
  onError: text,
  output: template,
  tool: text,
  input: template,
  retry: (site, value) => checkFields(site, value, retryFields),
  retries: number(0, 100),
  delayMs: number(0, longestMs),
  agent: text,
  prompt: template,
  model: text,
  instructions: string,
  condition: expression,
  then: text,
  else: text,
  value: expression,
  cases: each(text),
  default: text,
  branches: each(innerNode),
  concurrency: number(1, 1_000),
  items: template,
  each: innerNode,
  maxItems: number(1, 1_000_000),
  workflow: object,
  ms: number(0, longestMs),
  event: text,
  message: template,
  denied: text,
}
