// Takes in a definition that anyone may have written: a frozen copy as plain JSON, of bounded depth and size.
import { isSameloopError } from '../error/error.ts'
import { toPointer } from '../json/pointer.ts'
import { isPlain, typeName } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import { refusal } from './refusal.ts'
import type { Site } from './refusal.ts'

const deepest = 64
/** Also ends what grows by sharing: a few lines of YAML can name one list a billion times. */
const mostValues = 1_000_000

interface Intake {
  readonly site: Site
  readonly path: (string | number)[]
  values: number
}

/**
 * A frozen copy of own properties that shares nothing with `value`. Absent fields may be `undefined`. Throws
 * `workflow-invalid` for what is no JSON (also a date or a map, as YAML parsers make them), for a key named `__proto__`,
 * beyond 64 levels and beyond a million values in all.
 */
export function takeIn(value: unknown, site: Site): Json {
  const intake: Intake = { site, path: [], values: 0 }
  try {
    return copy(intake, value)
  } catch (error) {
    if (isSameloopError(error)) throw error
    // A getter or a proxy; what it throws is not ours to show.
    throw wrong(intake, 'it cannot be read', error)
  }
}

function wrong({ site, path }: Intake, problem: string, cause?: unknown): Error {
  return refusal(site, path.length === 0 ? problem : `at "${toPointer(path)}": ${problem}`, { cause })
}

function copy(intake: Intake, value: unknown): Json {
  if (++intake.values > mostValues) throw wrong(intake, `expected at most ${mostValues} values in all`)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  // There is no -0 in JSON.
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  if (!isPlain(value)) {
    const got = value === undefined ? 'nothing' : `a value of type ${typeof value}`
    throw wrong(intake, `expected JSON, got ${typeName(value) === 'object' ? 'an object that is not plain' : got}`)
  }
  if (intake.path.length >= deepest) throw wrong(intake, `expected at most ${deepest} levels of nesting`)
  return Object.freeze(Array.isArray(value) ? copyList(intake, value) : copyObject(intake, value))
}

function copyList(intake: Intake, list: readonly unknown[]): Json[] {
  const items: Json[] = []
  // By index: a hole is seen, and nothing of the list's own make is called.
  for (let index = 0; index < list.length; index++) {
    intake.path.push(index)
    items.push(copy(intake, list[index]))
    intake.path.pop()
  }
  return items
}

function copyObject(intake: Intake, object: Readonly<Record<string, unknown>>): Record<string, Json> {
  const fields: Record<string, Json> = {}
  for (const key of Object.keys(object)) {
    intake.path.push(key)
    if (key === '__proto__') throw wrong(intake, '"__proto__" is no name')
    const value = object[key]
    if (value !== undefined) fields[key] = copy(intake, value)
    intake.path.pop()
  }
  return fields
}
