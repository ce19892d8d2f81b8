// What JMESPath says of values: their types, whether they are equal, which comes first.
import { isObject, typeName } from '../json/value.ts'
import { keysOf, spend, spendText } from './work.ts'
import type { Work } from './work.ts'

/** False values: `false`, `null`, and what is empty. 0 is none. */
export function isFalse(work: Work, value: unknown): boolean {
  if (value === false || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && keysOf(work, value).length === 0
}

export function isEqual(work: Work, left: unknown, right: unknown): boolean {
  spend(work, 1)
  if (typeof left === 'string') spendText(work, left.length)
  if (left === right) return true
  if (typeName(left) !== typeName(right) || typeof left !== 'object') return false
  if (Array.isArray(left)) {
    const other = right as readonly unknown[]
    return left.length === other.length && left.every((item, index) => isEqual(work, item, other[index]))
  }
  const [one, other] = [left as Record<string, unknown>, right as Record<string, unknown>]
  const keys = keysOf(work, one)
  return (
    keys.length === keysOf(work, other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(work, one[key], other[key]))
  )
}

/** Negative, 0 or positive, as sorting wants it: numbers by value, texts by code point, the same in every locale. */
export function order(left: number | string, right: number | string): number {
  if (typeof left === 'string' && typeof right === 'string') return textOrder(left, right)
  return Number(left) - Number(right)
}

const surrogate = /[\ud800-\udfff]/

function textOrder(left: string, right: string): number {
  if (left === right) return 0
  if (!surrogate.test(left) && !surrogate.test(right)) return left < right ? -1 : 1
  let at = 0
  while (left[at] === right[at]) at += 1
  return rankAt(left, at) - rankAt(right, at)
}

/** Half of a pair stands above all that is written without pairs, but for the other half. */
function rankAt(text: string, at: number): number {
  if (at >= text.length) return -1
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
