// Coercion: the few safe changes that make a model's value fit its schema, each reported. Inputs and outputs alike.
import { guarded } from '../error/guard.ts'
import { childSchema, hasType, isSpent, isTyped, listOf, misfits, resolve, unionsOf, wantedTypes } from './fit.ts'
import type { Walk } from './fit.ts'
import { isObject, isPlain, own, typeName } from '../json/value.ts'
import { toPointer } from '../json/pointer.ts'
import type { Json, JsonObject } from '../json/value.ts'
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

/**
 * Checks a value, mends what failed by the coercion table, and checks again. The value itself is never changed.
 *
 * A numeric string becomes a number where one is wanted, `"true"`, `"false"`, 1 and 0 a boolean, a string of JSON an
 * object or array, and `null` is left out where a property is optional and does not allow it. A union is left alone when
 * a branch accepts the value as it is; else the first branch wins that accepts it after coercion.
 */
export function settle(schema: Schema, value: unknown, coerce?: Coercing): Settled {
  const fitting: Fitting = {
    root: undefined,
    depth: 0,
    steps: 0,
    path: [],
    coerce,
    coercions: [],
    dropped: [],
    misfits: 0,
  }
  const { coercions, dropped } = fitting
  let json = fit(fitting, undefined, value)
  let checked = check(fitting, schema, json)
  if (!checked.ok && coerce !== 'strict') {
    fitting.root = accepted(schema)
    json = fit(fitting, fitting.root, json)
    if (coercions.length) checked = check(fitting, schema, json)
  }
  if (!checked.ok) return { ok: false, issues: checked.issues, coercions }
  const { value: settled } = checked
  if (json !== settled && isObject(json) && isObject(settled)) {
    const lost = Object.keys(json).filter((key) => !Object.hasOwn(settled, key))
    const unnamed = lost.filter((key) => own(accepted(schema)['properties'], key) === undefined)
    dropped.push(...unnamed.map((key) => toPointer([key])))
  }
  return { ok: true, json: json as Json, value: settled, coercions, dropped }
}

const accepted = ({ accepts, json }: Schema): JsonSchema => accepts ?? json

const check = (fitting: Fitting, schema: Schema, json: unknown): Checked =>
  fitting.misfits === tooDeep
    ? { ok: false, issues: [{ path: [], message: 'Expected at most 100 levels of nesting' }] }
    : schema.check(json)

interface Fitting extends Walk {
  readonly coerce: Coercing | undefined
  /** Of the value being fitted; changed in place on the way down and up. */
  readonly path: string[]
  readonly coercions: Coercion[]
  readonly dropped: string[]
  /** Places that fit in no way. */
  misfits: number
}

/** So many misfits has a value that nests too deep, which also ends circular ones. */
const tooDeep = Infinity

/** Notes a change; what becomes `undefined` is left out. */
function note({ coercions, path }: Fitting, from: unknown, to: unknown): void {
  coercions.push({ path: toPointer(path), from: typeName(from), to: to === undefined ? 'omitted' : typeName(to) })
}

/**
 * The value as the schema node wants it, as far as the table goes; what still does not fit is counted. Where the node is
 * open only keys named `__proto__` go. The value itself where nothing changes.
 */
function fit(fitting: Fitting, node: unknown, value: unknown): unknown {
  if (node === undefined || isSpent(fitting)) return isPlain(value) ? fitChildren(fitting, undefined, value) : value
  fitting.depth++
  const schema = resolve(fitting.root, node)
  const types = wantedTypes(schema)
  let made = isTyped(types, value) ? value : convert(fitting, types, value)
  if (misfits(schema, made)) fitting.misfits++
  if (typeof made === 'object' && made !== null) made = fitChildren(fitting, schema, made)
  for (const branches of unionsOf(schema)) made = fitUnion(fitting, branches, made)
  for (const part of listOf(schema['allOf'])) made = fit(fitting, part, made)
  fitting.depth--
  return made
}

/** The value with what is made of its children, none where that is `undefined`. */
function fitChildren(fitting: Fitting, schema: JsonSchema | undefined, value: object): object {
  if (fitting.path.length > 100) fitting.misfits = tooDeep
  if (fitting.misfits === tooDeep) return value
  const from = value as JsonObject
  const isArray = Array.isArray(value)
  const required = isArray ? [] : listOf(schema?.['required'])
  if (required.some((key) => own(value, String(key)) === undefined)) fitting.misfits++
  let copy: JsonObject | undefined
  for (const key of Object.keys(from)) {
    const before = fitting.misfits
    fitting.path.push(key)
    let made: unknown
    if (key === '__proto__') fitting.dropped.push(toPointer(fitting.path))
    else made = fit(fitting, schema && childSchema(schema, value, key), from[key])
    // A null that an optional property forbids.
    if (made === null && fitting.misfits > before && !isArray && !required.includes(key)) {
      fitting.misfits = before
      made = undefined
      note(fitting, null, made)
    }
    fitting.path.pop()
    if (made === from[key]) continue
    copy ??= (isArray ? [...value] : { ...from }) as JsonObject
    if (made === undefined) delete copy[key]
    else copy[key] = made
  }
  return copy ?? value
}

/** Nothing if a branch accepts the value as it is, else the first branch that accepts it after coercion. */
function fitUnion(fitting: Fitting, branches: readonly unknown[], value: unknown): unknown {
  const trials = branches.map((branch) => {
    const trial = { ...fitting, coercions: [], dropped: [], misfits: 0 }
    const made = fit(trial, branch, value)
    fitting.steps = trial.steps
    return { ...trial, made }
  })
  const good = trials.filter((trial) => !trial.misfits)
  const best = good.find((trial) => !trial.coercions.length) ?? good[0]
  if (!best) {
    fitting.misfits++
    return value
  }
  fitting.coercions.push(...best.coercions)
  fitting.dropped.push(...best.dropped)
  return best.made
}

/** The value as the first of the types that the table has a way to; itself where there is none. */
function convert(fitting: Fitting, types: readonly string[], value: unknown): unknown {
  // The grammar of JSON, so a number is neither "", "0x10", "1_000" nor "007" (an identifier rather than a number).
  const parsed = typeof value === 'string' ? guarded<unknown>(() => JSON.parse(value.trim()), undefined) : undefined
  const isLoose = fitting.coerce === 'loose'
  const isExact = typeof parsed !== 'number' || Number.isSafeInteger(parsed) || parsed % 1
  for (const type of types) {
    let made: unknown
    if (type === 'boolean' && (value === 1 || value === 0)) made = value === 1
    else if (isLoose && type === 'string' && typeof value === 'number') made = String(value)
    else if (isLoose && type === 'array' && value !== null && !Array.isArray(parsed)) made = [value]
    // Objects and arrays come as a string of JSON, a common slip of models. There is no -0 in JSON.
    else if (type !== 'null' && isExact && hasType(parsed, type)) made = parsed === 0 ? 0 : parsed
    if (made === undefined) continue
    note(fitting, value, made)
    return made
  }
  return value
}
