// Places times on an axis: stretches in which nothing worked are drawn short.

export interface Stay {
  readonly start: number
  readonly end: number
  /** Whether something worked, or it only waited. */
  readonly isWork: boolean
}

export interface Stretch {
  readonly from: number
  readonly to: number
  readonly isWork: boolean
}

export interface Axis {
  /** From 0 to 1. */
  at(time: number): number
  /** Time in which something worked, in milliseconds. */
  readonly workMs: number
  /** Whether time without work takes less room than it lasted. */
  readonly isShortened: boolean
  /** From the first start to the last end, cut where work begins or ends. */
  readonly stretches: readonly Stretch[]
}

/** Time without work takes at most this part of the picture, however long it was. */
const waitShare = 0.3

/** Takes time in proportion to the stays and their sorting; a look-up takes the logarithm of it. */
export function axisOf(stays: readonly Stay[]): Axis {
  const stretches = stretchesOf(stays)
  const workMs = sum(stretches.filter(({ isWork }) => isWork))
  const idle = sum(stretches.filter(({ isWork }) => !isWork))
  const room = Math.max(workMs * (waitShare / (1 - waitShare)), 1)
  const shrink = idle > room ? room / idle : 1
  const ends: number[] = []
  let total = 0
  for (const { from, to, isWork } of stretches) ends.push((total += (to - from) * (isWork ? 1 : shrink)))
  return {
    workMs,
    isShortened: shrink < 1,
    stretches,
    at(time) {
      const index = firstAfter(stretches, time)
      const before = ends[index - 1] ?? 0
      const stretch = stretches[index]
      if (!stretch || time <= stretch.from) return before / Math.max(total, 1)
      const part = (time - stretch.from) / (stretch.to - stretch.from)
      return (before + part * ((ends[index] ?? 0) - before)) / Math.max(total, 1)
    },
  }
}

const sum = (stretches: readonly Stretch[]): number => stretches.reduce((all, { from, to }) => all + to - from, 0)

/** The index of the first stretch that is not over by then. */
function firstAfter(stretches: readonly Stretch[], time: number): number {
  let [low, high] = [0, stretches.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((stretches[middle] as Stretch).to <= time) low = middle + 1
    else high = middle
  }
  return low
}

function stretchesOf(stays: readonly Stay[]): readonly Stretch[] {
  const changes = new Map<number, number>()
  for (const { start, end, isWork } of stays) {
    changes.set(start, (changes.get(start) ?? 0) + Number(isWork))
    changes.set(end, (changes.get(end) ?? 0) - Number(isWork))
  }
  const cuts = [...changes].sort(([a], [b]) => a - b)
  const stretches: Stretch[] = []
  let working = 0
  for (const [index, [from, change]] of cuts.entries()) {
    const next = cuts[index + 1]
    if (!next) break
    working += change
    const last = stretches.at(-1)
    const isWork = working > 0
    if (last?.isWork === isWork) stretches[stretches.length - 1] = { ...last, to: next[0] }
    else stretches.push({ from, to: next[0], isWork })
  }
  return stretches
}
