// Coercion: the few safe changes that make a model's value fit its schema, each reported. Inputs and outputs alike.
import { isObject, own, toPointer, typeName } from './json.ts'
import type { Json, JsonObject } from './json.ts'
import {
  accepts,
  hasType,
  itemSchema,
  listOf,
  propertySchema,
  resolve,
  startWalk,
  unionsOf,
  wantedTypes,
} from './keywords.ts'
import type { Walk } from './keywords.ts'
import { sanitize } from './sanitize.ts'
import type { Issue, Schema } from './schema.ts'

/** `strict` changes nothing; `loose` also makes strings of numbers and lists of single values. Absent: the table. */
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

/**
 * Checks a value, mends what failed by the coercion table, and checks again. The value itself is never changed.
 *
 * A numeric string becomes a number where one is wanted, `"true"`, `"false"`, 1 and 0 a boolean, a string of JSON an
 * object or array, and `null` is left out where a property is optional and does not allow it. A union is left alone
 * when a branch accepts the value as it is; else the first branch wins that accepts it after coercion.
 */
export function settle(schema: Schema, value: unknown, coerce?: Coercing): Settled {
  const dropped: string[] = []
  const clean = sanitize(value, dropped)
  if (!clean.ok) return { ok: false, issues: clean.issues, coercions: [] }
  let json = clean.value
  let checked = schema.check(json)
  let coercions: readonly Coercion[] = []
  if (!checked.ok && coerce !== 'strict') {
    const mending = startMending(startWalk(schema.accepts ?? schema.json), coerce === 'loose', dropped)
    const mended = mend(mending, mending.walk.root, json)
    coercions = mending.coercions
    if (coercions.length > 0) {
      json = mended
      checked = schema.check(json)
    }
  }
  if (!checked.ok) return { ok: false, issues: checked.issues, coercions }
  return {
    ok: true,
    json: json as Json,
    value: checked.value,
    coercions,
    dropped: [...dropped, ...lost(schema, json, checked.value)],
  }
}

/** Top-level keys the JSON Schema does not name and the validator left out. */
function lost(schema: Schema, json: unknown, value: unknown): string[] {
  if (json === value || !isObject(json) || !isObject(value)) return []
  const named = own(schema.accepts ?? schema.json, 'properties')
  return Object.keys(json)
    .filter((key) => !Object.hasOwn(value, key) && own(named, key) === undefined)
    .map((key) => toPointer([key]))
}

interface Mending {
  readonly walk: Walk
  readonly isLoose: boolean
  readonly dropped: string[]
  /** Of the value being mended; changed in place on the way down and up. */
  readonly path: (string | number)[]
  readonly coercions: Coercion[]
  depth: number
}

const depthLimit = 100

const startMending = (walk: Walk, isLoose: boolean, dropped: string[]): Mending => ({
  walk,
  isLoose,
  dropped,
  path: [],
  coercions: [],
  depth: 0,
})

function note(mending: Mending, from: unknown, to: string): void {
  mending.coercions.push({ path: toPointer(mending.path), from: typeName(from), to })
}

function mend(mending: Mending, node: unknown, value: unknown): unknown {
  if (node === undefined || mending.depth > depthLimit || mending.walk.steps-- <= 0) return value
  mending.depth++
  const schema = resolve(mending.walk, node)
  const typed = mendType(mending, wantedTypes(schema), value)
  let mended = mendChildren(mending, schema, typed)
  for (const branches of unionsOf(schema)) mended = mendUnion(mending, branches, mended)
  for (const part of listOf(own(schema, 'allOf'))) mended = mend(mending, part, mended)
  mending.depth--
  return mended
}

/** Nothing if a branch accepts the value as it is, else the first branch that accepts it after coercion. */
function mendUnion(mending: Mending, branches: readonly unknown[], value: unknown): unknown {
  if (branches.some((branch) => accepts(mending.walk, branch, value))) return value
  for (const branch of branches) {
    const trial = { ...mending, coercions: [] as Coercion[], dropped: [] as string[] }
    const mended = mend(trial, branch, value)
    if (trial.coercions.length === 0 || !accepts(mending.walk, branch, mended)) continue
    mending.coercions.push(...trial.coercions)
    mending.dropped.push(...trial.dropped)
    return mended
  }
  return value
}

function mendType(mending: Mending, types: readonly string[], value: unknown): unknown {
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
  switch (type) {
    case 'number':
    case 'integer':
      return typeof value === 'string' ? toNumber(value.trim(), type) : undefined
    case 'boolean':
      if (value === 'true' || value === 1) return true
      return value === 'false' || value === 0 ? false : undefined
    case 'string':
      return mending.isLoose && typeof value === 'number' ? String(value) : undefined
    case 'array':
      return parse(mending, type, value) ?? (mending.isLoose && value !== null ? [value] : undefined)
    case 'object':
      return parse(mending, type, value)
    default:
      return undefined
  }
}

function toNumber(text: string, type: string): number | undefined {
  if (!jsonNumber.test(text)) return undefined
  const number = Number(text)
  const isSound = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number) && type === 'number'
  // Adding 0 turns -0 into 0, as JSON would.
  return isSound ? number + 0 : undefined
}

/** An object or array that came as a string of JSON, a common slip of models. */
function parse(mending: Mending, type: string, value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(value)
  } catch {
    return undefined
  }
  const clean = hasType(parsed, type) ? sanitize(parsed, mending.dropped, mending.path) : undefined
  return clean?.ok ? clean.value : undefined
}

function mendChildren(mending: Mending, schema: JsonObject, value: unknown): unknown {
  if (Array.isArray(value)) return mendArray(mending, schema, value)
  return isObject(value) ? mendObject(mending, schema, value) : value
}

function mendArray(mending: Mending, schema: JsonObject, value: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined
  value.forEach((item, index) => {
    const mended = mendAt(mending, index, itemSchema(schema, index), item)
    if (mended !== item) (copy ??= [...value])[index] = mended
  })
  return copy ?? value
}

function mendObject(mending: Mending, schema: JsonObject, value: JsonObject): JsonObject {
  const required = listOf(own(schema, 'required'))
  let copy: JsonObject | undefined
  for (const key of Object.keys(value)) {
    const item = value[key]
    const node = propertySchema(schema, key)
    if (item === null && node !== undefined && !required.includes(key) && !accepts(mending.walk, node, null)) {
      copy ??= { ...value }
      delete copy[key]
      mending.coercions.push({ path: toPointer([...mending.path, key]), from: 'null', to: 'omitted' })
      continue
    }
    const mended = mendAt(mending, key, node, item)
    if (mended !== item) (copy ??= { ...value })[key] = mended
  }
  return copy ?? value
}

function mendAt(mending: Mending, key: string | number, node: unknown, value: unknown): unknown {
  mending.path.push(key)
  const mended = mend(mending, node, value)
  mending.path.pop()
  return mended
}
