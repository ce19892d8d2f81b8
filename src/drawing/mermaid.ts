// A plan or a workflow as the text of a Mermaid flowchart, for documents that draw such text.
import type { StepStatus } from '../plan/step.ts'
import { graphOf } from './drawn.ts'
import type { Drawable, DrawnResult, Graph, GraphEdge, GraphNode, DrawingOptions, Shape } from './graph.ts'
import { duration, fitted } from './words.ts'

/**
 * A flowchart in Mermaid's language. With a result, nodes are marked by how they ended, and the ways a workflow went by how
 * often. Names are data: whatever they hold, they add no node, edge, style or link. Mermaid refuses texts above 50,000
 * characters and more than 500 edges unless it is set up for them; `toSvg` has no such limit. Throws `config-invalid` for
 * what is neither a plan nor a workflow.
 */
export function toMermaid(subject: Drawable, result?: DrawnResult, options: DrawingOptions = {}): string {
  const graph = graphOf(subject, result, options)
  const lines = [
    `flowchart ${options.direction === 'right' ? 'LR' : 'TD'}`,
    ...graph.nodes.map((node, index) => `  n${index}${shaped(node.shape, `"${labelOf(node)}"`)}`),
    ...graph.edges.map((edge) => `  ${edgeText(edge)}`),
    ...classLines(graph),
    ...takenLines(graph.edges),
  ]
  return `${lines.join('\n')}\n`
}

const shapes: Readonly<Partial<Record<Shape, readonly [string, string]>>> = {
  start: ['([', '])'],
  end: ['([', '])'],
  if: ['{', '}'],
  switch: ['{', '}'],
  parallel: ['[[', ']]'],
  map: ['[[', ']]'],
  each: ['[[', ']]'],
  approval: ['{{', '}}'],
  wait: ['(', ')'],
  model: ['(', ')'],
}

function shaped(shape: Shape, label: string): string {
  const [open, close] = (Object.hasOwn(shapes, shape) && shapes[shape]) || ['[', ']']
  return `${open}${label}${close}`
}

const signs: Readonly<Record<StepStatus, string>> = {
  ok: '✓',
  failed: '✗',
  skipped: '–',
  cancelled: '■',
  pending: '…',
}

function labelOf({ id, lines, status, durationMs, visits = 0 }: GraphNode): string {
  const sign = status && Object.hasOwn(signs, status) ? `${signs[status]} ${status}` : ''
  const facts = [sign, durationMs === undefined ? '' : duration(durationMs), visits > 1 ? `×${visits}` : '']
  const ending = facts.filter((fact) => fact !== '').join(' · ')
  return [id, ...lines, ending]
    .filter((line) => line !== '')
    .map(entities)
    .join('<br/>')
}

/** No label is wider, in characters. */
const widest = 60

/** Every character that Mermaid, Markdown or HTML could read as more than itself, as its code. */
const entities = (text: string): string =>
  fitted(text.replace(/\s+/g, ' '), widest, { size: 1 / 0.61, mono: true }).replace(
    /[^\p{L}\p{N} _✓✗–■…×·]/gu,
    (char) => `#${char.codePointAt(0)};`,
  )

function edgeText({ from, to, kind, label, taken = 0 }: GraphEdge): string {
  const text = [label, taken > 1 ? `×${taken}` : ''].filter((part) => part !== '').join(' ')
  const arrow = kind === 'flow' ? '-->' : '-.->'
  return `n${from} ${arrow}${text === '' ? '' : `|"${entities(text)}"|`} n${to}`
}

// Ground and letters are both set, so that they can be read whatever the theme is.
const looks: Readonly<Record<StepStatus, string>> = {
  ok: 'fill:#e1f7e7,stroke:#0a693c,color:#0b3d24',
  failed: 'fill:#ffece9,stroke:#ba1e20,color:#6d1113,stroke-width:2px',
  skipped: 'fill:#f5f4f0,stroke:#8b8f97,color:#4c5058,stroke-dasharray:4 3',
  cancelled: 'fill:#f0eeea,stroke:#656971,color:#3b3f47,stroke-dasharray:2 2',
  pending: 'fill:#fef0d4,stroke:#8a5100,color:#573300',
}

function classLines({ nodes }: Graph): readonly string[] {
  return (Object.keys(looks) as StepStatus[]).flatMap((status) => {
    const names = nodes.flatMap((node, index) => (node.status === status ? [`n${index}`] : []))
    return names.length ? [`  classDef ${status} ${looks[status]}`, `  class ${names.join(',')} ${status}`] : []
  })
}

function takenLines(edges: readonly GraphEdge[]): readonly string[] {
  const taken = edges.flatMap((edge, index) => (edge.taken ? [index] : []))
  return taken.length ? [`  linkStyle ${taken.join(',')} stroke:#3d5dcf,stroke-width:2.5px`] : []
}
