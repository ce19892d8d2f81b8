// What an agent is made of, checked once, and the state of one run of it.
import { SameloopError } from '../error/error.ts'
import { webHost } from '../host/web-host.ts'
import type { Fold } from '../message/fold.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import type { ContentPart, Message } from '../message/part.ts'
import { misfit } from '../message/shape.ts'
import type { Json } from '../json/value.ts'
import { wrapTool } from '../middleware/middleware.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { capabilities } from '../registry/scope.ts'
import type { CallScope } from '../registry/scope.ts'
import { slots } from '../registry/slots.ts'
import { addTools, toolList, toolTable } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import { countMisfit } from '../run/snapshot.ts'
import { eventQueue } from '../run/queue.ts'
import type { RunSetup, RunState } from '../run/state.ts'
import { isObject, own } from '../json/value.ts'
import type { Schema } from '../schema/schema.ts'
import { toSchema } from '../schema/standard.ts'
import type { Limits } from '../tool/limits.ts'
import type { StepFacts } from '../tool/rule.ts'
import type { AgentOptions, RunOptions, StepState } from './options.ts'
import { callOwner } from './call-owner.ts'

/** What all runs of an agent share. */
export interface AgentSetup extends Pick<CallScope, 'host' | 'rules' | 'capabilities' | 'policies' | 'wrap'> {
  readonly options: AgentOptions
  readonly table: ToolTable
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

export interface AgentState extends AgentSetup, RunState, Omit<CallScope, keyof RunState | keyof AgentSetup> {
  readonly options: AgentOptions
  /** As the model of the current step wants it. */
  asksForEffects: boolean
  readonly settings: ModelSettings
  readonly limits: Limits
  /** Only ever appended to: a dialect caches what it serialised by this array's identity. */
  readonly messages: Message[]
  readonly addedFrom: number
  readonly callIds: Set<string>
  /** Calls made so far, by tool. */
  toolCalls: Map<string, number>
  repeats: readonly Repeat[]
  /** The tools of the current step, by the name the model sees. */
  tools: ReadonlyMap<string, Entry>
  /** What the model is told of them. */
  advertised: readonly ToolDefinition[]
  /** Snapshots of sub-agents that wait, by the call that began them. */
  children?: Readonly<Record<string, Json>> | undefined
  /** The calls that a resumed step still has to answer. */
  open?: readonly PreparedCall[] | undefined
  /** How the response of the current step ended, once it is whole. */
  response?: Pick<Fold, 'finish' | 'rawFinish' | 'usage'>
  repaired: boolean
  text: string
  output: unknown
  /** Why the run stops before its next model call. */
  stopNext: 'tool-calls' | 'repeated-calls' | null
}

/** Throws `config-invalid` for options that cannot work. */
function checkOptions({
  model,
  tools = [],
  concurrency = 1,
  approvalWaitMs,
  approvalExpiryMs,
  limits = {},
}: AgentOptions): void {
  const { toolCalls, ...counts } = limits
  const byTool = isObject(toolCalls) ? toolCalls : { toolCalls }
  const problem =
    misfit({ tools, stream: typeof own(model, 'stream') }, { tools: 'array', stream: ['function'] }) ??
    countMisfit({ concurrency, approvalWaitMs, approvalExpiryMs, ...counts, ...byTool }) ??
    (concurrency < 1 ? '"concurrency" must be 1 or more' : undefined)
  if (problem) throw new SameloopError('config-invalid', `Cannot make an agent: ${problem}`)
}

export function agentSetup(options: AgentOptions): AgentSetup {
  checkOptions(options)
  const { env = {}, policy, middleware = [], registry, output } = options
  const { host = webHost } = env
  const policies = policy ? [policy] : []
  return {
    options,
    host,
    table: tableWith(options.tools, toolTable(registry?.table)),
    rules: [
      ...(policy?.rules ?? []),
      ...(registry?.table.guard?.rules ?? []),
      ...middleware.flatMap((one) => one.rules ?? []),
    ],
    wrap: wrapTool(middleware),
    policies,
    capabilities: capabilities(env, policies, host),
    schema: output && toSchema(output, 'input'),
    furtherLimits: middleware.flatMap((one) => one.limits ?? []),
  }
}

function tableWith(tools: AgentOptions['tools'] = [], table: ToolTable): ToolTable {
  addTools(table, tools)
  return table
}

/** Where a run begins: the messages so far, to be appended to, and what a resumed run brings. */
export interface Beginning extends RunSetup {
  readonly messages: Message[]
}

const none: readonly never[] = []

/** One literal: what is spread or assigned has a hidden class of its own, which costs a run more than all it holds. */
export function agentState(setup: AgentSetup, given: RunOptions, begin: Beginning): AgentState {
  const { options, host } = setup
  const { id = host.id('run_'), messages, seq = 0, step = 0, usage = {}, earlierMs = 0 } = begin
  const table = given.tools ? tableWith(given.tools, toolTable(setup.table)) : setup.table
  const { entries, definitions } = toolList(table)
  return {
    id,
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
