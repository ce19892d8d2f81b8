// Coercion: the few safe changes that make a model's value fit its schema, each reported. Inputs and outputs alike.
import { guarded } from '../error/guard.ts'
import { childSchema, hasType, isSpent, listOf, misfits, resolve, unionsOf, wantedTypes } from './fit.ts'
import type { Walk } from './fit.ts'
import { isObject, own, typeName } from '../json/value.ts'
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
  const coercions: Coercion[] = []
  const dropped: string[] = []
  const fitting: Fitting = {
    root: undefined,
    depth: 0,
    steps: 0,
    path: [],
    isLoose: coerce === 'loose',
    coercions,
    dropped,
    misfits: 0,
    isTooDeep: false,
  }
  let json = clean(fitting, value)
  let checked = check(fitting, schema, json)
  if (!checked.ok && !fitting.isTooDeep && coerce !== 'strict') {
    fitting.root = schema.accepts ?? schema.json
    json = fit(fitting, fitting.root, json)
    if (coercions.length) checked = check(fitting, schema, json)
  }
  if (!checked.ok) return { ok: false, issues: checked.issues, coercions }
  const settled = checked.value
  if (json !== settled && isObject(json) && isObject(settled)) {
    const named = own(schema.accepts ?? schema.json, 'properties')
    const lost = Object.keys(json).filter((key) => !Object.hasOwn(settled, key) && own(named, key) === undefined)
    dropped.push(...lost.map((key) => toPointer([key])))
  }
  return { ok: true, json: json as Json, value: settled, coercions, dropped }
}

const check = (fitting: Fitting, schema: Schema, json: unknown): Checked =>
  fitting.isTooDeep
    ? { ok: false, issues: [{ path: [], message: 'Expected at most 100 levels of nesting' }] }
    : schema.check(json)

interface Fitting extends Walk {
  readonly isLoose: boolean
  /** Of the value being fitted; changed in place on the way down and up. */
  readonly path: string[]
  readonly coercions: Coercion[]
  readonly dropped: string[]
  /** Places that fit in no way. */
  misfits: number
  isTooDeep: boolean
}

function note(fitting: Fitting, from: unknown, to: string): void {
  fitting.coercions.push({ path: toPointer(fitting.path), from: typeName(from), to })
}

/** The value with what `change` makes of its children, none where that is `undefined`; itself if nothing changed. */
function mapChildren(fitting: Fitting, value: object, change: (child: unknown, key: string) => unknown): object {
  const from = value as JsonObject
  let copy: JsonObject | undefined
  for (const key of Object.keys(from)) {
    fitting.path.push(key)
    const changed = change(from[key], key)
    fitting.path.pop()
    if (changed === from[key]) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...from }) as JsonObject
    if (changed === undefined) delete copy[key]
    else copy[key] = changed
  }
  return copy ?? value
}

/**
 * Without keys named `__proto__`, and not too deep, which also ends circular values. What is neither a plain object nor
 * an array is left alone.
 */
function clean(fitting: Fitting, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || fitting.isTooDeep) return value
  if (!Array.isArray(value) && Object.getPrototypeOf(Object.getPrototypeOf(value) ?? Object.prototype) !== null)
    return value
  fitting.isTooDeep = fitting.path.length > 100
  return mapChildren(fitting, value, (child, key) => {
    if (key !== '__proto__') return clean(fitting, child)
    fitting.dropped.push(toPointer(fitting.path))
    return undefined
  })
}

/** The value as the schema node wants it, as far as the table goes; what still does not fit is counted. */
function fit(fitting: Fitting, node: unknown, value: unknown): unknown {
  if (node === undefined || isSpent(fitting)) return value
  fitting.depth++
  const schema = resolve(fitting.root, node)
  let made = fitType(fitting, schema, value)
  if (misfits(schema, made)) fitting.misfits++
  if (typeof made === 'object' && made !== null) made = fitChildren(fitting, schema, made)
  for (const branches of unionsOf(schema)) made = fitUnion(fitting, branches, made)
  for (const part of listOf(own(schema, 'allOf'))) made = fit(fitting, part, made)
  fitting.depth--
  return made
}

function fitChildren(fitting: Fitting, schema: JsonSchema, value: object): object {
  const required = Array.isArray(value) ? [] : listOf(own(schema, 'required'))
  if (required.some((key) => own(value, String(key)) === undefined)) fitting.misfits++
  return mapChildren(fitting, value, (child, key) => {
    const node = childSchema(schema, value, key)
    const isOptional = child === null && !Array.isArray(value) && !required.includes(key)
    if (!isOptional || attempt(fitting, node, null).misfits === 0) return fit(fitting, node, child)
    note(fitting, child, 'omitted')
    return undefined
  })
}

/** Fits a value to a node, with notes of its own. */
function attempt(fitting: Fitting, node: unknown, value: unknown): Fitting & { readonly made: unknown } {
  const trial = { ...fitting, coercions: [], dropped: [], misfits: 0 }
  const made = fit(trial, node, value)
  fitting.steps = trial.steps
  return { ...trial, made }
}

/** Nothing if a branch accepts the value as it is, else the first branch that accepts it after coercion. */
function fitUnion(fitting: Fitting, branches: readonly unknown[], value: unknown): unknown {
  const trials = branches.map((branch) => attempt(fitting, branch, value))
  const good = trials.filter((trial) => trial.misfits === 0 && !trial.isTooDeep)
  const best = good.find((trial) => !trial.coercions.length) ?? good[0]
  if (!best) {
    fitting.misfits++
    return value
  }
  fitting.coercions.push(...best.coercions)
  fitting.dropped.push(...best.dropped)
  return best.made
}

function fitType(fitting: Fitting, schema: JsonSchema, value: unknown): unknown {
  const types = wantedTypes(schema)
  if (types.some((type) => hasType(value, type))) return value
  for (const type of types) {
    const made = convert(fitting, type, value)
    if (made === undefined) continue
    note(fitting, value, typeName(made))
    return made
  }
  return value
}

/** The value as `type`, or `undefined` where the table has no way. */
function convert(fitting: Fitting, type: string, value: unknown): unknown {
  const { isLoose } = fitting
  // The grammar of JSON, so a number is neither "", "0x10", "1_000" nor "007" (an identifier rather than a number).
  const parsed = typeof value === 'string' ? guarded<unknown>(() => JSON.parse(value.trim()), undefined) : undefined
  switch (type) {
    case 'number':
    case 'integer': {
      const isSound = typeof parsed === 'number' && (Number.isSafeInteger(parsed) || (type === 'number' && parsed % 1))
      // Adding 0 turns -0 into 0, as JSON would.
      return isSound ? parsed + 0 : undefined
    }
    case 'string':
      return isLoose && typeof value === 'number' ? String(value) : undefined
    case 'boolean':
      if (value === 1 || value === 0) return value === 1
      break
    case 'array':
      if (isLoose && !Array.isArray(parsed) && value !== null) return [value]
  }
  // Objects and arrays come as a string of JSON, a common slip of models.
  return type !== 'null' && hasType(parsed, type) ? clean(fitting, parsed) : undefined
}
