// Places the segments of a timeline: time in which the run only waited for a person is drawn short.
import type { Row, Segment } from './spans.ts'

export interface Axis {
  /** From 0 to 1. */
  at(time: number): number
  /** Time in which something worked, in milliseconds. */
  readonly workMs: number
}

interface Stretch {
  readonly from: number
  readonly to: number
  readonly isWork: boolean
}

/** A wait is at most this part of the picture, however long it was. */
const waitShare = 0.3

/** The axis of these rows; what has no end lasts until `now`. */
export function timeAxis(rows: readonly Row[], now: number): Axis {
  const segments = rows.flatMap(({ segments }) => segments)
  const stretches = stretchesOf(segments, now)
  const workMs = sum(stretches.filter(({ isWork }) => isWork))
  const idle = sum(stretches.filter(({ isWork }) => !isWork))
  const room = Math.max(workMs * (waitShare / (1 - waitShare)), 1)
  const shrink = idle > room ? room / idle : 1
  const drawn = stretches.map((stretch) => (stretch.to - stretch.from) * (stretch.isWork ? 1 : shrink))
  const total = Math.max(
    drawn.reduce((all, length) => all + length, 0),
    1,
  )
  return {
    workMs,
    at(time) {
      let place = 0
      for (const [index, { from, to }] of stretches.entries()) {
        if (time >= to) place += drawn[index] ?? 0
        else if (time > from) place += ((time - from) / (to - from)) * (drawn[index] ?? 0)
      }
      return place / total
    },
  }
}

const sum = (stretches: readonly Stretch[]): number => stretches.reduce((all, { from, to }) => all + to - from, 0)

/** The time between the first start and the last end, cut wherever a segment begins or ends. */
function stretchesOf(segments: readonly Segment[], now: number): readonly Stretch[] {
  const cuts = [...new Set(segments.flatMap(({ start, end }) => [start, end ?? Math.max(now, start)]))].sort(
    (a, b) => a - b,
  )
  const work = segments.filter(({ kind }) => kind !== 'wait')
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] as number
    const isWork = work.some(({ start, end }) => start < to && (end ?? Math.max(now, start)) > from)
    return { from, to, isWork }
  })
}
