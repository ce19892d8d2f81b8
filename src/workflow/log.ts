// Where a run of a workflow is, as plain JSON: what a snapshot holds, and how it grows by the records of a log.
import type { Effect } from '../message/decision.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { Visit, WorkflowJson } from './definition.ts'

/** What a node came to: its value, or why there is none. */
export type NodeResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: string; readonly message: string }

/** The node where the run is. */
export interface Visiting {
  readonly node: string
  /** Of this visit; absent before it begins. */
  readonly callId?: string | undefined
  /** Worked out when it began, so that a call that goes on has the same. */
  readonly input?: Json | undefined
  /** When its wait is over, in milliseconds since the epoch. */
  readonly until?: number | undefined
  /** Its tool has begun, and this is the effect that it may have had. */
  readonly effect?: Effect | undefined
  /** What its call came to, where nothing followed from it yet. */
  readonly result?: NodeResult | undefined
  /** It was told of as cancelled, and begins again. */
  readonly isCut?: boolean | undefined
  /** It failed, and the workflow with it. */
  readonly isOver?: boolean | undefined
}

/** The workflow's part of a snapshot. */
export interface WorkflowBody {
  readonly workflow: WorkflowJson
  readonly input: Json
  readonly state: Readonly<Record<string, Json>>
  /** What each node that was visited gave last. */
  readonly outputs: Readonly<Record<string, Json>>
  /** The last of them. */
  readonly visits: readonly Visit[]
  readonly visitCount: number
  /** Visits that count for `maxVisits`. */
  readonly steps: number
  /** Visits by node. */
  readonly counts: Readonly<Record<string, number>>
  /** Calls by tool, where middleware limits them. */
  readonly toolCalls?: Readonly<Record<string, number>> | undefined
  readonly at: Visiting
  /** What the end gave. */
  readonly output?: Json | undefined
  /** Time that counts for `timeoutMs`. */
  readonly workMs: number
  /** Nobody vouches for the workflow: every call is asked about. */
  readonly isImported?: boolean | undefined
  readonly tools: Readonly<Record<string, string>>
  readonly children?: Readonly<Record<string, Json>> | undefined
}

/** What the log keeps of a visit (`journal-node`): that it began, what its call came to, and what followed. */
export type NodeRecord =
  | {
      readonly what: 'begin'
      readonly at: Visiting
      readonly toolCalls?: Readonly<Record<string, number>> | undefined
      readonly workMs: number
    }
  | { readonly what: 'result'; readonly result: NodeResult; readonly workMs: number }
  | ({ readonly what: 'end'; readonly workMs: number } & NodeEnding)

export interface NodeEnding {
  readonly visit: Visit
  /** What others find under its id. */
  readonly output: Json
  readonly set?: Readonly<Record<string, Json>> | undefined
  /** Absent where the workflow ends with it. */
  readonly next?: string | undefined
}

/** So many visits are kept. */
export const mostVisits = 1000

export const callIdOf = (node: string, count: number): string => (count === 1 ? node : `${node}.${count}`)

/** The body with what one record says. Neither is changed. */
export function applyNodeRecord(body: WorkflowBody, record: NodeRecord): WorkflowBody {
  const { workMs } = record
  switch (record.what) {
    case 'begin': {
      const { at, toolCalls = body.toolCalls } = record
      const { node } = at
      const count = (own(body.counts, node) as number | undefined) ?? 0
      const counts = { ...body.counts, [node]: count + 1 }
      return { ...body, at, counts, toolCalls, visitCount: body.visitCount + 1, steps: body.steps + 1, workMs }
    }
    case 'result':
      return { ...body, at: { ...body.at, result: record.result }, workMs }
    case 'end': {
      const { visit, output, set, next } = record
      const { node, type } = visit
      return {
        ...body,
        state: set ? { ...body.state, ...set } : body.state,
        outputs: { ...body.outputs, [node]: output },
        visits: [...body.visits, visit].slice(-mostVisits),
        at: visit.status === 'failed' && next === undefined ? { ...body.at, isOver: true } : { node: next ?? node },
        output: type === 'end' ? output : body.output,
        workMs,
      }
    }
  }
}
