// Runs the tree of a JMESPath expression over a value: only own properties are found, and every step is counted.
import { isObject, own } from '../json/value.ts'
import { isEqual, isFalse, order } from './compare.ts'
import { callFunction } from './functions.ts'
import type { Comparison, KeyValue, QueryNode } from './node.ts'
import { failed, keysOf, spend, spendText } from './work.ts'
import type { Work } from './work.ts'

/** What a tree gives for a value. Throws `expression-failed` with `data.kind`. */
export function evaluate(work: Work, node: QueryNode, value: unknown): unknown {
  spend(work, 1)
  switch (node.type) {
    case 'Field':
      return isObject(value) ? (own(value, node.name) ?? null) : null
    case 'Index':
      return Array.isArray(value) ? (value.at(node.value) ?? null) : null
    case 'Slice':
      return Array.isArray(value) ? slice(work, value, node.children) : null
    case 'Identity':
    case 'Current':
      return value
    case 'Literal':
      return node.value
    case 'Comparator':
      return compare(work, node.name, first(work, node, value), second(work, node, value))
    case 'Function':
      return callFunction(work, node.name, node.children, { value, evaluate })
    case 'MultiSelectHash':
      return value === null ? null : selectHash(work, node.children, value)
    default:
      return branch(work, node, value)
  }
}

type Branch = Extract<QueryNode, { readonly children: readonly QueryNode[] }>

const first = (work: Work, { children }: Branch, value: unknown): unknown => evaluate(work, children[0]!, value)
const second = (work: Work, { children }: Branch, value: unknown): unknown => evaluate(work, children[1]!, value)

function branch(work: Work, node: Branch, value: unknown): unknown {
  switch (node.type) {
    case 'Subexpression':
    case 'IndexExpression':
    case 'Pipe':
      return second(work, node, first(work, node, value))
    case 'Projection':
      return project(work, node, first(work, node, value))
    case 'ValueProjection': {
      const base = first(work, node, value)
      return isObject(base) ? project(work, node, valuesOf(work, base)) : null
    }
    case 'FilterProjection':
      return filter(work, node, first(work, node, value))
    case 'Flatten':
      return flatten(work, first(work, node, value))
    case 'MultiSelectList':
      return value === null ? null : node.children.map((child) => evaluate(work, child, value))
    case 'OrExpression': {
      const left = first(work, node, value)
      return isFalse(work, left) ? second(work, node, value) : left
    }
    case 'AndExpression': {
      const left = first(work, node, value)
      return isFalse(work, left) ? left : second(work, node, value)
    }
    case 'NotExpression':
      return isFalse(work, first(work, node, value))
    default:
      throw failed('invalid-type', 'an expression with "&" can only be given to a function that wants one')
  }
}

const valuesOf = (work: Work, object: Record<string, unknown>): unknown[] =>
  keysOf(work, object).map((key) => object[key])

function project(work: Work, { children }: Branch, base: unknown): unknown {
  if (!Array.isArray(base)) return null
  return base.map((item: unknown) => evaluate(work, children[1]!, item)).filter((item) => item !== null)
}

function filter(work: Work, node: Branch, base: unknown): unknown {
  if (!Array.isArray(base)) return null
  const kept = base.filter((item: unknown) => !isFalse(work, evaluate(work, node.children[2]!, item)))
  return project(work, node, kept)
}

function flatten(work: Work, base: unknown): unknown {
  if (!Array.isArray(base)) return null
  for (const item of base) spend(work, Array.isArray(item) ? item.length : 1)
  return base.flat()
}

function selectHash(work: Work, pairs: readonly KeyValue[], value: unknown): Record<string, unknown> {
  // Without a prototype, so that `__proto__` is a name like any other.
  const selected: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const { name, value: node } of pairs) selected[name] = evaluate(work, node, value)
  return selected
}

function slice(work: Work, list: readonly unknown[], [from, to, given]: readonly (number | null)[]): unknown[] {
  const step = given ?? 1
  if (step === 0) throw failed('invalid-value', 'the step of a slice cannot be 0')
  const [low, high] = step > 0 ? [0, list.length] : [-1, list.length - 1]
  const bound = (at: number | null | undefined, otherwise: number): number =>
    at === null || at === undefined ? otherwise : Math.min(high, Math.max(low, at < 0 ? at + list.length : at))
  const [start, stop] = step > 0 ? [bound(from, low), bound(to, high)] : [bound(from, high), bound(to, low)]
  const picked: unknown[] = []
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) picked.push(list[at])
  spend(work, picked.length)
  return picked
}

function compare(work: Work, name: Comparison, left: unknown, right: unknown): boolean | null {
  if (name === 'EQ') return isEqual(work, left, right)
  if (name === 'NE') return !isEqual(work, left, right)
  const isOrdered = typeof left === typeof right && (typeof left === 'number' || typeof left === 'string')
  if (!isOrdered) return null
  if (typeof left === 'string') spendText(work, left.length + (right as string).length)
  const sign = order(left as number, right as number)
  return { LT: sign < 0, LTE: sign <= 0, GT: sign > 0, GTE: sign >= 0 }[name]
}
