// The order within the rows of a drawing, and places along them: few crossings, straight lines, nothing on top of another.

/** Stands in a row: a node, or where a long edge passes through. */
export interface Place {
  readonly layer: number
  /** Along the row. */
  readonly size: number
  /** An edge passes here, and should go on straight. */
  readonly isBend: boolean
  readonly above: number[]
  readonly below: number[]
}

type Rows = readonly (readonly number[])[]

/** Rows of places by their number, after a few sweeps of the barycentre rule. */
export function ordered(places: readonly Place[], layerCount: number): Rows {
  const rows = Array.from({ length: layerCount }, (): number[] => [])
  for (const [index, { layer }] of places.entries()) rows[layer]?.push(index)
  const sweeps = places.length > 4000 ? 2 : 8
  const position = new Array<number>(places.length).fill(0)
  const number = (row: readonly number[]): void => {
    for (const [at, place] of row.entries()) position[place] = (at + 0.5) / row.length
  }
  for (const row of rows) number(row)
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isDown = sweep % 2 === 0
    for (const row of isDown ? rows : [...rows].reverse()) {
      const wish = new Map<number, number>()
      for (const place of row) {
        const { above = [], below = [] } = places[place] ?? {}
        const near = isDown ? above : below
        wish.set(place, near.length ? mean(near, position) : (position[place] ?? 0))
      }
      row.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0) || (position[a] ?? 0) - (position[b] ?? 0))
      number(row)
    }
  }
  return rows
}

const mean = (near: readonly number[], values: readonly number[]): number =>
  near.reduce((sum, place) => sum + (values[place] ?? 0), 0) / near.length

/** The middle of each place along its row. Places in a row keep their order and at least `gap` between them. */
export function spread(places: readonly Place[], rows: Rows, gap: number): readonly number[] {
  const middle = new Array<number>(places.length).fill(0)
  for (const row of rows) {
    const wishes = row.map(() => 0)
    settle({ row, places, gap, wishes }, middle)
  }
  const rounds = roundsFor(places.length)
  for (let round = 0; round < rounds; round++) {
    const isDown = round % 2 === 0
    for (const row of isDown ? rows : [...rows].reverse()) {
      const wishes = row.map((place) => {
        const { above = [], below = [] } = places[place] ?? {}
        // The last rounds balance a place between both sides, so that neither is favoured.
        const near = round < rounds * 0.7 ? facing(isDown ? above : below, above, below) : [...above, ...below]
        return near.length ? weighted({ place, near }, places, middle) : (middle[place] ?? 0)
      })
      settle({ row, places, gap, wishes }, middle)
    }
  }
  return middle
}

/** More rounds make straighter lines; a large graph is not worth their time. */
function roundsFor(places: number): number {
  if (places > 4000) return 4
  return places > 800 ? 16 : 60
}

const facing = (near: readonly number[], above: readonly number[], below: readonly number[]): readonly number[] =>
  near.length ? near : [...above, ...below]

/** Between two bends an edge is held straighter than where it meets a box. */
const bendWeight = 6

function weighted(
  { place, near }: { readonly place: number; readonly near: readonly number[] },
  places: readonly Place[],
  middle: readonly number[],
): number {
  let sum = 0
  let weights = 0
  for (const other of near) {
    const weight = places[place]?.isBend === true && places[other]?.isBend === true ? bendWeight : 1
    sum += weight * (middle[other] ?? 0)
    weights += weight
  }
  return sum / weights
}

interface Row {
  readonly row: readonly number[]
  readonly places: readonly Place[]
  readonly gap: number
  readonly wishes: readonly number[]
}

/**
 * Puts the places of a row as near to their wishes as their sizes allow, by least squares: with the room they need taken
 * off, wishes that are out of order are pooled to their mean.
 */
function settle({ row, places, gap, wishes }: Row, middle: number[]): void {
  const offsets: number[] = []
  const pools: { sum: number; weight: number; count: number }[] = []
  let offset = 0
  for (const [at, place] of row.entries()) {
    const { size = 0, isBend = false } = places[place] ?? {}
    const weight = isBend ? 2 : 1
    const before = places[row[at - 1] ?? -1]
    if (before) offset += (before.size + size) / 2 + gap
    offsets.push(offset)
    let pool = { sum: weight * ((wishes[at] ?? 0) - offset), weight, count: 1 }
    for (let last = pools.at(-1); last && last.sum / last.weight >= pool.sum / pool.weight; last = pools.at(-1)) {
      pools.pop()
      pool = { sum: last.sum + pool.sum, weight: last.weight + pool.weight, count: last.count + pool.count }
    }
    pools.push(pool)
  }
  let at = 0
  for (const { sum, weight, count } of pools)
    for (let left = count; left > 0; left--, at++) middle[row[at] as number] = sum / weight + (offsets[at] ?? 0)
}
