// What an agent is made of, checked once, and the state of one run of it.
import { checkRunner, runnerSetup } from '../continuation/setup.ts'
import type { RunnerSetup } from '../continuation/setup.ts'
import type { Fold } from '../message/fold.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import type { ContentPart, Message } from '../message/part.ts'
import { misfit } from '../message/shape.ts'
import type { Json } from '../json/value.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import { slots } from '../registry/slots.ts'
import { addTools, toolList, toolTable } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import { countMisfit } from '../run/snapshot.ts'
import { eventQueue } from '../observer/queue.ts'
import { callOwner } from '../run/call-owner.ts'
import type { Driver } from '../run/driver.ts'
import type { RunSetup, RunState } from '../run/state.ts'
import { isObject, own } from '../json/value.ts'
import type { Schema } from '../schema/schema.ts'
import { toSchema } from '../schema/standard.ts'
import type { Limits } from '../tool/limits.ts'
import type { StepFacts } from '../tool/rule.ts'
import type { AgentOptions, RunOptions, StepState } from './options.ts'

/** What all runs of an agent share. */
export interface AgentSetup extends RunnerSetup {
  readonly options: AgentOptions
  readonly schema: Schema | undefined
  /** What middleware limits, beside the limits of the run. */
  readonly furtherLimits: readonly Limits[]
}

/** A call of the last step, for telling repetition. */
export interface Repeat {
  readonly name: string
  readonly input: Json
  readonly content: readonly ContentPart[]
  readonly count: number
}

export interface AgentState extends AgentSetup, RunState {
  readonly options: AgentOptions
  readonly table: ToolTable
  /** As the model of the current step wants it. */
  asksForEffects: boolean
  readonly settings: ModelSettings
  readonly limits: Limits
  /** Only ever appended to: a dialect caches what it serialised by this array's identity. */
  readonly messages: Message[]
  readonly addedFrom: number
  /** How many of the messages the log knows. */
  recorded: number
  readonly callIds: Set<string>
  /** Calls made so far, by tool. */
  toolCalls: Map<string, number>
  repeats: readonly Repeat[]
  /** The tools of the current step, by the name the model sees. */
  tools: ReadonlyMap<string, Entry>
  /** What the model is told of them. */
  advertised: readonly ToolDefinition[]
  /** How the response of the current step ended, once it is whole. */
  response?: Pick<Fold, 'finish' | 'rawFinish' | 'usage'>
  repaired: boolean
  text: string
  output: unknown
  /** Why the run stops before its next model call. */
  stopNext: 'tool-calls' | 'repeated-calls' | null
}

export function agentSetup(options: AgentOptions): AgentSetup {
  const { model, limits = {}, middleware = [], output } = options
  const { toolCalls, ...counts } = limits
  const byTool = isObject(toolCalls) ? toolCalls : { toolCalls }
  checkRunner(
    'an agent',
    options,
    misfit({ stream: typeof own(model, 'stream') }, { stream: ['function'] }) ?? countMisfit({ ...counts, ...byTool }),
  )
  return {
    ...runnerSetup(options),
    options,
    schema: output && toSchema(output, 'input'),
    furtherLimits: middleware.flatMap((one) => one.limits ?? []),
  }
}

/** Where a run begins: the messages so far, to be appended to, and what a resumed run brings. */
export interface Beginning extends RunSetup {
  readonly driver: Driver<AgentState>
  readonly messages: Message[]
}

const none: readonly never[] = []

/** One literal: what is spread or assigned has a hidden class of its own, which costs a run more than all it holds. */
export function agentState(setup: AgentSetup, given: RunOptions, begin: Beginning): AgentState {
  const { options, host } = setup
  const { id = given.id ?? host.id('run_'), messages, seq = 0, step = 0, usage = {}, earlierMs = 0 } = begin
  const table = given.tools ? toolTable(setup.table) : setup.table
  if (given.tools) addTools(table, given.tools)
  const { entries, definitions } = toolList(table)
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
    slots: slots(options.concurrency ?? 10),
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
    schema: setup.schema,
    furtherLimits: setup.furtherLimits,
    asksForEffects: asksForEffects(options.model),
    deps: given.deps ?? options.deps,
    settings: over(options.settings, given.settings),
    limits: over(options.limits, given.limits && defined(given.limits)),
    messages,
    addedFrom: messages.length,
    recorded: messages.length,
    store: given.store,
    callIds: callIdsOf(messages),
    toolCalls: new Map(),
    repeats: none,
    tools: entries,
    advertised: definitions,
    repaired: false,
    text: '',
    output: undefined,
    stopNext: null,
    owner: callOwner,
  }
}

const nothing = {}

/** The agent's own object where a run changes nothing. */
const over = <Value extends object>(base: Value | undefined, given: Value | undefined): Value =>
  given ? { ...base, ...given } : (base ?? (nothing as Value))

/** What is given as `undefined` lifts no limit. */
const defined = (limits: Limits): Limits =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined))

function callIdsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>()
  for (const { content } of messages) for (const part of content) if (part.type === 'tool-call') ids.add(part.callId)
  return ids
}

/** Whether a model plans by rules and may guess wrong. */
export const asksForEffects = (model: Model): boolean => model.capabilities.asksFor === 'effects'

/** What rules and middleware see of a run. */
export const stepFacts = ({ id, step, session, messages, deps }: AgentState): StepFacts => ({
  run: id,
  step,
  session,
  messages,
  deps,
})

/** What the user's own functions see of a run. */
export function stepState({ step, messages, usage, response, deps }: AgentState): StepState {
  return { step, messages, usage, finish: response?.finish, deps }
}
