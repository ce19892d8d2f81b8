// The table of plans: each planner against bare calls, the rival against ours, and what building costs.
import { ratio, rivalCell } from './cells.mjs'
import { digits, table } from './table.mjs'

function stepCell(result, floor) {
  if (result === undefined) return '-'
  if (result.failure !== undefined) return result.failure.slice(0, 24)
  const against = ratio(result.stepUs, floor?.stepUs)
  const times = against === undefined ? '' : ` (${digits(against)}x)`
  return `${digits(result.stepUs)} / ${digits(result.medianUs)}${times}`
}

/** Prints a head; the returned function prints the row of a scenario. */
export function planTable(planners) {
  const row = table([
    ['scenario', 20],
    ...planners.map((planner) => [planner, 24]),
    ['langgraph/ours', 14],
    ['building: ours', 14],
    ['langgraph', 10],
  ])
  return (name, found, floor) => {
    const { ours, langgraph } = found
    const cells = planners.map((planner) => stepCell(found[planner], floor))
    row([name, ...cells, rivalCell(ours, langgraph, 'stepUs'), digits(ours?.buildUs), digits(langgraph?.buildUs)])
  }
}
