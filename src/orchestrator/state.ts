// The state of one run of a plan: what became of each step, and what may start next.
import type { RunnerOptions, RunnerSetup } from '../continuation/setup.ts'
import type { Given } from '../continuation/resume.ts'
import type { Json } from '../json/value.ts'
import type { Failure } from '../message/outcome.ts'
import { eventQueue } from '../observer/queue.ts'
import type { GraphNode, PlanGraph } from '../plan/graph.ts'
import type { Plan } from '../plan/plan.ts'
import type { StepResult, StepStatus } from '../plan/step.ts'
import type { CallTerms, PreparedCall } from '../registry/prepare.ts'
import { retrying } from '../registry/retried.ts'
import { slots } from '../registry/slots.ts'
import { toolList } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import { countCall } from '../run/call-limit.ts'
import { callOwner } from '../run/call-owner.ts'
import type { Driver } from '../run/driver.ts'
import { emit, homeOf } from '../run/state.ts'
import type { RunSetup, RunState } from '../run/state.ts'
import type { CallOwner } from '../registry/scope.ts'
import type { Limits } from '../tool/limits.ts'

/** How a step, or one item of it, ended. */
export type StepEnd = Omit<StepResult, 'id'>

/** A step with `forEach` in the middle of its items. */
export interface Fan {
  readonly items: readonly Json[]
  readonly ends: (StepEnd | undefined)[]
  /** Items that a resumed run goes on with by itself. */
  readonly open: Set<number>
  next: number
  left: number
}

export interface Node extends Omit<GraphNode, 'entry'> {
  readonly place: number
  entry: Entry | undefined
  status: StepStatus
  end: StepEnd | undefined
  /** How many of its dependencies are not finished. */
  missing: number
  began: boolean
  startedAt: number
  fan: Fan | undefined
  /** Ends of items that were finished before a list was known again. */
  known: Map<number, StepEnd> | undefined
}

/** The items that are not known to have ended are left. */
export function fanOf({ known }: Pick<Node, 'known'>, items: readonly Json[]): Fan {
  const ends = items.map((_, item) => known?.get(item))
  return { items, ends, open: new Set(), next: 0, left: ends.filter((end) => !end).length }
}

/** A call that waits for a person, as a snapshot keeps it. */
export interface OpenCall {
  readonly callId: string
  readonly name: string
  readonly input: Json
  /** It had begun when the run was cut off, and may have had its effect. */
  readonly isCut?: boolean | undefined
}

/** A call of a step, or of one item of it. */
export interface Task {
  readonly node: Node
  readonly item?: number | undefined
  readonly call: PreparedCall
}

export interface PlanState extends RunnerSetup, RunState {
  readonly options: RunnerOptions
  readonly table: ToolTable
  readonly plan: Plan
  /** A person approved the plan as a whole. */
  readonly isApproved: boolean
  /** Nobody vouches for the plan and its values: every call is asked about. */
  readonly isImported: boolean
  /** Of every tool that the plan may use, as it was when the run began. */
  tools: ReadonlyMap<string, Entry>
  nodes: readonly Node[]
  places: ReadonlyMap<string, number>
  /** Of the steps that are `ok`. */
  readonly values: Record<string, unknown>
  /** Steps that have all they need, from `head` on. */
  ready: Node[]
  head: number
  /** Calls that neither are over nor wait for a person. */
  running: number
  /** Calls and writes that are not over. */
  unfinished: number
  isPumping: boolean
  isWaitingForReader: boolean
  readonly waiting: OpenCall[]
  /** Calls that have begun. */
  readonly begun: Set<string>
  /** What middleware limits, and the calls made so far by tool, which are counted only where something is. */
  readonly limits: readonly Limits[]
  toolCalls: Map<string, number>
  /** The calls a resumed run begins with. */
  reopened: readonly Task[]
  /** Until the sources of the registry are there. */
  readonly connecting: Promise<void> | undefined
  onIdle?: (() => void) | undefined
  onBroken?: ((thrown: unknown) => void) | undefined
}

export interface PlanBeginning extends RunSetup {
  readonly driver: Driver<PlanState>
  readonly plan: Plan
  readonly graph: PlanGraph
  readonly owner: CallOwner
  readonly connecting?: Promise<void> | undefined
  readonly isApproved?: boolean | undefined
  readonly isImported?: boolean | undefined
}

const none: readonly never[] = []

export function planState(setup: RunnerSetup, given: Given, begin: PlanBeginning): PlanState {
  const { options, host, table } = setup
  const { id = host.id('run_'), plan, graph, seq = 0, step = 0, usage = {}, earlierMs = 0 } = begin
  const { isApproved = false, isImported = false } = begin
  const { entries } = toolList(table)
  return {
    id,
    driver: begin.driver as Driver,
    session: begin.session,
    host,
    options,
    grants: begin.grants,
    seq,
    step,
    usage,
    startedAt: host.now() - earlierMs,
    slots: slots(concurrencyOf(options)),
    parent: begin.parent,
    agent: begin.agent,
    queue: begin.parent ? begin.parent.run.queue : eventQueue(),
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
    store: given.store,
    owner: begin.owner,
    tools: entries,
    plan,
    isApproved,
    isImported,
    nodes: nodesOf(graph),
    places: graph.places,
    // Without a prototype, nothing but what is set can be found.
    values: Object.create(null) as Record<string, unknown>,
    ready: [],
    head: 0,
    running: 0,
    unfinished: 0,
    isPumping: false,
    isWaitingForReader: false,
    waiting: [],
    begun: new Set(),
    limits: (options.middleware ?? none).flatMap((one) => one.limits ?? []),
    toolCalls: new Map(),
    reopened: none,
    connecting: begin.connecting,
  }
}

/** Of steps, or items of them, at once. */
export const concurrencyOf = ({ concurrency = 8 }: RunnerOptions): number => concurrency

function nodesOf({ nodes }: PlanGraph): readonly Node[] {
  return nodes.map(({ step, entry, when, dependencies, dependants }, place) => ({
    place,
    step,
    entry,
    when,
    dependencies,
    dependants,
    status: 'pending',
    end: undefined,
    missing: dependencies.length,
    began: false,
    startedAt: 0,
    fan: undefined,
    known: undefined,
  }))
}

/** Of a call that the step makes, where they are other than its tool's. */
export function termsOf(state: PlanState, { step }: Node, callId: string): CallTerms | undefined {
  const { isApproved } = state
  const { retry: { retries, delayMs } = { retries: 0 }, timeoutMs } = step
  if (!retries && timeoutMs === undefined && !isApproved) return undefined
  const onRetry = (attempt: number, delayMs: number, reason: string): void =>
    emit(state, { type: 'retry', step: state.step, callId, attempt, delayMs, reason })
  return { timeoutMs, isApproved, again: retries ? retrying(state, { retries, delayMs, onRetry }) : undefined }
}

export const nodeCalled = ({ nodes, places }: PlanState, id: string): Node | undefined => {
  const place = places.get(id)
  return place === undefined ? undefined : nodes[place]
}

/** Work that the run waits for before it may suspend: with `1` it begins, with `-1` it is over. */
export function working(state: PlanState, count: 1 | -1): void {
  state.unfinished += count
  homeOf(state).working += count
}

/** Why a call is one too many, if it is. */
export const surplus = ({ limits, toolCalls }: PlanState, call: PreparedCall): Failure | undefined =>
  limits.length ? countCall(toolCalls, limits, call) : undefined

/** Who waits for a person leaves the place to others. `onLeave` lets them in. */
export function planOwner(onLeave: (state: PlanState) => void): CallOwner {
  return {
    ...callOwner,
    report(scope, call, event) {
      const { begun } = scope as PlanState
      if (event.type === 'tool-start') begun.add(call.callId)
      callOwner.report(scope, call, event)
      if (event.type === 'tool-end' && event.outcome.ok) begun.delete(call.callId)
    },
    async ask(scope, call, request) {
      const state = scope as PlanState
      // What a tool calls runs in the place of that tool.
      if (call.depth) return callOwner.ask(scope, call, request)
      state.running--
      const answered = callOwner.ask(scope, call, request)
      onLeave(state)
      const settled = await answered
      state.running++
      return settled
    },
  }
}
