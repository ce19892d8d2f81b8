// What a step is given and what it leaves: values of the steps before it, as plain JSON.
import { describeThrown } from '../error/describe.ts'
import { isTruthy } from '../expression/compile.ts'
import type { Value } from '../expression/parser.ts'
import { copyJson, isObject, isPlain } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import { maxJsonDepth } from '../json/text.ts'
import { resolveReference, resolveTemplate } from '../plan/reference.ts'
import type { Template } from '../plan/step.ts'
import type { Node, PlanState } from './state.ts'

/** A value, or why there is none. */
export type Made<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: 'invalid-input' | 'limit'; readonly message: string }

const unmade = (message: string): Made<never> => ({ ok: false, reason: 'invalid-input', message })

/** Whether the step is wanted. An expression sees the values of all steps, and null for one that has none. */
export function isWanted(state: PlanState, node: Node): Made<boolean> {
  const { when } = node.step
  if (when === undefined) return { ok: true, value: true }
  return trying('"when"', () => {
    if (typeof when !== 'function') return isTruthy((node.when as NonNullable<Node['when']>)(state.values as Value))
    const wanted: unknown = when(valuesBefore(state, node))
    // A promise of false would count as true.
    if (typeof wanted !== 'boolean') throw new Error(`expected true or false, got ${kindOf(wanted)}`)
    return wanted
  })
}

/** The input of the step's call, or of the call for one of its items. */
export function inputOf(state: PlanState, node: Node, place?: number): Made<Json> {
  const { input } = node.step
  const item = place === undefined ? undefined : node.fan?.items[place]
  if (input === undefined) return { ok: true, value: {} }
  if (typeof input !== 'function') {
    const resolved = resolveTemplate(input, { values: state.values, item })
    return resolved.ok ? resolved : unmade(resolved.message)
  }
  return trying('"input"', () => storable(input(valuesBefore(state, node), copyJson(item), place)))
}

/** The items of a step with `forEach`. */
export function itemsOf(state: PlanState, node: Node): Made<readonly Json[]> {
  const { forEach, maxItems = 1000 } = node.step
  const made = listOf(state, node, forEach)
  if (!made.ok) return made
  if (!Array.isArray(made.value)) return unmade(`"forEach" must be a list, got ${kindOf(made.value)}`)
  const items: readonly Json[] = made.value
  if (items.length <= maxItems) return { ok: true, value: items }
  return { ok: false, reason: 'limit', message: `"forEach" has ${items.length} items, expected at most ${maxItems}` }
}

function listOf(state: PlanState, node: Node, forEach: Node['step']['forEach']): Made<Json> {
  const { values } = state
  if (typeof forEach === 'function') return trying('"forEach"', () => storable(forEach(valuesBefore(state, node))))
  const isReference = isObject(forEach)
  const resolved = isReference
    ? resolveReference(forEach as never, { values })
    : resolveTemplate(forEach as Template, { values })
  return resolved.ok ? resolved : unmade(resolved.message)
}

/** What the plan's own functions throw fails their step. */
function trying<Value>(what: string, make: () => Value): Made<Value> {
  try {
    return { ok: true, value: make() }
  } catch (thrown) {
    return unmade(`${what} failed: ${describeThrown(thrown)}`)
  }
}

/** A copy of a value as plain JSON, the same that a resumed run finds. Throws where something of it would be lost. */
export function storable(value: unknown, depth = 0): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (depth > maxJsonDepth) throw new Error('expected JSON, got a cycle or too many levels')
  // Not by `map`, which leaves holes be.
  if (Array.isArray(value))
    return Array.from(value, (item: unknown) => (item === undefined ? null : storable(item, depth + 1)))
  if (isObject(value)) {
    const { toJSON } = value
    if (typeof toJSON === 'function') return storable(toJSON.call(value), depth + 1)
    if (isPlain(value)) return storableFields(value, depth)
  }
  throw new Error(`expected JSON, got ${kindOf(value)}`)
}

function storableFields(value: object, depth: number): Json {
  const copy: Record<string, Json> = {}
  for (const key of Object.keys(value)) {
    const field = (value as JsonObject)[key]
    if (field === undefined) continue
    const kept = storable(field, depth + 1)
    // Assigned, it would become the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: kept, enumerable: true })
    else copy[key] = kept
  }
  return copy
}

function kindOf(value: unknown): string {
  if (value === null || typeof value === 'undefined') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : String(value)
  if (typeof value !== 'object') return `a value of type ${typeof value}`
  if (Array.isArray(value)) return 'a list'
  return isPlain(value) ? 'an object' : 'an object that is more than its fields'
}

/**
 * What a function of a step sees: the values of the steps before it, and of no others, or the order in which steps happen
 * to end would show. Who is before whom is found out only as far as somebody looks.
 */
function valuesBefore({ nodes, places, values }: PlanState, { place }: Node): Readonly<Record<string, unknown>> {
  const seen = new Set([place])
  const open = [place]
  const goOn = (): boolean => {
    const next = open.pop()
    if (next === undefined) return false
    for (const needed of nodes[next]?.dependencies ?? []) {
      if (seen.has(needed)) continue
      seen.add(needed)
      open.push(needed)
    }
    return true
  }
  const isBefore = (id: string | symbol): id is string => {
    const wanted = typeof id === 'string' && id in values ? places.get(id) : undefined
    if (wanted === undefined) return false
    while (!seen.has(wanted)) if (!goOn()) return false
    return true
  }
  // Copies: what a function changes is seen by nobody else.
  const copies = new Map<string, unknown>()
  const copyOf = (id: string): unknown => {
    if (!copies.has(id)) copies.set(id, copyJson(values[id]))
    return copies.get(id)
  }
  return new Proxy(Object.create(null) as Record<string, unknown>, {
    get: (_, id) => (isBefore(id) ? copyOf(id) : undefined),
    has: (_, id) => isBefore(id),
    ownKeys: () => Object.keys(values).filter(isBefore),
    getOwnPropertyDescriptor: (_, id) =>
      isBefore(id) ? { value: copyOf(id), enumerable: true, configurable: true } : undefined,
  })
}
