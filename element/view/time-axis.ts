// Places the segments of a timeline: time in which the run only waited for a person is drawn short.
import { axisOf } from '../../src/drawing/time-axis.ts'
import type { Axis } from '../../src/drawing/time-axis.ts'
import type { Row } from './spans.ts'

/** The axis of these rows; what has no end lasts until `now`. */
export const timeAxis = (rows: readonly Row[], now: number): Axis =>
  axisOf(
    rows.flatMap(({ segments }) =>
      segments.map(({ kind, start, end }) => ({ start, end: end ?? Math.max(now, start), isWork: kind !== 'wait' })),
    ),
  )
