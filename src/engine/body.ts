// The workflow's part of a snapshot: made, and checked before anything of it is used.
import { fingerprints } from '../continuation/reopen.ts'
import { describeThrown } from '../error/describe.ts'
import { plainJson } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import { misfit } from '../message/shape.ts'
import type { Shape } from '../message/shape.ts'
import { findEntry } from '../registry/table.ts'
import { snapshotOf } from '../run/log.ts'
import { countMisfit, refuse } from '../run/snapshot.ts'
import { checkWorkflow } from '../workflow/check.ts'
import type { WorkflowJson } from '../workflow/definition.ts'
import { callIdOf, mostVisits } from '../workflow/log.ts'
import type { WorkflowBody } from '../workflow/log.ts'
import { workMs } from './state.ts'
import type { WorkflowState } from './state.ts'

export function workflowBody(state: WorkflowState): Json {
  const { definition, visitCount, steps, counts, at, output, isImported, isTimeUp } = state
  const { input = null, state: values, ...outputs } = state.scope
  const body: WorkflowBody = {
    workflow: definition,
    input,
    state: values as Readonly<Record<string, Json>>,
    outputs,
    visits: state.visits.slice(-mostVisits),
    visitCount,
    steps,
    counts,
    toolCalls: callsOf(state),
    at,
    output,
    // Who resumes it gives it as much time again.
    workMs: isTimeUp ? 0 : workMs(state),
    isImported: isImported || undefined,
    tools: usedTools(state),
    children: childrenOf(state),
  }
  return JSON.parse(JSON.stringify(body)) as Json
}

/** Where middleware limits them. */
export const callsOf = ({ limits, toolCalls }: WorkflowState): WorkflowBody['toolCalls'] =>
  limits.length ? Object.fromEntries(toolCalls) : undefined

/** The run within that waits, or that was cut off with this one. A model's one answer is asked for anew. */
function childrenOf({ children = {}, inners, doing, at }: WorkflowState): WorkflowBody['children'] {
  const { callId = '', result, effect } = at
  const isAnswer = doing?.isFrame === false && effect === 'read'
  const inner = inners?.get(callId)
  const isCut = inner !== undefined && inner.ended?.status !== 'done' && !result && !isAnswer
  if (!isCut || Object.hasOwn(children, callId)) return children
  return { ...children, [callId]: snapshotOf(inner, { status: 'aborted', stop: 'aborted' }) as unknown as Json }
}

/** Fingerprints of the tools that the workflow calls. */
function usedTools({ table, tools, definition }: WorkflowState): WorkflowBody['tools'] {
  const names = new Set(toolsOf(definition).map((name) => findEntry(tools, name)?.definition.name))
  return Object.fromEntries(Object.entries(fingerprints(table)).filter(([name]) => names.has(name)))
}

/** What nodes call, those within nodes too; not those of workflows within, which have snapshots of their own. */
function toolsOf({ nodes }: WorkflowJson): string[] {
  return nodes.flatMap((node) => {
    const held = node.type === 'parallel' ? Object.values(node.branches) : []
    const all = node.type === 'map' ? [node.each] : [node, ...held]
    return all.flatMap((one) => (one.type === 'tool' ? one.tool : []))
  })
}

const shape: Shape = {
  workflow: 'object',
  input: 'value',
  state: 'object',
  outputs: 'object',
  visits: 'array',
  visitCount: 'number',
  steps: 'number',
  counts: 'object',
  toolCalls: 'object or undefined',
  at: 'object',
  workMs: 'number',
  tools: 'object',
  children: 'object or undefined',
  isImported: 'boolean or undefined',
}

const atShape: Shape = {
  node: 'string',
  callId: 'string or undefined',
  until: 'number or undefined',
  effect: [undefined, 'read', 'local', 'idempotent', 'unsafe'],
  result: 'object or undefined',
  isCut: 'boolean or undefined',
  isOver: 'boolean or undefined',
}

const visitShape: Shape = {
  node: 'string',
  type: 'string',
  status: ['ok', 'failed'],
  reason: 'string or undefined',
  message: 'string or undefined',
}

/** Throws `run-invalid-snapshot` unless it is the body of a workflow's run. */
export function checkedBody(value: unknown): WorkflowBody {
  // A copy: what is checked is what is used.
  const copy = plainJson(value) as unknown as WorkflowBody
  // What a log says of a run within is not in its JSON; each is checked where it goes on.
  const body = { ...copy, children: own(value, 'children') as WorkflowBody['children'] }
  refuse(misfit(body, shape))
  const workflow = definitionOf(body.workflow)
  const { visitCount, steps, counts, workMs: worked, visits, outputs } = body
  refuse(countMisfit({ visitCount, steps, workMs: worked, ...counts, ...body.toolCalls }))
  if (visits.length > mostVisits) refuse(`"visits" must be at most ${mostVisits}`)
  for (const visit of visits) refuse(misfit(visit, visitShape))
  const ids = new Set(workflow.nodes.map(({ id }) => id))
  const stranger = [...Object.keys(outputs), ...Object.keys(counts)].find((id) => !ids.has(id))
  if (stranger !== undefined) refuse(`there is no node ${JSON.stringify(stranger)}`)
  checkAt(body, ids)
  return { ...body, workflow }
}

function checkAt({ at, counts }: WorkflowBody, ids: ReadonlySet<string>): void {
  refuse(misfit(at, atShape))
  const { node, callId, result, isOver } = at
  if (!ids.has(node)) refuse(`there is no node ${JSON.stringify(node)}`)
  if (callId !== undefined && callId !== callIdOf(node, (own(counts, node) as number | undefined) ?? 0))
    refuse(`node "${node}" makes no call ${JSON.stringify(callId)}`)
  if (isOver && own(result, 'ok') !== false) refuse(`node "${node}" did not fail`)
  if (!isObject(result)) return
  const isOk = own(result, 'ok') === true
  refuse(misfit(result, isOk ? { value: 'value' } : { ok: [false], reason: 'string', message: 'string' }))
}

function definitionOf(json: unknown): WorkflowJson {
  try {
    return checkWorkflow(json)
  } catch (thrown) {
    refuse(describeThrown(thrown))
    throw thrown
  }
}
