// A plan or a workflow as a picture in SVG.
import type { StepStatus } from '../plan/step.ts'
import { card, outlineOf } from './card.ts'
import { graphOf } from './drawn.ts'
import type { Drawable, DrawnResult, Graph, GraphEdge, DrawingOptions } from './graph.ts'
import { layout } from './layout.ts'
import type { Box, Layout, Outline, Point, Route, Spacing } from './layout.ts'
import { lettered, painted, svg } from './paint.ts'
import type { PaintName } from './paint.ts'
import { counted, fitted, textWidth } from './words.ts'

const margin = 24
/** Past the middle of a curve, where those that leave one box are apart. */
const down: Spacing = { gap: 28, rowGap: 62, label: { x: 0.82, y: 0.64 } }
const widestLabel = 110

/**
 * A picture that stands alone: one `<svg>` with its style in it, in light and dark as the reader's system asks. A page
 * sets colours by `--sl-ink`, `--sl-panel` and so on; where it forbids inline styles, the light colours stay. Whatever
 * names hold, they are text. The same input gives the same picture. Throws `config-invalid` for what is neither a plan
 * nor a workflow.
 */
export function toSvg(subject: Drawable, result?: DrawnResult, options: DrawingOptions = {}): string {
  const graph = graphOf(subject, result, options)
  const isAcross = options.direction === 'right'
  const outlines = graph.nodes.map(outlineOf)
  const placed = isAcross
    ? turned(layout(outlines.map(turnedSize), graph.edges, across(graph.edges)))
    : layout(outlines, graph.edges, down)
  const edges = graph.edges.map((edge, index) => edgeParts(edge, placed.routes[index] as Route, isAcross))
  const body = [
    `<g transform="translate(${margin} ${margin})">`,
    ...edges.map(({ line }) => line),
    ...graph.nodes.map((node, index) => card(node, placed.boxes[index] as Box)),
    // Above the boxes: a label may reach over the border of one.
    ...edges.map(({ label }) => label).filter((label) => label !== ''),
    '</g>',
  ]
  const width = Math.ceil(
    Math.max(
      placed.width,
      edges.reduce((most, { right }) => Math.max(most, right), 0),
    ),
  )
  const height = Math.ceil(placed.height)
  return svg({ width: width + 2 * margin, height: height + 2 * margin, summary: summaryOf(graph), body })
}

/** Labels need their width between the rows. */
function across(edges: readonly GraphEdge[]): Spacing {
  const widest = edges.reduce((most, edge) => Math.max(most, textWidth(edgeText(edge), labelFont)), 0)
  return { gap: 24, rowGap: 56 + widest, label: { x: 0.5, y: 0.5 } }
}

const labelFont = { size: 11.5 }

const edgeText = ({ label, taken = 0 }: GraphEdge): string =>
  fitted([label, taken > 1 ? `×${taken}` : ''].filter((part) => part !== '').join(' '), widestLabel, labelFont)

const turnedSize = ({ width, height, ...rest }: Outline): Outline => ({ ...rest, width: height, height: width })
const turnedPoint = ({ x, y }: Point): Point => ({ x: y, y: x })

const turned = ({ boxes, routes, width, height }: Layout): Layout => ({
  boxes: boxes.map((box) => ({ ...box, ...turnedSize(box), ...turnedPoint(box) })),
  routes: routes.map((route) => ({
    ...route,
    points: route.points.map(turnedPoint),
    label: turnedPoint(route.label),
  })),
  width: height,
  height: width,
})

interface EdgeParts {
  readonly line: string
  readonly label: string
  /** How far the label reaches. */
  readonly right: number
}

const lines = { flow: 'edge', after: 'edge-after', error: 'edge-error' } as const
const heads = { flow: 'head', after: 'head', error: 'head-error' } as const

function edgeParts(edge: GraphEdge, route: Route, isAcross: boolean): EdgeParts {
  const { taken = 0, kind } = edge
  const isTaken = taken > 0
  const paint: PaintName = isTaken ? 'edge-taken' : lines[kind]
  const headPaint: PaintName = isTaken ? 'head-taken' : heads[kind]
  const { points } = route
  const end = points.at(-1) as Point
  const before = points.at(-2) as Point
  // An edge arrives straight along the way of the picture, or from the side when it runs back.
  const way = route.isBack ? unit(before, end) : { x: Number(isAcross), y: Number(!isAcross) }
  const stop = { x: end.x - way.x * 6, y: end.y - way.y * 6 }
  const through = [...points.slice(0, -1), stop]
  const path = route.isBack ? cornered(through) : curved(through, isAcross)
  const text = edgeText(edge)
  const { x, y } = route.label
  return {
    line: `<path d="${path}"${painted(paint)}/>${arrow(end, way, painted(headPaint))}`,
    label: text === '' ? '' : lettered(text, { x, y: y + 4, paint: 'label', ...labelFont, anchor: 'middle' }),
    right: text === '' ? 0 : x + textWidth(text, labelFont) / 2,
  }
}

function unit(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1
  return { x: (to.x - from.x) / length, y: (to.y - from.y) / length }
}

/** Forms of its own and no marker: a marker has an id, which another picture of the page may have, too. */
function arrow({ x, y }: Point, way: Point, paint: string): string {
  const base = { x: x - way.x * 8, y: y - way.y * 8 }
  const half = 4
  const corners = [
    `${r(x)} ${r(y)}`,
    `${r(base.x - way.y * half)} ${r(base.y + way.x * half)}`,
    `${r(base.x + way.y * half)} ${r(base.y - way.x * half)}`,
  ]
  return `<path d="M${corners.join('L')}Z"${paint}/>`
}

/** Leaves and arrives along the way of the picture; between rows it swings from one line to the next. */
function curved(points: readonly Point[], isAcross: boolean): string {
  const [start, ...rest] = points
  let path = `M${r(start?.x ?? 0)} ${r(start?.y ?? 0)}`
  let { x, y } = start as Point
  for (const next of rest) {
    const isStraight = isAcross ? Math.abs(next.y - y) < 0.2 : Math.abs(next.x - x) < 0.2
    const half = isAcross ? (x + next.x) / 2 : (y + next.y) / 2
    if (isStraight) path += `L${r(next.x)} ${r(next.y)}`
    else if (isAcross) path += `C${r(half)} ${r(y)} ${r(half)} ${r(next.y)} ${r(next.x)} ${r(next.y)}`
    else path += `C${r(x)} ${r(half)} ${r(next.x)} ${r(half)} ${r(next.x)} ${r(next.y)}`
    ;({ x, y } = next)
  }
  return path
}

/** Straight lines with round corners. */
function cornered(points: readonly Point[]): string {
  const parts = points.map((point, index) => {
    const before = points[index - 1]
    const after = points[index + 1]
    if (!before) return `M${r(point.x)} ${r(point.y)}`
    if (!after) return `L${r(point.x)} ${r(point.y)}`
    const room = Math.min(
      Math.hypot(point.x - before.x, point.y - before.y),
      Math.hypot(after.x - point.x, after.y - point.y),
    )
    const radius = Math.min(12, room / 2)
    const [into, out] = [unit(before, point), unit(point, after)]
    return (
      `L${r(point.x - into.x * radius)} ${r(point.y - into.y * radius)}` +
      `Q${r(point.x)} ${r(point.y)} ${r(point.x + out.x * radius)} ${r(point.y + out.y * radius)}`
    )
  })
  return parts.join('')
}

const r = (value: number): number => Math.round(value * 10) / 10

function summaryOf({ kind, name, nodes }: Graph): string {
  const byStatus = new Map<StepStatus, number>()
  for (const { status } of nodes) if (status) byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  const ends = [...byStatus].map(([status, count]) => `${count} ${status}`).join(', ')
  const named = name === '' ? '' : ` ${name}`
  const size = counted(nodes.length, kind === 'plan' ? 'step' : 'node')
  const what = `${kind === 'plan' ? 'Plan' : 'Workflow'}${named} of ${size}`
  return ends === '' ? what : `${what}: ${ends}`
}
