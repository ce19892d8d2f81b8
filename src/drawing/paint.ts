// The look of all drawings: which colour each class has, in light and in dark, and the small signs of how something ended.
import type { StepStatus } from '../plan/step.ts'
import { escapeXml } from './words.ts'

/**
 * Light and dark. A page sets its own under `--sl-` and the name; these are its names in the demo, so there the drawings
 * follow the page.
 */
const colours = {
  bg: ['#fafaf7', '#101318'],
  panel: ['#ffffff', '#191c22'],
  sunken: ['#f5f4f0', '#0c0e14'],
  hover: ['#f0eeea', '#23262d'],
  line: ['#e2e1dd', '#2a2e35'],
  'line-strong': ['#c5c4be', '#464a53'],
  ink: ['#1c1f25', '#e9ebef'],
  'ink-2': ['#4c5058', '#b0b4bc'],
  'ink-3': ['#656971', '#91959e'],
  accent: ['#3d5dcf', '#88a7fd'],
  'accent-soft': ['#eaf0ff', '#202a47'],
  ok: ['#0a693c', '#68cd8f'],
  'ok-soft': ['#e1f7e7', '#122d1d'],
  warn: ['#8a5100', '#edb755'],
  'warn-soft': ['#fef0d4', '#36250d'],
  bad: ['#ba1e20', '#fb817a'],
  'bad-soft': ['#ffece9', '#421c19'],
} as const

type Colour = keyof typeof colours

interface Paint {
  readonly fill?: Colour | 'none' | undefined
  readonly stroke?: Colour | 'none' | undefined
  /** What is the same in light and dark, as attributes. */
  readonly rest?: Readonly<Record<string, string>> | undefined
}

/** How a step or a node ended is the end of some names. */
export type PaintName =
  | 'ground'
  | 'box'
  | `box-${StepStatus | 'taken' | 'end'}`
  | 'name'
  | 'quiet'
  | 'faint'
  | 'edge'
  | `edge-${'after' | 'error' | 'taken'}`
  | 'head'
  | `head-${'error' | 'taken'}`
  | 'label'
  | `sign-${StepStatus}`
  | 'tick'
  | 'model'
  | 'tool'
  | 'node'
  | 'failed'
  | 'quietly'
  | 'wait'
  | 'hatch'
  | 'cross'

const line = { 'stroke-width': '1.25', 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }
const dashed = { ...line, 'stroke-dasharray': '5 4' }
const paints: Readonly<Record<PaintName, Paint>> = {
  ground: { fill: 'bg' },
  box: { fill: 'panel', stroke: 'line-strong' },
  'box-ok': { fill: 'panel', stroke: 'line-strong' },
  'box-failed': { fill: 'bad-soft', stroke: 'bad', rest: { 'stroke-width': '1.5' } },
  'box-skipped': { fill: 'bg', stroke: 'line-strong', rest: { 'stroke-dasharray': '4 3' } },
  'box-cancelled': { fill: 'bg', stroke: 'line-strong', rest: { 'stroke-dasharray': '4 3' } },
  'box-pending': { fill: 'warn-soft', stroke: 'warn' },
  'box-taken': { fill: 'panel', stroke: 'accent', rest: { 'stroke-width': '1.5' } },
  'box-end': { fill: 'accent-soft', stroke: 'accent' },
  name: { fill: 'ink', rest: { 'font-weight': '600' } },
  quiet: { fill: 'ink-2' },
  faint: { fill: 'ink-3' },
  edge: { fill: 'none', stroke: 'ink-3', rest: { ...line, 'stroke-opacity': '.75' } },
  'edge-after': { fill: 'none', stroke: 'ink-3', rest: { ...dashed, 'stroke-opacity': '.75' } },
  'edge-error': { fill: 'none', stroke: 'bad', rest: dashed },
  'edge-taken': { fill: 'none', stroke: 'accent', rest: { ...line, 'stroke-width': '2.25' } },
  head: { fill: 'ink-3', rest: { 'fill-opacity': '.85' } },
  'head-error': { fill: 'bad' },
  'head-taken': { fill: 'accent' },
  label: {
    fill: 'ink-2',
    stroke: 'bg',
    rest: { 'stroke-width': '5', 'stroke-linejoin': 'round', 'paint-order': 'stroke' },
  },
  'sign-ok': { fill: 'ok-soft', stroke: 'ok' },
  'sign-failed': { fill: 'panel', stroke: 'bad' },
  'sign-skipped': { fill: 'hover', stroke: 'ink-3' },
  'sign-cancelled': { fill: 'hover', stroke: 'ink-3' },
  'sign-pending': { fill: 'panel', stroke: 'warn' },
  tick: { stroke: 'line' },
  model: { fill: 'accent', rest: { 'fill-opacity': '.8' } },
  tool: { fill: 'ok', rest: { 'fill-opacity': '.75' } },
  node: { fill: 'line-strong' },
  failed: { fill: 'bad', rest: { 'fill-opacity': '.85' } },
  quietly: { fill: 'line-strong' },
  wait: { fill: 'warn-soft', stroke: 'warn' },
  hatch: { fill: 'none', stroke: 'warn' },
  cross: { fill: 'none', stroke: 'panel' },
}

const attributesOf = (of: Readonly<Record<string, string>>): string =>
  Object.entries(of)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('')

/** A class, and the light look as attributes: where a policy forbids inline styles, these are what is left. */
export function painted(name: PaintName): string {
  const { fill, stroke, rest = {} }: Paint = paints[name]
  const light = (colour: Colour | 'none'): string => (colour === 'none' ? colour : colours[colour][0])
  return ` class="${name}"${attributesOf({
    ...(fill && { fill: light(fill) }),
    ...(stroke && { stroke: light(stroke) }),
    ...rest,
  })}`
}

/** Of the classes that are used, under a class of the drawing: a style within a page's SVG counts for the whole page. */
function styleOf(used: ReadonlySet<string>): string {
  const rules = (Object.entries(paints) as [PaintName, Paint][])
    .filter(([name]) => used.has(name))
    .map(([name, { fill, stroke }]) => {
      const look = Object.entries({ fill, stroke }).flatMap(([property, colour]) =>
        colour === undefined || colour === 'none' ? [] : [`${property}:var(--d-${colour})`],
      )
      return `.sl-drawing .${name}{${look.join(';')}}`
    })
  const values = (which: 0 | 1): string =>
    Object.entries(colours)
      .map(([name, value]) => `--d-${name}:var(--sl-${name},${value[which]})`)
      .join(';')
  return [`.sl-drawing{${values(0)}}`, `@media (prefers-color-scheme:dark){.sl-drawing{${values(1)}}}`, ...rules].join(
    '\n',
  )
}

const sans = `ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif`
const mono = 'ui-monospace, Menlo, monospace'

export interface Frame {
  readonly width: number
  readonly height: number
  /** Read aloud in place of the picture. */
  readonly summary: string
  readonly body: readonly string[]
}

/** The whole picture: it shrinks to the width of what it stands in. */
export function svg({ width, height, summary, body }: Frame): string {
  const content = body.join('\n')
  const used = new Set([...content.matchAll(/ class="([\w-]+)"/g)].map((match) => match[1] ?? ''))
  used.add('ground')
  const ground = `<rect width="${width}" height="${height}" rx="12"${painted('ground')}/>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="sl-drawing" viewBox="0 0 ${width} ${height}" width="${width}" ` +
    `height="${height}" role="img" aria-label="${escapeXml(summary)}" font-family="${sans}" font-size="13">\n` +
    `<style>\n${styleOf(used)}\n</style>\n${ground}\n${content}\n</svg>\n`
  )
}

export interface Lettering {
  readonly x: number
  readonly y: number
  readonly paint: PaintName
  readonly size?: number | undefined
  readonly isMono?: boolean | undefined
  readonly anchor?: 'middle' | 'end' | undefined
}

export function lettered(text: string, { x, y, paint, size = 13, isMono = false, anchor }: Lettering): string {
  const font = isMono ? ` font-family="${mono}"` : ''
  const at = anchor ? ` text-anchor="${anchor}"` : ''
  return `<text x="${x}" y="${y}" font-size="${size}"${font}${at}${painted(paint)}>${escapeXml(text)}</text>`
}

export const titled = (lines: readonly string[]): string => `<title>${escapeXml(lines.join('\n'))}</title>`

const marks: Readonly<Record<StepStatus, string>> = {
  ok: 'M-3.4 .2 -1 2.6 3.5 -2.4',
  failed: 'M-2.7 -2.7 2.7 2.7M2.7 -2.7 -2.7 2.7',
  skipped: 'M-3 0H3',
  cancelled: 'M-2 -2H2V2H-2Z',
  pending: 'M-3.2 0h.01M0 0h.01M3.2 0h.01',
}

/** How something ended, as a form: nobody needs to see the colour. */
export function sign(status: StepStatus, { x, y }: { readonly x: number; readonly y: number }): string {
  const width = status === 'pending' ? 2.2 : 1.6
  return (
    `<g transform="translate(${x} ${y})"${painted(`sign-${status}`)}><circle r="7.5" stroke-width="1"/>` +
    `<path d="${marks[status]}" fill="none" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/></g>`
  )
}
