// A plan as what drives a run: where it begins, at a plan or at a snapshot, and how it ends.
import { recoveryOf } from '../continuation/recovery.ts'
import { changedTools, reopened } from '../continuation/reopen.ts'
import type { Reopening } from '../continuation/reopen.ts'
import type { Given, GivenToResume } from '../continuation/resume.ts'
import type { Ready, ReadyOptions } from '../continuation/runner.ts'
import type { RunnerSetup } from '../continuation/setup.ts'
import { SameloopError } from '../error/error.ts'
import type { ApprovalRequest } from '../message/decision.ts'
import type { RunStatus, Stop } from '../message/event.ts'
import type { Usage } from '../message/usage.ts'
import { graphOf } from '../plan/graph.ts'
import type { PlanGraph } from '../plan/graph.ts'
import { plan as planOf } from '../plan/plan.ts'
import type { Plan } from '../plan/plan.ts'
import type { PlanJson, StepResult } from '../plan/step.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { findEntry, toolList } from '../registry/table.ts'
import { startRun, untilAborted } from '../run/machine.ts'
import type { Driver } from '../run/driver.ts'
import { openLog } from '../run/log.ts'
import { handedOn } from '../run/requests.ts'
import type { RunHandle } from '../run/run.ts'
import { refuse } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { emit, warn } from '../run/state.ts'
import type { Belonging } from '../run/state.ts'
import { checkedBody, openNode, planBody, restore } from './body.ts'
import type { PlanBody } from './body.ts'
import { cancelRest, openGates } from './scheduler.ts'
import { fanOf, planOwner, planState, surplus, termsOf } from './state.ts'
import type { Node, PlanState, Task } from './state.ts'
import { pump, reopen } from './step-run.ts'
import { itemsOf } from './values.ts'

export interface PlanResult {
  readonly status: RunStatus
  readonly stop: Stop
  /** Every step, in the order they are written. */
  readonly steps: readonly StepResult[]
  readonly pending: readonly ApprovalRequest[]
  /** Of the agents among its steps. */
  readonly usage: Usage
  /** Plain JSON that another runtime can resume; made when first read. */
  readonly snapshot: Snapshot
  /** `plan-step-failed` where a step failed. */
  readonly error?: SameloopError | undefined
}

/** A run of a plan that has started. */
export type PlanRun = RunHandle<PlanResult>

/** A run that is ready to start. */
export interface PlanBegun {
  readonly state: PlanState
  /** The tools that are not as they were; absent for a new run. */
  readonly changed?: readonly string[] | undefined
}

/** A plan of the builder, or its JSON. */
export type PlanInput = Plan | PlanJson

const toPlan = (given: PlanInput): Plan =>
  typeof (given as Partial<Plan> | undefined)?.step === 'function'
    ? (given as Plan)
    : planOf((given ?? null) as PlanJson)

export interface NewPlan extends Belonging {
  readonly id?: string | undefined
  readonly plan: PlanInput
  readonly isApproved?: boolean | undefined
  /** What the plan is made of comes from a snapshot that nobody vouches for. */
  readonly isImported?: boolean | undefined
  readonly graphs?: Graphs | undefined
}

/** The graphs of plans that ran, with the tools they were looked at with: much of what a run of small steps costs. */
export type Graphs = WeakMap<Plan, { readonly tools: PlanState['tools']; readonly graph: PlanGraph }>

function checkedGraph(plan: Plan, tools: PlanState['tools'], graphs: Graphs | undefined): PlanGraph {
  const known = graphs?.get(plan)
  if (known?.tools === tools) return known.graph
  const graph = graphOf(plan, tools)
  graphs?.set(plan, { tools, graph })
  return graph
}

/** Throws `plan-invalid`. What depends on tools of sources that are not connected yet is checked when they are. */
export function newPlanRun(setup: RunnerSetup, given: Given, { plan: wanted, graphs, ...of }: NewPlan): PlanBegun {
  const plan = toPlan(wanted)
  const connecting = setup.table.guard?.connect()
  // The run hears of it too, if there is one.
  connecting?.catch(() => undefined)
  const graph = connecting ? graphOf(plan) : checkedGraph(plan, toolList(setup.table).entries, graphs)
  return { state: planState(setup, given, { ...of, plan, graph, driver, owner, connecting }) }
}

export interface PlanResumeOptions extends GivenToResume {
  /** The plan, where it has functions: a snapshot cannot hold them. It must have the same steps with the same tools. */
  readonly plan?: PlanInput | undefined
}

/** Throws `run-invalid-snapshot`, `run-invalid-input` and `run-tool-changed`; nothing has run then. */
export function reopenedPlanRun(
  setup: RunnerSetup,
  from: Snapshot,
  given: PlanResumeOptions & { readonly isApproved?: boolean | undefined },
  of: Belonging,
): PlanBegun {
  if (from.status === 'done') refuse('the run is done')
  const { body, ...planned } = checkedBody(from.body, given.plan && toPlan(given.plan))
  const { run: id, seq, usage, elapsedMs: earlierMs } = from
  const { isApproved } = given
  const isImported = given.trust === 'import' || body.isImported === true
  const begin = { ...of, ...planned, driver, owner, id, seq, usage, earlierMs, isApproved, isImported }
  const state = planState(setup, given, begin)
  const changed = changedTools(body, state.table)
  restore(state, body)
  const open = openCallsOf(state, body, {
    changed,
    imported: given.trust === 'import',
    wasImported: isImported,
    recovery: recoveryOf(from),
    pending: from.pending,
  })
  findTools(state)
  state.open = open
  state.edits = body.edits
  state.reopened = tasksOf(state, open)
  return { state, changed }
}

/** The calls that wait, prepared anew. Throws `run-tool-changed`. */
export function openCallsOf(
  { tools }: Pick<PlanState, 'tools'>,
  body: PlanBody,
  how: Omit<Reopening, 'tools'>,
): readonly PreparedCall[] {
  const cut = new Set(body.calls.flatMap(({ callId, isCut }) => (isCut ? [callId] : [])))
  // A body may only add a question, never take one away.
  return reopened(body.calls, body, { tools, ...how }).map((call) =>
    cut.has(call.callId) && !call.interrupted && !call.answered
      ? { ...call, attempt: call.attempt + 1, interrupted: 'unsafe' as const }
      : call,
  )
}

/** Of the steps that are still to run. */
function findTools({ nodes, tools }: PlanState): void {
  for (const node of nodes) {
    const { id, tool } = node.step
    node.entry = findEntry(tools, tool)
    if (node.entry || node.end) continue
    const text = `Cannot resume: there is no tool "${tool}" any more, and step "${id}" needs it`
    throw new SameloopError('run-tool-changed', text, { data: { tool, step: id } })
  }
}

/** Which step's call each is. Throws `run-invalid-snapshot` for one that no step makes. */
function tasksOf(state: PlanState, calls: readonly PreparedCall[]): readonly Task[] {
  const tasks = calls.map((call): Task => {
    const [id = '', number] = call.callId.split('.')
    const node = openNode(state, id)
    const item = number === undefined ? undefined : Number(number)
    if (item !== undefined) relist(state, node)
    if (call.name !== node.entry?.definition.name) refuse(`call "${call.callId}" is of another tool than its step`)
    const isItem = item !== undefined && node.fan?.items[item] !== undefined && !node.fan.ends[item]
    const isRight = item === undefined ? node.step.forEach === undefined : isItem
    if (!isRight || call.callId !== (isItem ? `${id}.${item}` : id)) refuse(`no step makes call "${call.callId}"`)
    node.began = true
    node.startedAt = state.host.now()
    if (item !== undefined) node.fan?.open.add(item)
    return { node, item, call: { ...call, terms: termsOf(state, node, call.callId) } }
  })
  if (new Set(calls.map(({ callId }) => callId)).size < calls.length) refuse('a call waits twice')
  return tasks
}

/** A run from the snapshot of any moment; where nothing `changed` it is its first one. */
export function readyPlan(
  setup: RunnerSetup,
  from: Snapshot,
  { of, changed, ...given }: ReadyOptions & PlanResumeOptions,
): Ready<PlanResult> {
  const { plan } = from.body as unknown as PlanBody
  const begun = changed
    ? { ...reopenedPlanRun(setup, from, given, of), changed }
    : newPlanRun(setup, given, { ...of, id: from.run, plan: given.plan ?? plan })
  return { state: begun.state, start: () => startPlan(begun, given) }
}

/** A log tells of items and not of the list they are from, which is made of what the log does tell. */
function relist(state: PlanState, node: Node): void {
  if (node.fan || node.step.forEach === undefined) return
  const items = itemsOf(state, node)
  if (items.ok) node.fan = fanOf(node, items.value)
}

export function startPlan({ state, changed }: PlanBegun, given: Given): PlanRun {
  if (!state.journal) openLog(state)
  emit(state, { type: 'run-start', resumed: changed && true })
  for (const tool of changed ?? []) warn(state, 'tool-changed', `Tool "${tool}" changed since the snapshot`, { tool })
  return startRun(state, driver, given)
}

const owner = /* @__PURE__ */ planOwner(pump)

async function drive(state: PlanState): Promise<Stop> {
  try {
    await connected(state)
    await handedOn(state, worked(state))
  } finally {
    if (!state.pending.length) cancelRest(state)
  }
  if (state.aborted) return 'aborted'
  if (state.fatal) throw state.fatal
  const { pending, nodes } = state
  if (pending.length) return pending.every(({ wants }) => wants === 'result') ? 'client-tool' : 'approval'
  const failed = nodes.filter(({ status }) => status === 'failed')
  const [first] = failed
  if (!first) return 'end'
  const { id } = first.step
  const further = failed.length > 1 ? ` and ${failed.length - 1} more` : ''
  const text = `Step "${id}"${further} failed: ${first.end?.message ?? ''}`
  throw new SameloopError('plan-step-failed', text, { data: { step: id, reason: first.end?.reason } })
}

/** The first act of a run whose tools are still to come: now the plan can be looked at as a whole. */
async function connected(state: PlanState): Promise<void> {
  const { connecting } = state
  if (!connecting) return
  await untilAborted(state, connecting)
  state.tools = toolList(state.table).entries
  const graph = graphOf(state.plan, state.tools)
  for (const node of state.nodes) node.entry = graph.nodes[node.place]?.entry
}

/** Resolves when nothing runs and nothing may start. */
function worked(state: PlanState): Promise<void> {
  return new Promise((resolve, reject) => {
    state.onIdle = resolve
    state.onBroken = reject
    openGates(state)
    for (const task of state.reopened) reopen(state, task)
    state.open = undefined
    state.reopened = []
    pump(state)
  })
}

function resultOf({ step: { id }, status, end }: Node): StepResult {
  if (status === 'ok') return { id, status, value: end?.value }
  return { ...end, id, status }
}

const driver: Driver<PlanState, PlanResult> = {
  kind: 'plan',
  keepsValues: true,
  drive,
  body: planBody,
  admit: surplus,
  result: ({ nodes, pending, usage }, { status, stop, error }, snapshot) => ({
    status,
    stop,
    steps: nodes.map(resultOf),
    pending,
    usage,
    get snapshot() {
      return snapshot()
    },
    error,
  }),
}
