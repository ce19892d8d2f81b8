// Keeps a validator from working for ever: schema and value may come from the same stranger.
import { isObject } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'

/** Visits of the validator to nodes of the schema, each about a microsecond. */
const mostVisits = 1_000_000
/** Comparisons of items that must be unique, and of names with patterns. */
const mostComparisons = 10_000_000

export interface Meter {
  /** Begins anew for a value. Throws `overworked` where it is plain from the value that the work is too much. */
  start(value: unknown): void
}

/** Thrown out of the validator. */
export const overworked: unique symbol = Symbol('overworked')

/** A meter in each of the nodes: the validator reads the keyword `$recursiveRef` first, which no schema here has. */
export function meterIn(nodes: readonly JsonObject[]): Meter {
  let left = mostVisits
  for (const node of nodes) {
    const weight = weightOf(node)
    const get = (): undefined => {
      left -= weight
      if (left < 0) throw overworked
    }
    Object.defineProperty(node, '$recursiveRef', { get, enumerable: false })
  }
  const isUnique = nodes.some((node) => node['uniqueItems'] === true)
  const patterns = nodes.reduce((count, node) => count + sizeOf(node['patternProperties']), 0)
  return {
    start: (value) => {
      left = mostVisits
      if (!isUnique && patterns === 0) return
      const { pairs, keys } = measure(value)
      if ((isUnique && pairs > mostComparisons) || patterns * keys > mostComparisons) throw overworked
    },
  }
}

const sizeOf = (value: unknown): number => (typeof value === 'object' && value !== null ? Object.keys(value).length : 0)

/** What one visit costs: lists of choices and names are gone through each time. */
const weightOf = (node: JsonObject): number =>
  1 + Math.floor((sizeOf(node['enum']) + sizeOf(node['required']) + sizeOf(node['properties'])) / 16)

interface Measure {
  /** Comparisons within its lists, each item with each other, by all that is in them. */
  pairs: number
  keys: number
}

function measure(value: unknown): Measure {
  const sum = { pairs: 0, keys: 0 }
  const visit = (inner: unknown): number => {
    if (!Array.isArray(inner) && !isObject(inner)) return 1
    const size = Object.values(inner).reduce<number>((total, item) => total + visit(item), 1)
    if (Array.isArray(inner)) sum.pairs += inner.length * size
    else sum.keys += Object.keys(inner).length
    return size
  }
  visit(value)
  return sum
}
