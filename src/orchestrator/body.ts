// The plan's part of a snapshot: made, grown by the records of a log, and checked before anything of it is used.
import { fingerprints } from '../continuation/reopen.ts'
import type { CallsBody } from '../continuation/reopen.ts'
import { excerpt, plainJson } from '../json/text.ts'
import { describeThrown } from '../error/describe.ts'
import { SameloopError } from '../error/error.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import { misfit } from '../message/shape.ts'
import type { Shape } from '../message/shape.ts'
import { graphOf } from '../plan/graph.ts'
import type { PlanGraph } from '../plan/graph.ts'
import { plan as planOf } from '../plan/plan.ts'
import type { Plan } from '../plan/plan.ts'
import type { PlanJson, StepOptions } from '../plan/step.ts'
import { countMisfit, refuse } from '../run/snapshot.ts'
import { snapshotOf } from '../run/log.ts'
import { fanOf, nodeCalled } from './state.ts'
import type { Node, OpenCall, PlanState, StepEnd } from './state.ts'

/** How a step ended, or one item of a step: as a snapshot and a log hold it. */
export interface StepRecord extends StepEnd {
  readonly id: string
  readonly item?: number | undefined
}

/** The plan's part of a snapshot. */
export interface PlanBody extends CallsBody {
  /** Without its functions. */
  readonly plan: PlanJson
  /** Where it has functions, which only code can give again. */
  readonly functions?: readonly { readonly id: string; readonly field: string }[] | undefined
  /** Of what is finished; of a step with `forEach` that is not, its items. */
  readonly steps: readonly StepRecord[]
  /** The items of steps that are in the middle of them. */
  readonly lists?: readonly { readonly id: string; readonly items: readonly Json[] }[] | undefined
  /** The calls that wait for a person. */
  readonly calls: readonly OpenCall[]
  /** How often tools were called, where middleware limits it. */
  readonly toolCalls?: Readonly<Record<string, number>> | undefined
  /** Nobody vouches for the plan and its values: every call is asked about. */
  readonly isImported?: boolean | undefined
}

export function planBody(state: PlanState): Json {
  const { nodes, plan, waiting, edits, table } = state
  const open = nodes.filter(({ status }) => status === 'pending' || status === 'cancelled')
  const wanted = new Set(open.map(({ entry }) => entry?.definition.name))
  const body: PlanBody = {
    ...withoutFunctions(plan),
    steps: recordsOf(state),
    lists: open.flatMap(({ step, fan }) => (fan ? { id: step.id, items: fan.items } : [])),
    calls: waiting,
    children: childrenOf(state),
    edits,
    toolCalls: state.limits.length ? Object.fromEntries(state.toolCalls) : undefined,
    isImported: state.isImported || undefined,
    tools: Object.fromEntries(Object.entries(fingerprints(table)).filter(([name]) => wanted.has(name))),
  }
  return JSON.parse(JSON.stringify(body)) as Json
}

/** Of calls that wait or were cut off. */
function childrenOf({ children, inners, waiting }: PlanState): PlanBody['children'] {
  const cut = waiting.flatMap(({ callId }): [string, Json][] => {
    const inner = inners?.get(callId)
    return inner ? [[callId, snapshotOf(inner, { status: 'aborted', stop: 'aborted' }) as unknown as Json]] : []
  })
  return { ...Object.fromEntries(cut), ...children }
}

function recordsOf({ nodes }: PlanState): readonly StepRecord[] {
  return nodes.flatMap(({ step: { id }, status, end, fan, known }): StepRecord | StepRecord[] => {
    if (end && status !== 'cancelled') return { id, ...end }
    if (fan) return fan.ends.flatMap((one, item) => (one ? { id, ...one, item } : []))
    return [...(known ?? [])].map(([item, one]) => ({ id, ...one, item }))
  })
}

function withoutFunctions({ steps }: Plan): Pick<PlanBody, 'plan' | 'functions'> {
  const functions: { readonly id: string; readonly field: string }[] = []
  const json = steps.map((step) => {
    const fields = Object.entries(step).filter(([field, value]) => {
      const isFunction = typeof value === 'function'
      if (isFunction) functions.push({ id: step.id, field })
      return !isFunction
    })
    return Object.fromEntries(fields) as unknown as PlanJson['steps'][number]
  })
  return { plan: { version: 1, steps: json }, ...(functions.length ? { functions } : {}) }
}

const shape: Shape = {
  plan: 'object',
  steps: 'array',
  calls: 'array',
  tools: 'object',
  children: 'object or undefined',
  edits: 'object or undefined',
  toolCalls: 'object or undefined',
  isImported: 'boolean or undefined',
  lists: 'array or undefined',
  functions: 'array or undefined',
}

const recordShape: Shape = {
  id: 'string',
  item: 'number or undefined',
  status: ['ok', 'failed', 'skipped'],
  reason: 'string or undefined',
  message: 'string or undefined',
  because: 'string or undefined',
}

export interface CheckedBody {
  readonly body: PlanBody
  readonly plan: Plan
  readonly graph: PlanGraph
}

/** Throws `run-invalid-snapshot` unless it is a plan's, `run-invalid-input` where `given` is missing or another plan. */
export function checkedBody(value: unknown, given: Plan | undefined): CheckedBody {
  // A copy: what is checked is what is used.
  const copy = plainJson(value) as unknown as PlanBody
  // What the log says of the runs within is in no JSON; they are checked where they go on.
  const body: PlanBody = { ...copy, children: own(value, 'children') as PlanBody['children'] }
  refuse(misfit(body, shape))
  const { steps, calls, lists = [], functions = [], toolCalls = {} } = body
  refuse(countMisfit(toolCalls))
  for (const one of steps) refuse(misfit(one, recordShape))
  const callShape = { callId: 'string', name: 'string', input: 'value', isCut: 'boolean or undefined' }
  for (const one of calls) refuse(misfit(one, callShape))
  for (const one of lists) refuse(misfit(one, { id: 'string', items: 'array' }))
  for (const one of functions) refuse(misfit(one, { id: 'string', field: 'string' }))
  const checked = checkedPlan(body.plan)
  const [missing] = functions
  if (!given && missing) {
    const text = `Cannot resume: "${missing.field}" of step "${missing.id}" is a function, wanted the plan as { plan }`
    throw new SameloopError('run-invalid-input', text, { data: { step: missing.id } })
  }
  if (given && !isSamePlan(given, checked.plan)) {
    throw new SameloopError('run-invalid-input', 'Cannot resume: { plan } has other steps or tools than the snapshot')
  }
  return { body, ...(given ? { plan: given, graph: graphOf(given) } : checked) }
}

function checkedPlan(json: PlanJson): Omit<CheckedBody, 'body'> {
  try {
    const plan = planOf(json)
    return { plan, graph: graphOf(plan) }
  } catch (thrown) {
    refuse(describeThrown(thrown))
    throw thrown
  }
}

function isSamePlan({ steps }: Plan, { steps: others }: Plan): boolean {
  const isSame = ({ id, tool }: StepOptions, other: StepOptions | undefined): boolean =>
    other?.id === id && other.tool === tool
  return steps.length === others.length && steps.every((step, place) => isSame(step, others[place]))
}

/** Puts what is finished in its place. Throws `run-invalid-snapshot` for what cannot have come from such a plan. */
export function restore(state: PlanState, { steps, lists = [], toolCalls = {} }: PlanBody): void {
  state.toolCalls = new Map(Object.entries(toolCalls))
  for (const record of steps) restoreStep(state, record)
  for (const node of state.nodes) {
    const open = node.dependencies.filter((place) => !state.nodes[place]?.end)
    node.missing = open.length
    const first = open[0] === undefined ? undefined : state.nodes[open[0]]
    if (node.end && first) refuse(`step "${node.step.id}" is finished before step "${first.step.id}"`)
  }
  for (const { id, items } of lists) {
    const node = openNode(state, id)
    const { forEach, maxItems = 1000 } = node.step
    if (forEach === undefined || items.length > maxItems) refuse(`step "${id}" has not these items`)
    node.fan = fanOf(node, items)
    node.began = true
  }
}

function restoreStep(state: PlanState, { id, item, ...end }: StepRecord): void {
  const node = nodeOf(state, id)
  const { status, value } = end
  if (status === 'ok' && value === undefined) refuse(`step "${id}" is ok without a value`)
  if (item !== undefined) {
    const isItem = Number.isInteger(item) && item >= 0 && node.step.forEach !== undefined
    if (!isItem || status === 'skipped') refuse(`step "${id}" has no such item`)
    node.known = (node.known ?? new Map()).set(item, end)
    node.began = true
    return
  }
  node.status = status
  node.end = end
  if (status === 'ok') state.values[id] = value
  else delete state.values[id]
}

function nodeOf(state: PlanState, id: string): Node {
  const node = nodeCalled(state, id)
  if (!node) refuse(`there is no step ${excerpt(id)}`)
  return node as Node
}

/** A step that may go on. */
export function openNode(state: PlanState, id: string): Node {
  const node = nodeOf(state, id)
  if (node.end || node.missing) refuse(`step "${id}" cannot go on`)
  return node
}
