// The plans: steps in a row or side by side, and what a right run of them gives.

/** Of `size` calls of a tool that adds one. */
const shapes = {
  /** Each step takes the value of the one before. */
  chain: { values: (size) => [size] },
  /** As many steps as calls, none of which needs another. */
  wide: { values: (size) => inRow(size).map((n) => n + 1) },
  /** One step over a list. */
  each: { values: (size) => inRow(size).map((n) => n + 1) },
}

/** 0 to `size` - 1. */
export const inRow = (size) => Array.from({ length: size }, (_, index) => index)

/** A plan by its name, for example `plan-chain-1000`; with `-read` every event of the run is read. */
export function planScenario(name) {
  const [, shape, number, read] = /^plan-([a-z]+)-(\d+)(-read)?$/.exec(name) ?? []
  if (!Object.hasOwn(shapes, shape ?? '')) throw new Error(`Unknown scenario "${name}"`)
  const size = Number(number)
  return { name, shape, size, isRead: read !== undefined, wanted: shapes[shape].values(size) }
}

/** Throws unless the values are those of the plan: of a chain the last one, else all. */
export function checkValues({ name, wanted }, values) {
  const isRight = values.length === wanted.length && wanted.every((value, index) => value === values[index])
  if (!isRight) throw new Error(`${name}: wanted ${wanted.length} values, got ${values.length} or others`)
}
