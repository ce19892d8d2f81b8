// The state of one run of a workflow: where it is, and what its nodes gave.
import type { Activity } from '../activity/activity.ts'
import type { EngineOptions, EngineSetup } from '../activity/setup.ts'
import type { Given } from '../continuation/resume.ts'
import type { RunnerSetup } from '../continuation/setup.ts'
import { copyJson } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import { eventQueue } from '../observer/queue.ts'
import type { CallOwner } from '../registry/scope.ts'
import { slots } from '../registry/slots.ts'
import { toolList } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import type { Driver } from '../run/driver.ts'
import { homeOf, idleMs } from '../run/state.ts'
import type { RunSetup, RunState } from '../run/state.ts'
import type { Limits } from '../tool/limits.ts'
import type { Visit, WorkflowJson, WorkflowNode } from '../workflow/definition.ts'
import type { Visiting, WorkflowBody } from '../workflow/log.ts'

export interface WorkflowState extends EngineSetup, RunState {
  readonly options: EngineOptions
  readonly table: ToolTable
  readonly driver: Driver
  tools: ReadonlyMap<string, Entry>
  /** Those of the engine; nothing while a node runs that only holds others. */
  rules: RunnerSetup['rules']
  wrap: RunnerSetup['wrap']
  readonly setup: EngineSetup
  readonly definition: WorkflowJson
  readonly nodes: ReadonlyMap<string, WorkflowNode>
  readonly input: Json
  /** What templates and conditions find: without a prototype, so nothing but what is set. */
  readonly scope: Record<string, Json>
  readonly visits: Visit[]
  visitCount: number
  steps: number
  readonly counts: Record<string, number>
  /** What middleware limits, and the calls made so far by tool, which are counted only where something is. */
  readonly limits: readonly Limits[]
  readonly toolCalls: Map<string, number>
  at: { -readonly [Key in keyof Visiting]: Visiting[Key] }
  nodeStartedAt: number
  /** What is done now. */
  doing?: Activity | undefined
  output: Json | undefined
  readonly isImported: boolean
  readonly earlierWorkMs: number
  readonly partStartedAt: number
  readonly idleBeforeMs: number
  isTimeUp: boolean
  /** Until the sources of the registry are there. */
  readonly connecting: Promise<void> | undefined
}

export interface WorkflowBeginning extends RunSetup {
  readonly driver: Driver<WorkflowState>
  readonly owner: CallOwner
  readonly definition: WorkflowJson
  readonly input: Json
  readonly body?: WorkflowBody | undefined
  readonly connecting?: Promise<void> | undefined
  readonly isImported: boolean
}

const none: readonly never[] = []

export function workflowState(setup: EngineSetup, given: Given, begin: WorkflowBeginning): WorkflowState {
  const { options, host, table } = setup
  const { id = host.id('run_'), seq = 0, usage = {}, earlierMs = 0, parent, body } = begin
  const at = body?.at ?? { node: begin.definition.nodes.find(({ type }) => type === 'start')?.id ?? '' }
  return {
    id,
    driver: begin.driver as Driver,
    session: begin.session,
    host,
    options,
    grants: begin.grants,
    seq,
    step: body?.visitCount ?? 0,
    usage,
    startedAt: host.now() - earlierMs,
    slots: slots(options.concurrency ?? 8),
    parent,
    agent: begin.agent,
    queue: parent ? parent.run.queue : eventQueue(),
    requests: none,
    steering: none,
    pending: none,
    aborted: false,
    stopped: false,
    working: 0,
    table,
    rules: setup.rules,
    wrap: setup.wrap,
    capabilities: setup.capabilities,
    policies: setup.policies,
    asksForEffects: false,
    deps: given.deps ?? options.deps,
    messages: none,
    owner: begin.owner,
    store: given.store,
    tools: toolList(table).entries,
    setup,
    definition: begin.definition,
    nodes: new Map(begin.definition.nodes.map((node) => [node.id, node])),
    input: begin.input,
    scope: scopeOf(begin),
    visits: [...(body?.visits ?? [])],
    visitCount: body?.visitCount ?? 0,
    steps: body?.steps ?? 0,
    counts: Object.assign(Object.create(null) as Record<string, number>, body?.counts),
    limits: (options.middleware ?? none).flatMap((one) => one.limits ?? []),
    toolCalls: new Map(Object.entries(body?.toolCalls ?? {})),
    at: { ...at },
    nodeStartedAt: 0,
    output: body?.output,
    isImported: begin.isImported,
    children: body?.children,
    partStartedAt: host.now(),
    earlierWorkMs: body?.workMs ?? 0,
    idleBeforeMs: parent ? idleMs(homeOf(parent.run)) : 0,
    isTimeUp: false,
    connecting: begin.connecting,
  }
}

function scopeOf({ definition, input, body }: WorkflowBeginning): Record<string, Json> {
  const state = copyJson(body?.state ?? definition.state ?? {})
  return Object.assign(Object.create(null) as Record<string, Json>, body?.outputs, { input, state })
}

/** Work so far, over all parts of the run: without the time in which only people were waited for. */
export const workMs = (state: WorkflowState): number =>
  state.earlierWorkMs + state.host.now() - state.partStartedAt - (idleMs(homeOf(state)) - state.idleBeforeMs)
