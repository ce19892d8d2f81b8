// One node of a drawing: its outline by type, and the words in it.
import { isStatus } from './graph.ts'
import type { GraphNode, Shape } from './graph.ts'
import type { Box, Outline } from './layout.ts'
import { lettered, painted, sign, titled } from './paint.ts'
import type { PaintName } from './paint.ts'
import { duration, fitted, textWidth } from './words.ts'

const cardWidth = 216
const padding = 14

/** Words are in the middle of these, and no sign fits beside them. */
const isPointed = (shape: Shape): boolean => shape === 'if' || shape === 'switch'

/** Of one size each, whatever their words are, so that rows and columns are even. */
export function outlineOf({ shape, lines }: GraphNode): Outline {
  if (shape === 'start' || shape === 'end') return { width: 120, height: 40 }
  if (isPointed(shape)) return { width: 232, height: 92, isPointed: true }
  return { width: cardWidth, height: 38 + 18 * Math.min(lines.length, 3) }
}

export function card(node: GraphNode, box: Box): string {
  return [
    `<g>${titled([node.id, ...node.facts])}`,
    ...outline(node, box),
    ...(isPointed(node.shape) ? centred(node, box) : aligned(node, box)),
    '</g>',
  ].join('')
}

function paintOf({ shape, status, visits = 0 }: GraphNode): PaintName {
  if (status === 'failed' || status === 'pending' || status === 'skipped' || status === 'cancelled')
    return `box-${status}`
  if (visits > 0) return 'box-taken'
  if (shape === 'start' || shape === 'end') return 'box-end'
  return status === 'ok' ? 'box-ok' : 'box'
}

function outline(node: GraphNode, { x, y, width, height }: Box): readonly string[] {
  const paint = painted(paintOf(node))
  const [left, top, right, bottom] = [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
  const rect = (dx: number, dy: number, radius: number): string =>
    `<rect x="${left + dx}" y="${top + dy}" width="${width - Math.abs(dx)}" height="${height - Math.abs(dy)}" rx="${radius}"${paint}/>`
  switch (node.shape) {
    case 'start':
    case 'end':
      return [rect(0, 0, height / 2)]
    case 'if':
    case 'switch':
      return [
        `<path d="M${left + 5} ${y - 2}L${x - 5} ${top + 2}Q${x} ${top} ${x + 5} ${top + 2}L${right - 5} ${y - 2}` +
          `Q${right} ${y} ${right - 5} ${y + 2}L${x + 5} ${bottom - 2}Q${x} ${bottom} ${x - 5} ${bottom - 2}` +
          `L${left + 5} ${y + 2}Q${left} ${y} ${left + 5} ${y - 2}Z"${paint}/>`,
      ]
    case 'approval':
      return [
        `<path d="M${left + 14} ${top}H${right - 14}Q${right - 11} ${top} ${right - 9} ${top + 3}L${right} ${y}` +
          `L${right - 9} ${bottom - 3}Q${right - 11} ${bottom} ${right - 14} ${bottom}H${left + 14}` +
          `Q${left + 11} ${bottom} ${left + 9} ${bottom - 3}L${left} ${y}L${left + 9} ${top + 3}Q${left + 11} ${top} ${left + 14} ${top}Z"${paint}/>`,
      ]
    case 'map':
    case 'each':
      // As many cards as there are items.
      return [rect(5, 5, 8), shrunk({ left, top, width, height }, paint)]
    case 'parallel':
      return [rect(0, 0, 8), `<path d="M${left + 6} ${top}V${bottom}M${right - 6} ${top}V${bottom}"${paint}/>`]
    case 'wait':
      return [rect(0, 0, 18)]
    default:
      return [rect(0, 0, 8)]
  }
}

interface Corner {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const shrunk = ({ left, top, width, height }: Corner, paint: string): string =>
  `<rect x="${left}" y="${top}" width="${width - 5}" height="${height - 5}" rx="8"${paint}/>`

/** Words from the left, the time at the right. */
function aligned(
  { id, shape, lines, status, durationMs, visits = 0 }: GraphNode,
  { x, y, width }: Box,
): readonly string[] {
  const isSmall = shape === 'start' || shape === 'end'
  const drawn = isStatus(status)
  const left = x - width / 2 + padding
  const right = x + width / 2 - padding - (shape === 'map' || shape === 'each' ? 5 : 0)
  const shown = lines.slice(0, 3)
  // Of the first line; the letters stand a little above it.
  const first = y - (shown.length * 18) / 2 + 4.5 - (shape === 'map' || shape === 'each' ? 2.5 : 0)
  // These two do nothing that takes time.
  const time = isSmall ? '' : timeOf(durationMs, visits)
  const words = left + (drawn ? 24 : 0)
  const room = right - words - (time === '' ? 0 : textWidth(time, { size: 11 }) + 8)
  const name = fitted(id, room, { size: 15 })
  if (isSmall && !drawn) return [lettered(name, { x, y: y + 4.5, paint: 'name', anchor: 'middle' })]
  return [
    ...(drawn ? [sign(status, { x: left + 8, y: shown.length ? first - 4.5 : y })] : []),
    lettered(name, { x: words, y: first, paint: 'name' }),
    ...(time === '' ? [] : [lettered(time, { x: right, y: first, paint: 'faint', size: 11, anchor: 'end' })]),
    ...shown.map((line, index) =>
      lettered(fitted(line, right - words, { size: 11.5, mono: true }), {
        x: words,
        y: first + 18 * (index + 1),
        paint: 'quiet',
        size: 11.5,
        isMono: true,
      }),
    ),
  ]
}

function centred({ id, lines, status, durationMs, visits = 0 }: GraphNode, { x, y, width }: Box): readonly string[] {
  const time = timeOf(durationMs, visits)
  const name = fitted(id, width * 0.56, { size: 15 })
  const middle = { x, anchor: 'middle' } as const
  return [
    ...(isStatus(status) ? [sign(status, { x, y: y - 27 })] : []),
    lettered(name, { ...middle, y: y - 3, paint: 'name' }),
    lettered(fitted(lines[0] ?? '', width * 0.6, { size: 11.5, mono: true }), {
      ...middle,
      y: y + 14,
      paint: 'quiet',
      size: 11.5,
      isMono: true,
    }),
    ...(time === '' ? [] : [lettered(time, { ...middle, y: y + 30, paint: 'faint', size: 11 })]),
  ]
}

const timeOf = (durationMs: number | undefined, visits: number): string =>
  [visits > 1 ? `×${visits}` : '', durationMs === undefined ? '' : duration(durationMs)]
    .filter((text) => text !== '')
    .join(' · ')
