// Coercion: the few safe changes that make a model's value fit its schema, each reported. Inputs and outputs alike.
import { accepts, childSchema, depthLimit, hasType, listOf, resolve, startWalk, unionsOf, wantedTypes } from './fit.ts'
import type { Walk } from './fit.ts'
import { isObject, own, toPointer, typeName } from './json.ts'
import type { Json, JsonObject } from './json.ts'
import type { Checked, Issue, JsonSchema, Schema } from './schema.ts'

/** `strict` changes nothing; `loose` also makes strings of numbers and lists of single values. Absent: the usual table. */
export type Coercing = 'strict' | 'loose'

/** A change made to a value so that it fits: `from` and `to` are JSON type names, `to` may be `omitted`. */
export interface Coercion {
  /** JSON Pointer, for example `/items/0/count`; empty for the whole value. */
  readonly path: string
  readonly from: string
  readonly to: string
}

/**
 * `json` is the value as coerced, before the schema's own transforms; `value` what the schema made of it. `dropped` are
 * JSON Pointers of keys that are gone: `__proto__` at any depth, and top-level keys that the JSON Schema does not name
 * and the validator left out of `value`.
 */
export type Settled =
  | {
      readonly ok: true
      readonly json: Json
      readonly value: unknown
      readonly coercions: readonly Coercion[]
      readonly dropped: readonly string[]
    }
  | { readonly ok: false; readonly issues: readonly Issue[]; readonly coercions: readonly Coercion[] }

/** Levels of nesting a value may have, which also ends circular ones. */
const levels = 100

/**
 * Checks a value, mends what failed by the coercion table, and checks again. The value itself is never changed.
 *
 * A numeric string becomes a number where one is wanted, `"true"`, `"false"`, 1 and 0 a boolean, a string of JSON an
 * object or array, and `null` is left out where a property is optional and does not allow it. A union is left alone when
 * a branch accepts the value as it is; else the first branch wins that accepts it after coercion.
 */
export function settle(schema: Schema, value: unknown, coerce?: Coercing): Settled {
  const coercions: Coercion[] = []
  const dropped: string[] = []
  const mending: Mending = { ...startWalk(undefined), isLoose: coerce === 'loose', path: [], coercions, dropped, isTooDeep: false }
  let json = clean(mending, value)
  let checked = check(mending, schema, json)
  if (!checked.ok && !mending.isTooDeep && coerce !== 'strict') {
    mending.root = schema.accepts ?? schema.json
    json = mend(mending, mending.root, json)
    if (coercions.length > 0) checked = check(mending, schema, json)
  }
  if (!checked.ok) return { ok: false, issues: checked.issues, coercions }
  dropped.push(...lost(schema, json, checked.value))
  return { ok: true, json: json as Json, value: checked.value, coercions, dropped }
}

const check = ({ isTooDeep }: Mending, schema: Schema, json: unknown): Checked =>
  isTooDeep ? { ok: false, issues: [{ path: [], message: `Expected at most ${levels} levels of nesting` }] } : schema.check(json)

/** Top-level keys the JSON Schema does not name and the validator left out. */
function lost(schema: Schema, json: unknown, value: unknown): string[] {
  if (json === value || !isObject(json) || !isObject(value)) return []
  const named = own(schema.accepts ?? schema.json, 'properties')
  const keys = Object.keys(json).filter((key) => !Object.hasOwn(value, key) && own(named, key) === undefined)
  return keys.map((key) => toPointer([key]))
}

interface Mending extends Walk {
  readonly isLoose: boolean
  /** Of the value being mended; changed in place on the way down and up. */
  readonly path: string[]
  readonly coercions: Coercion[]
  readonly dropped: string[]
  isTooDeep: boolean
}

function note({ path, coercions }: Mending, from: unknown, to: string): void {
  coercions.push({ path: toPointer(path), from: typeName(from), to })
}

/** The value with what `change` makes of its children, without those that become `undefined`; itself where nothing changed. */
function mapChildren(mending: Mending, value: object, change: (child: unknown, key: string) => unknown): object {
  const from = value as JsonObject
  let copy: JsonObject | undefined
  for (const key of Object.keys(from)) {
    mending.path.push(key)
    const changed = change(from[key], key)
    mending.path.pop()
    if (changed === from[key]) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...from }) as JsonObject
    if (changed === undefined) delete copy[key]
    else copy[key] = changed
  }
  return copy ?? value
}

/** Without keys named `__proto__`. What is neither a plain object nor an array is left alone. */
function clean(mending: Mending, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || mending.isTooDeep) return value
  if (!Array.isArray(value) && Object.getPrototypeOf(Object.getPrototypeOf(value) ?? Object.prototype) !== null) return value
  mending.isTooDeep = mending.path.length > levels
  return mapChildren(mending, value, (child, key) => {
    if (key !== '__proto__') return clean(mending, child)
    mending.dropped.push(toPointer(mending.path))
    return undefined
  })
}

function mend(mending: Mending, node: unknown, value: unknown): unknown {
  if (node === undefined || mending.depth > depthLimit || mending.steps-- <= 0) return value
  mending.depth++
  const schema = resolve(mending.root, node)
  let mended = mendType(mending, schema, value)
  if (typeof mended === 'object' && mended !== null) mended = mendChildren(mending, schema, mended)
  for (const branches of unionsOf(schema)) mended = mendUnion(mending, branches, mended)
  for (const part of listOf(own(schema, 'allOf'))) mended = mend(mending, part, mended)
  mending.depth--
  return mended
}

function mendChildren(mending: Mending, schema: JsonSchema, value: object): object {
  const required = listOf(own(schema, 'required'))
  return mapChildren(mending, value, (child, key) => {
    const node = childSchema(schema, value, key)
    const mayOmit = child === null && node !== undefined && !Array.isArray(value) && !required.includes(key)
    if (!mayOmit || accepts(mending, node, null)) return mend(mending, node, child)
    note(mending, child, 'omitted')
    return undefined
  })
}

/** Nothing if a branch accepts the value as it is, else the first branch that accepts it after coercion. */
function mendUnion(mending: Mending, branches: readonly unknown[], value: unknown): unknown {
  if (branches.some((branch) => accepts(mending, branch, value))) return value
  const { coercions, dropped } = mending
  const [coerced, gone] = [coercions.length, dropped.length]
  for (const branch of branches) {
    const mended = mend(mending, branch, value)
    if (mended !== value && accepts(mending, branch, mended)) return mended
    coercions.length = coerced
    dropped.length = gone
  }
  return value
}

function mendType(mending: Mending, schema: JsonSchema, value: unknown): unknown {
  const types = wantedTypes(schema)
  if (types.some((type) => hasType(value, type))) return value
  for (const type of types) {
    const mended = convert(mending, type, value)
    if (mended === undefined) continue
    note(mending, value, typeName(mended))
    return mended
  }
  return value
}

// The grammar of JSON, so neither "", "0x10", "1_000" nor "007" (an identifier rather than a number).
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The value as `type`, or `undefined` where the table has no way. */
function convert(mending: Mending, type: string, value: unknown): unknown {
  const { isLoose } = mending
  const text = typeof value === 'string' ? value.trim() : ''
  switch (type) {
    case 'number':
    case 'integer': {
      const number = jsonNumber.test(text) ? Number(text) : NaN
      const isSound = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number) && type === 'number'
      // Adding 0 turns -0 into 0, as JSON would.
      return isSound ? number + 0 : undefined
    }
    case 'boolean':
      if (value === 'true' || value === 1) return true
      return value === 'false' || value === 0 ? false : undefined
    case 'string':
      return isLoose && typeof value === 'number' ? String(value) : undefined
    default: {
      // An object or array that came as a string of JSON, a common slip of models.
      const parsed = /^[[{]/.test(text) ? parse(text) : undefined
      if (hasType(parsed, type)) return clean(mending, parsed)
      return isLoose && type === 'array' && value !== null ? [value] : undefined
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
