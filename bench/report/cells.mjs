// What stands in the cells: a figure, its ratio to the floor, or why there is none.
import { digits } from './table.mjs'

/** `a / b`, where both are there. */
export const ratio = (a, b) => (a > 0 && b > 0 ? a / b : undefined)

const times = (value) => (value === undefined ? '' : ` (${digits(value)}x)`)

/** CPU of a run: smallest and median, and the smallest against the floor's. */
export function cpuCell(result, floor) {
  if (result === undefined) return '-'
  if (result.failure !== undefined) return result.failure.slice(0, 24)
  return `${digits(result.min)} / ${digits(result.median)}${times(ratio(result.min, floor?.min))}`
}

/** One figure against the floor's. */
export function figureCell(result, floor, { key, unit }) {
  if (result === undefined) return '-'
  if (result.failure !== undefined) return result.failure.slice(0, 24)
  return `${digits(result[key])} ${unit}${times(ratio(result[key], floor?.[key]))}`
}

/** The last column: how many times more than ours a rival needs. */
export function rivalCell(ours, rival, key) {
  const found = ratio(rival?.[key], ours?.[key])
  return found === undefined ? '-' : `${digits(found)}x`
}
