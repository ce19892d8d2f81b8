// Puts the steps of a plan in an order in which each comes after those it needs, or finds the circle that has none.

/** What each step needs and what needs it, by place. */
export interface Links {
  readonly dependencies: readonly (readonly number[])[]
  readonly dependants: readonly (readonly number[])[]
}

/**
 * The places in an order in which they can run: first those that need nothing, as they are written. Fewer than there are
 * where some need each other. Time grows with steps and links.
 */
export function orderOf({ dependencies, dependants }: Links): readonly number[] {
  const open = dependencies.map((needed) => needed.length)
  const order = [...open.keys()].filter((index) => !open[index])
  // Grows while it is read.
  for (const index of order) {
    for (const next of dependants[index] ?? []) {
      open[next] = (open[next] ?? 0) - 1
      if (!open[next]) order.push(next)
    }
  }
  return order
}

/** A circle among the steps that are not in the order: each place needs the next, and the last the first. */
export function cycleOf({ dependencies }: Links, order: readonly number[]): readonly number[] {
  const done = new Set(order)
  const seen = new Map<number, number>()
  // Each step that is left needs another one that is left, so the walk ends only where it was before.
  let at = [...dependencies.keys()].find((index) => !done.has(index)) ?? 0
  const walked: number[] = []
  while (!seen.has(at)) {
    seen.set(at, walked.length)
    walked.push(at)
    at = dependencies[at]?.find((index) => !done.has(index)) ?? at
  }
  const circle = walked.slice(seen.get(at))
  // It begins with the step that is written first, wherever the walk came in.
  const first = circle.indexOf(circle.reduce((least, index) => Math.min(least, index)))
  return [...circle.slice(first), ...circle.slice(0, first)]
}
