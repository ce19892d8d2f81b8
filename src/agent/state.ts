// The state of one run of an agent, and how it is set up.
import type { Grants } from '../approval/grants.ts'
import { webHost } from '../host/web-host.ts'
import type { Fold } from '../message/fold.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import type { ContentPart, Json, Message } from '../message/part.ts'
import { wrapTool } from '../middleware/middleware.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ModelSettings } from '../model/model.ts'
import type { ReadyCall } from '../registry/prepare.ts'
import { capabilities } from '../registry/scope.ts'
import type { CallScope } from '../registry/scope.ts'
import { addTool, toolList, toolTable } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import { runState } from '../run/state.ts'
import type { RunSetup, RunState } from '../run/state.ts'
import { toSchema } from '../schema/standard.ts'
import type { Schema } from '../schema/schema.ts'
import type { AgentOptions, Limits, RunOptions, StepState } from './options.ts'
import { askPerson, reportCall } from './scope.ts'

/** What all runs of an agent share. */
export interface AgentSetup extends Pick<CallScope, 'host' | 'rules' | 'asksForEffects' | 'capabilities' | 'wrap'> {
  readonly options: AgentOptions
  readonly middleware: readonly Middleware[]
  readonly table: ToolTable
  readonly schema: Schema | undefined
}

/** A call of the last step, for telling repetition. */
export interface Repeat {
  readonly name: string
  readonly input: Json
  readonly content: readonly ContentPart[]
  readonly count: number
}

export interface AgentState extends AgentSetup, CallScope {
  readonly run: RunState
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
  /** The response of the current step, once it is whole. */
  folded?: Fold
  repaired: boolean
  text: string
  output?: unknown
  /** Why the run stops before its next model call. */
  stopNext: 'tool-calls' | 'repeated-calls' | null
}

export function agentSetup(options: AgentOptions): AgentSetup {
  const { env = {}, policy, middleware = [], registry, model, output } = options
  const { host = webHost } = env
  return {
    options,
    host,
    table: tableWith(options.tools, toolTable(registry?.table)),
    middleware,
    rules: [...(policy?.rules ?? []), ...middleware.flatMap((one) => one.rules ?? [])],
    wrap: wrapTool(middleware),
    capabilities: capabilities(env, policy, host),
    asksForEffects: model.capabilities.asksFor === 'effects',
    schema: output && toSchema(output, 'input'),
  }
}

function tableWith(tools: AgentOptions['tools'] = [], table: ToolTable): ToolTable {
  for (const tool of tools) addTool(table, tool)
  return table
}

/** Where a run begins: the messages so far, and what a resumed run brings. */
export interface Beginning extends Partial<RunSetup> {
  readonly messages: readonly Message[]
  readonly grants: Grants
}

export function agentState(setup: AgentSetup, given: RunOptions, { messages, ...begin }: Beginning): AgentState {
  const { options, host } = setup
  const base = { id: host.id('run_'), host, session: given.session, options, seq: 0, step: 0, usage: {}, earlierMs: 0 }
  const table = given.tools ? tableWith(given.tools, toolTable(setup.table)) : setup.table
  const state: AgentState = {
    ...setup,
    table,
    run: runState({ ...base, ...begin }),
    grants: begin.grants,
    deps: given.deps ?? options.deps,
    settings: { ...options.settings, ...given.settings },
    limits: { ...options.limits, ...given.limits },
    messages: [...messages],
    addedFrom: messages.length,
    callIds: new Set(
      messages.flatMap(({ content }) => content.map((part) => (part.type === 'tool-call' ? part.callId : ''))),
    ),
    toolCalls: new Map(),
    repeats: [],
    tools: new Map(),
    advertised: toolList(table).definitions,
    repaired: false,
    text: '',
    stopNext: null,
    ask: (call, request) => askPerson(state, call as ReadyCall, request),
    report: (call, event) => reportCall(state.run, call, event),
  }
  return state
}

/** What the user's own functions see of a run. */
export function stepState(state: AgentState): StepState {
  const { run } = state
  return { step: run.step, messages: state.messages, usage: run.usage, finish: state.folded?.finish, deps: state.deps }
}
