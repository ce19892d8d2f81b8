// What a plan and a workflow have in common for a picture: nodes with a few words, and edges between them.
import { cut } from '../json/text.ts'
import type { StepResult, StepStatus } from '../plan/step.ts'
import type { PlanJson } from '../plan/step.ts'
import type { RunEvent } from '../message/event.ts'
import type { NodeType, Visit, WorkflowJson } from '../workflow/definition.ts'

/** A plan or a workflow: its JSON, or an object that gives it as `toJSON()` or `definition`. */
export type Drawable =
  | PlanJson
  | WorkflowJson
  | { readonly toJSON: () => PlanJson | WorkflowJson }
  | { readonly definition: PlanJson | WorkflowJson }

/** How it went: the steps of a plan's result, or the visits of a workflow's. */
export interface DrawnResult {
  readonly steps?: readonly StepResult[] | undefined
  readonly visits?: readonly Visit[] | undefined
}

export interface DrawingOptions {
  /** Of the run: durations come from `node-start` and `node-end`, and without a result how the nodes ended, too. */
  readonly events?: readonly RunEvent[] | undefined
  /** Which way the picture runs. Default `down`. */
  readonly direction?: 'down' | 'right' | undefined
}

/** `each` is a step that runs once for each item. */
export type Shape = 'step' | 'each' | NodeType

export interface GraphNode {
  readonly id: string
  readonly shape: Shape
  /** Under the id, on one line each. */
  readonly lines: readonly string[]
  /** For whoever wants to know more: one fact a line. */
  readonly facts: readonly string[]
  readonly status?: StepStatus | undefined
  /** How often a workflow came here; 0 when it never did. */
  readonly visits?: number | undefined
  readonly durationMs?: number | undefined
}

/** `after` waits without taking a value; `error` is the way of a failure. */
export type EdgeKind = 'flow' | 'after' | 'error'

export interface GraphEdge {
  /** Indices of nodes. There is at most one edge from one to another. */
  readonly from: number
  readonly to: number
  readonly kind: EdgeKind
  readonly label: string
  /** How often a workflow went this way, where its visits are known. */
  readonly taken?: number | undefined
}

export interface Graph {
  readonly kind: 'plan' | 'workflow'
  readonly name: string
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

export interface EdgeList {
  add(from: number | undefined, to: string, edge?: { readonly kind?: EdgeKind; readonly label?: string }): void
  readonly edges: readonly GraphEdge[]
}

const longestLabel = 200

/** Collects edges to nodes that exist. What leads the same way is one edge, with all labels. */
export function edgeList(places: ReadonlyMap<string, number>): EdgeList {
  const edges: GraphEdge[] = []
  const known = new Map<string, number>()
  return {
    edges,
    add(from, target, { kind = 'flow', label = '' } = {}) {
      const to = places.get(target)
      if (from === undefined || to === undefined) return
      const key = `${from} ${to}`
      const index = known.get(key)
      const edge = index === undefined ? undefined : edges[index]
      if (index === undefined || !edge) {
        known.set(key, edges.length)
        edges.push({ from, to, kind, label })
        return
      }
      // No more than a picture could show, however many there are.
      const labels = cut([edge.label, label].filter((text) => text !== '').join(', '), longestLabel)
      edges[index] = { ...edge, kind: edge.kind === 'flow' ? 'flow' : kind, label: labels }
    },
  }
}

const statuses: readonly unknown[] = ['ok', 'failed', 'skipped', 'cancelled', 'pending'] satisfies StepStatus[]

/** Results and logs may come from anywhere: what is no status is not drawn as one. */
export const isStatus = (value: unknown): value is StepStatus => statuses.includes(value)

export const statusOf = (value: unknown): StepStatus | undefined => (isStatus(value) ? value : undefined)

/** Where each id stands; the first of its name counts. */
export function placesOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [index, id] of ids.entries()) if (!places.has(id)) places.set(id, index)
  return places
}
