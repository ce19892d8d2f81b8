// What a finished run did when, as a picture in SVG: a row for each model call, tool call and node, bars on an axis of time.
import type { RunEvent } from '../message/event.ts'
import type { StepStatus } from '../plan/step.ts'
import { lettered, painted, sign, svg, titled } from './paint.ts'
import type { PaintName } from './paint.ts'
import { axisOf } from './time-axis.ts'
import type { Axis } from './time-axis.ts'
import { waterfall } from './waterfall.ts'
import type { Span } from './waterfall.ts'
import { counted, duration, fitted, textWidth } from './words.ts'

export interface WaterfallOptions {
  /** Of the picture, in its own units, from 480 to 10,000. Default 960. */
  readonly width?: number | undefined
}

const margin = 20
const rowHeight = 28
const barHeight = 14
const indent = 16
const deepestIndent = 8
const labelWidth = 240
const timeWidth = 72
const headHeight = 34
const footHeight = 40
const mostTicks = 200
const boldFont = { size: 15 }

interface Sheet {
  readonly axis: Axis
  /** The left of the bars, and their width. */
  readonly left: number
  readonly width: number
}

/**
 * A picture like those of `toSvg`, from the whole log of a run, as `waterfall` reads it. Waits for people are hatched; time
 * in which nothing worked is drawn short, and a note says so.
 */
export function waterfallSvg(events: readonly RunEvent[], options: WaterfallOptions = {}): string {
  const { spans, totalMs } = waterfall(events)
  const axis = axisOf(staysOf(spans, totalMs))
  const { width = 960 } = options
  const total = Number.isFinite(width) ? Math.min(Math.max(Math.round(width), 480), 10_000) : 960
  const left = margin + labelWidth
  const sheet: Sheet = { axis, left, width: total - left - timeWidth - margin }
  const rows = rowsOf(spans)
  const height = margin + headHeight + rows.length * rowHeight + footHeight
  const bottom = height - footHeight + 4
  const body = [
    ...ticks(sheet, bottom),
    ...rows.map((row, index) => rowParts(row, sheet, margin + headHeight + index * rowHeight)),
    foot(spans, axis, { x: left, y: bottom + 20 }),
  ]
  return svg({ width: total, height, summary: summaryOf(spans, totalMs), body })
}

function rowsOf(spans: readonly Span[]): readonly (readonly Span[])[] {
  const rows: Span[][] = []
  for (const span of spans) {
    const row = rows[span.row]
    if (row) row.push(span)
    else rows[span.row] = [span]
  }
  return rows.filter((row) => row !== undefined)
}

/** A node, and a call that others run in, work only as far as what is in them does. */
function staysOf(spans: readonly Span[], totalMs: number): readonly { start: number; end: number; isWork: boolean }[] {
  const rows = rowsOf(spans)
  const stays = rows.flatMap((row, index) => {
    const isHolder = (rows[index + 1]?.[0]?.depth ?? 0) > (row[0]?.depth ?? 0)
    const isShared = row.some(({ kind }) => kind !== 'node')
    return row.map(({ kind, startMs, endMs }) => ({
      start: startMs,
      end: endMs,
      isWork: kind === 'model' || (kind === 'tool' && !isHolder) || (kind === 'node' && !isHolder && !isShared),
    }))
  })
  return [{ start: 0, end: totalMs, isWork: false }, ...stays]
}

const xOf = ({ axis, left, width }: Sheet, time: number): number => round(left + axis.at(time) * width)
const round = (value: number): number => Math.round(value * 10) / 10

function ticks(sheet: Sheet, bottom: number): readonly string[] {
  const { axis, width } = sheet
  const parts: string[] = []
  const top = margin + headHeight - 6
  const step = niceStep(axis.workMs / Math.max(width / 110, 1))
  let last = -Infinity
  for (const { from, to, isWork } of axis.stretches) {
    if (!isWork) continue
    // Counted, as adding a small step to a huge time changes nothing.
    for (let index = 0; index < mostTicks; index++) {
      const time = (Math.ceil(from / step) + index) * step
      if (time > to) break
      const x = xOf(sheet, time)
      // After a wait that is drawn short, the next time may stand too near.
      if (x - last < 64) continue
      last = x
      parts.push(
        `<path d="M${x} ${top}V${bottom - 6}" stroke-width="1"${painted('tick')}/>`,
        lettered(time === 0 ? '0' : duration(time), { x, y: top - 8, paint: 'faint', size: 11, anchor: 'middle' }),
      )
    }
  }
  return parts
}

function niceStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(atLeast, 1)))
  return ([1, 2, 5].find((factor) => factor * power >= atLeast) ?? 10) * power
}

function rowParts(spans: readonly Span[], sheet: Sheet, top: number): string {
  const [first] = spans as readonly [Span, ...Span[]]
  const middle = top + rowHeight / 2
  const x = margin + indent * Math.min(first.depth, deepestIndent)
  const last = spans.at(-1) ?? first
  const status = first.kind === 'node' ? lastOf(spans, 'node').status : last.status
  const words = x + 24
  const room = margin + labelWidth - 16 - words
  const name = fitted(nameOf(first), room, boldFont)
  const tool = spans.find(({ kind, name }) => kind !== 'node' && name !== first.name)?.name
  const rest = room - textWidth(name, boldFont) - 8
  const long = spans.reduce((end, { endMs }) => Math.max(end, endMs), 0) - first.startMs
  // What a node does is shown by what runs in it, in the same row.
  const isShared = spans.some(({ kind }) => kind !== 'node')
  const drawn = isShared ? spans.filter(({ kind }) => kind !== 'node') : spans
  return [
    `<g>${titled([nameOf(first), ...spans.flatMap(factsOf)])}`,
    `<rect x="${margin - 8}" y="${top}" width="${sheet.left + sheet.width + timeWidth - margin + 16}" height="${rowHeight}" fill-opacity="0"/>`,
    sign(status, { x: x + 8, y: middle }),
    lettered(name, { x: words, y: middle + 4.5, paint: first.kind === 'model' ? 'quiet' : 'name' }),
    ...(tool !== undefined && rest > 40
      ? [
          lettered(fitted(tool, rest, { size: 11.5, mono: true }), {
            x: round(words + textWidth(name, boldFont) + 6),
            y: middle + 4.5,
            paint: 'faint',
            size: 11.5,
            isMono: true,
          }),
        ]
      : []),
    ...drawn.map((span) => bar(span, sheet, middle)),
    lettered(status === 'skipped' ? '–' : duration(long), {
      x: sheet.left + sheet.width + timeWidth,
      y: middle + 4,
      paint: 'faint',
      size: 11,
      anchor: 'end',
    }),
    '</g>',
  ].join('')
}

const nameOf = ({ kind, name }: Span): string => (kind === 'model' ? `model · ${name}` : name)

const lastOf = (spans: readonly Span[], kind: Span['kind']): Span =>
  spans.filter((span) => span.kind === kind).at(-1) ?? (spans[0] as Span)

const factsOf = ({ kind, name, status, facts }: Span): readonly string[] => [`${kind} ${name}: ${status}`, ...facts]

function bar(span: Span, sheet: Sheet, middle: number): string {
  const from = xOf(sheet, span.startMs)
  const width = Math.max(round(xOf(sheet, span.endMs) - from), 3)
  const top = middle - barHeight / 2
  if (span.kind === 'approval') return waitBar({ from, width, top })
  const paint = painted(barPaint(span))
  // A node is the track behind what runs in it.
  if (span.kind === 'node')
    return `<rect x="${from}" y="${top + 4}" width="${width}" height="${barHeight - 8}" rx="3"${paint}/>`
  const rect = `<rect x="${from}" y="${top}" width="${width}" height="${barHeight}" rx="4"${paint}/>`
  if (span.status !== 'failed' || width < 12) return rect
  const cross = `M${round(from + 4)} ${middle - 3}l6 6m0 -6l-6 6`
  return `${rect}<path d="${cross}" stroke-width="1.5" stroke-linecap="round"${painted('cross')}/>`
}

function barPaint({ kind, status }: Span): PaintName {
  if (status === 'failed') return 'failed'
  if (status === 'cancelled' || status === 'skipped') return 'quietly'
  return kind === 'approval' ? 'wait' : kindPaints[kind]
}

const kindPaints = { model: 'model', tool: 'tool', node: 'node' } as const

/** Hatched by lines of its own: a pattern has an id, which another picture of the page may have, too. */
function waitBar({
  from,
  width,
  top,
}: {
  readonly from: number
  readonly width: number
  readonly top: number
}): string {
  const [right, bottom] = [from + width, top + barHeight]
  const lines: string[] = []
  for (let x = from - barHeight + 6; x < right; x += 6) {
    // From the bottom left to the top right, cut at both sides.
    const x1 = Math.max(x, from)
    const x2 = Math.min(x + barHeight, right)
    if (x2 > x1) lines.push(`M${round(x1)} ${round(bottom - (x1 - x))}L${round(x2)} ${round(bottom - (x2 - x))}`)
  }
  return (
    `<rect x="${from}" y="${top}" width="${width}" height="${barHeight}" rx="4" stroke-width="1"${painted('wait')}/>` +
    `<path d="${lines.join('')}" stroke-width="1" stroke-opacity=".5"${painted('hatch')}/>`
  )
}

const kindWords = { model: 'Model', tool: 'Tool', node: 'Step or node', approval: 'Waiting for a person' } as const

/** The kinds that are there. */
function foot(spans: readonly Span[], axis: Axis, { x, y }: { readonly x: number; readonly y: number }): string {
  const present = new Set(spans.map(({ kind }) => kind))
  const parts: string[] = []
  let at = x
  for (const kind of ['node', 'model', 'tool', 'approval'] as const) {
    if (!present.has(kind)) continue
    const square = { from: at, width: 18, top: y - 11 }
    parts.push(
      kind === 'approval'
        ? waitBar(square)
        : `<rect x="${at}" y="${y - 11 + (kind === 'node' ? 4 : 0)}" width="18" height="${kind === 'node' ? 6 : barHeight}" rx="3"${painted(kindPaints[kind])}/>`,
      lettered(kindWords[kind], { x: at + 25, y, paint: 'faint', size: 11.5 }),
    )
    at = Math.round(at + 25 + textWidth(kindWords[kind], { size: 11.5 }) + 18)
  }
  if (axis.isShortened) parts.push(lettered('Waiting is drawn short', { x: at, y, paint: 'faint', size: 11.5 }))
  return parts.join('')
}

function summaryOf(spans: readonly Span[], totalMs: number): string {
  const count = (kind: Span['kind'], word: string): string | undefined => {
    const all = spans.filter((span) => span.kind === kind).length
    return all ? counted(all, word) : undefined
  }
  const failed = spans.filter(({ status }) => status === ('failed' satisfies StepStatus)).length
  const parts = [
    count('node', 'visited node'),
    count('model', 'model call'),
    count('tool', 'tool call'),
    count('approval', 'wait'),
    failed ? `${failed} failed` : undefined,
  ].filter((part) => part !== undefined)
  return `Run of ${duration(totalMs)}: ${parts.join(', ') || 'nothing'}`
}
