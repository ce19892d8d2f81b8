// Takes the dangerous out of a value: keys named `__proto__`, and depth without end.
import { toPointer } from './json.ts'
import type { JsonObject } from './json.ts'
import type { Issue } from './schema.ts'

/** Levels of nesting a value may have. */
const levels = 100

export type Sanitized =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * The value without `__proto__` keys, whose pointers are added to `dropped`. The same object where there are none;
 * what is neither a plain object nor an array is left alone. Fails beyond 100 levels, which also ends circular values.
 */
export function sanitize(value: unknown, dropped: string[], path: readonly (string | number)[] = []): Sanitized {
  const walk: Walk = { path: [...path], dropped, limit: path.length + levels, isTooDeep: false }
  const clean = visit(walk, value)
  return walk.isTooDeep
    ? { ok: false, issues: [{ path: [...path], message: `Expected at most ${levels} levels of nesting` }] }
    : { ok: true, value: clean }
}

interface Walk {
  readonly path: (string | number)[]
  readonly dropped: string[]
  readonly limit: number
  isTooDeep: boolean
}

function visit(walk: Walk, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || walk.isTooDeep) return value
  if (walk.path.length > walk.limit) {
    walk.isTooDeep = true
    return value
  }
  if (Array.isArray(value)) return visitArray(walk, value)
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
    ? visitObject(walk, value as JsonObject)
    : value
}

function visitArray(walk: Walk, value: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let index = 0; index < value.length; index++) {
    const clean = visitAt(walk, index, value[index])
    if (clean !== value[index]) (copy ??= [...value])[index] = clean
  }
  return copy ?? value
}

function visitObject(walk: Walk, value: JsonObject): JsonObject {
  let copy: JsonObject | undefined
  if (Object.hasOwn(value, '__proto__')) {
    walk.dropped.push(toPointer([...walk.path, '__proto__']))
    copy = { ...value }
    delete copy['__proto__']
  }
  for (const key of Object.keys(copy ?? value)) {
    const clean = visitAt(walk, key, value[key])
    if (clean !== value[key]) (copy ??= { ...value })[key] = clean
  }
  return copy ?? value
}

function visitAt(walk: Walk, key: string | number, value: unknown): unknown {
  walk.path.push(key)
  const clean = visit(walk, value)
  walk.path.pop()
  return clean
}
