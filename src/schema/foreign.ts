// Takes in a JSON Schema that somebody else wrote: a copy, checked for shape and size, that a validator may work on.
import { amounts } from '../error/amount.ts'
import { SameloopError } from '../error/error.ts'
import { excerpt } from '../json/text.ts'
import { isObject, typeName } from '../json/value.ts'
import { toPointer } from '../json/pointer.ts'
import type { JsonObject } from '../json/value.ts'
import { inPlace, keywordShapes, typeNames } from './keyword-table.ts'
import { unicodePattern } from './pattern.ts'

/** Bounds on a foreign schema; beyond them it is `schema-unsupported`. What is no number from 0 is `config-invalid`. */
export interface SchemaLimits {
  /** Levels of nesting. Default 64. */
  readonly depth?: number | undefined
  /** Objects, arrays and values in all. Default 20,000. */
  readonly nodes?: number | undefined
  /** Default 1,000. */
  readonly references?: number | undefined
  /** Characters of one regular expression. Default 1,000. */
  readonly patternLength?: number | undefined
  /**
   * `ignore` leaves regular expressions out of the check. One that backtracks without end can be written in a few
   * characters and no limit on length stops it: choose this for schemas of servers you do not trust. Default `check`.
   */
  readonly patterns?: 'check' | 'ignore' | undefined
}

const usual = { depth: 64, nodes: 20_000, references: 1000, patternLength: 1000 }

interface Intake {
  readonly limits: typeof usual & Pick<SchemaLimits, 'patterns'>
  readonly formats: ReadonlySet<string>
  /** The copies that have a `$ref`. */
  readonly references: JsonObject[]
  /** All copies. */
  readonly copies: JsonObject[]
  readonly path: (string | number)[]
  nodes: number
}

export interface Intaken {
  readonly schema: JsonObject
  readonly references: readonly JsonObject[]
  /** The schema and those in it. */
  readonly nodes: readonly JsonObject[]
}

/** A checked copy of `schema`, with those `formats` alone. Throws `schema-invalid` or `schema-unsupported`. */
export function takeIn(schema: unknown, formats: ReadonlySet<string>, limits: SchemaLimits): Intaken {
  const intake: Intake = {
    limits: { ...limits, ...amounts(limits, usual) },
    formats,
    references: [],
    copies: [],
    path: [],
    nodes: 0,
  }
  if (!isObject(schema)) throw wrong(intake, 'an object', schema)
  const copy = copyNode(intake, schema) as JsonObject
  return { schema: copy, references: intake.references, nodes: intake.copies }
}

function wrong(intake: Intake, wanted: string, value: unknown): SameloopError {
  const place = intake.path.length === 0 ? 'the JSON Schema' : `the JSON Schema at "${toPointer(intake.path)}"`
  const got = typeof value === 'object' ? typeName(value) : excerpt(value)
  return new SameloopError('schema-invalid', `Cannot use ${place}: expected ${wanted}, got ${got}`, {
    data: { path: toPointer(intake.path) },
  })
}

function unsupported(intake: Intake, what: string): SameloopError {
  return new SameloopError('schema-unsupported', `Cannot use the JSON Schema at "${toPointer(intake.path)}": ${what}`, {
    data: { path: toPointer(intake.path) },
  })
}

function count(intake: Intake): void {
  const { depth, nodes } = intake.limits
  if (intake.path.length > depth * 2) throw unsupported(intake, `expected at most ${depth} levels`)
  if (++intake.nodes > nodes) throw unsupported(intake, `expected at most ${nodes} values in all`)
}

function at<T>(intake: Intake, key: string | number, work: () => T): T {
  intake.path.push(key)
  const result = work()
  intake.path.pop()
  return result
}

/** Sets an own property, `__proto__` included. */
function put(target: JsonObject, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function copyNode(intake: Intake, node: unknown): unknown {
  count(intake)
  if (typeof node === 'boolean') return node
  if (!isObject(node)) throw wrong(intake, 'a schema', node)
  const copy: JsonObject = {}
  for (const key of Object.keys(node)) {
    if (node[key] === undefined) continue
    at(intake, key, () => {
      const value = copyKeyword(intake, key, node[key])
      if (value !== undefined) put(copy, key, value)
    })
  }
  intake.copies.push(copy)
  if (typeof copy['$ref'] === 'string') intake.references.push(copy)
  if (intake.references.length > intake.limits.references) throw unsupported(intake, 'too many references')
  return copy
}

function copyKeyword(intake: Intake, key: string, value: unknown): unknown {
  switch (keywordShapes.get(key)) {
    case 'schema':
      return copyNode(intake, value)
    case 'schemas':
      return copyList(intake, value)
    case 'items':
      return Array.isArray(value) ? copyList(intake, value) : copyNode(intake, value)
    case 'map':
      return copyMap(intake, key, value)
    case 'dependencies':
      return copyMap(intake, key, value)
    case 'number':
      if (typeof value !== 'number') throw wrong(intake, 'a number', value)
      return value
    case 'text':
      if (typeof value !== 'string') throw wrong(intake, 'a string', value)
      return copyText(intake, key, value)
    case 'names':
      return copyNames(intake, value)
    case 'list':
      if (!Array.isArray(value)) throw wrong(intake, 'a list', value)
      return copyData(intake, value)
    case 'type':
      checkType(intake, value)
      return copyData(intake, value)
    default:
      if (key === '$dynamicRef' || key === '$recursiveRef') throw unsupported(intake, `"${key}" is not supported`)
      return copyData(intake, value)
  }
}

function copyList(intake: Intake, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw wrong(intake, 'a list of schemas', value)
  return value.map((node, index) => at(intake, index, () => copyNode(intake, node)))
}

function copyMap(intake: Intake, keyword: string, value: unknown): JsonObject {
  if (!isObject(value)) throw wrong(intake, 'an object of schemas', value)
  const copy: JsonObject = {}
  for (const name of Object.keys(value)) {
    at(intake, name, () => {
      const key = keyword === 'patternProperties' ? copyPattern(intake, name) : name
      const isNames = keyword === 'dependencies' && Array.isArray(value[name])
      const child = isNames ? copyNames(intake, value[name]) : copyNode(intake, value[name])
      if (key !== undefined) put(copy, key, child)
    })
  }
  return copy
}

function copyNames(intake: Intake, value: unknown): unknown {
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) {
    throw wrong(intake, 'a list of property names', value)
  }
  return copyData(intake, value)
}

function copyText(intake: Intake, key: string, value: string): string | undefined {
  if (key === 'pattern') return copyPattern(intake, value)
  // The validator would look an unknown name up in a plain object, where "constructor" is found.
  return key === 'format' && !intake.formats.has(value) ? undefined : value
}

function copyPattern(intake: Intake, value: string): string | undefined {
  const { patterns, patternLength } = intake.limits
  if (patterns === 'ignore') return undefined
  if (value.length > patternLength)
    throw unsupported(intake, `expected a pattern of at most ${patternLength} characters`)
  const pattern = unicodePattern(value)
  if (pattern === undefined) throw wrong(intake, 'a regular expression', value)
  return pattern
}

function checkType(intake: Intake, value: unknown): void {
  const names = Array.isArray(value) ? value : [value]
  if (names.every((name) => typeNames.includes(name as string))) return
  throw wrong(
    intake,
    `a type (${typeNames.join(', ')})`,
    names.find((name) => !typeNames.includes(name as string)),
  )
}

function copyData(intake: Intake, value: unknown): unknown {
  count(intake)
  if (Array.isArray(value)) return value.map((item, index) => at(intake, index, () => copyData(intake, item)))
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) at(intake, key, () => put(copy, key, copyData(intake, value[key])))
  return copy
}

/**
 * Refuses references that lead nowhere, circles that use up nothing of the value, and schemas that check one value many
 * thousand times over. `find` gives the schema a reference stands for.
 */
export function checkReferences(intaken: Intaken, find: (node: JsonObject) => unknown): void {
  const targets = new Map<unknown, unknown>()
  for (const node of intaken.references) {
    const target = find(node)
    if (target === undefined) {
      throw new SameloopError(
        'schema-unsupported',
        `Cannot follow the reference ${excerpt(node['$ref'])}: expected one that stays inside the JSON Schema`,
      )
    }
    targets.set(node, target)
  }
  const costs = new Map<unknown, number>()
  for (const node of intaken.references) weigh(node, targets, costs)
}

const mostWork = 10_000

function weigh(node: unknown, targets: ReadonlyMap<unknown, unknown>, costs: Map<unknown, number>): number {
  if (!isObject(node)) return 1
  const known = costs.get(node)
  if (known === Infinity)
    throw new SameloopError('schema-invalid', 'Cannot use the JSON Schema: a reference leads back to itself')
  if (known !== undefined) return known
  costs.set(node, Infinity)
  let cost = 1
  for (const key of inPlace) {
    const value = Object.hasOwn(node, key) ? node[key] : undefined
    const parts = Array.isArray(value) || key !== 'dependentSchemas' ? [value].flat() : Object.values(value ?? {})
    for (const part of parts) cost += weigh(part, targets, costs)
  }
  if (targets.has(node)) cost += weigh(targets.get(node), targets, costs)
  if (cost > mostWork)
    throw new SameloopError('schema-unsupported', 'Cannot use the JSON Schema: its references multiply too often')
  costs.set(node, cost)
  return cost
}
