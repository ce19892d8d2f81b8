// The state of one run of an agent, and how it is set up.
import type { Grants } from '../approval/grants.ts'
import type { Host } from '../host/host.ts'
import { webHost } from '../host/web-host.ts'
import type { FinishReason, ToolDefinition } from '../message/model-event.ts'
import type { ContentPart, Json, Message } from '../message/part.ts'
import { wrapTool } from '../middleware/middleware.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ModelSettings } from '../model/model.ts'
import type { CallScope, Capabilities } from '../registry/scope.ts'
import { addTool, toolTable } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import type { Hooks } from '../run/hooks.ts'
import { reconsider } from '../run/requests.ts'
import { runState } from '../run/state.ts'
import type { RunState } from '../run/state.ts'
import type { Schema } from '../schema/schema.ts'
import type { Rule } from '../tool/rule.ts'
import { slots } from './slots.ts'
import type { Slots } from './slots.ts'
import type { AgentOptions, Limits, RunOptions, StepState } from './options.ts'

/** What all runs of an agent share. */
export interface AgentSetup {
  readonly options: AgentOptions
  readonly host: Host
  readonly table: ToolTable
  readonly rules: readonly Rule[]
  readonly middleware: readonly Middleware[]
  readonly wrap: CallScope['wrap']
  readonly capabilities: Capabilities
  readonly output: Schema | undefined
}

/** A call of the last step, for telling repetition. */
export interface Repeat {
  readonly name: string
  readonly input: Json
  readonly content: readonly ContentPart[]
  readonly count: number
}

export interface AgentState {
  readonly setup: AgentSetup
  readonly run: RunState
  readonly deps: unknown
  readonly settings: ModelSettings
  readonly limits: Limits
  readonly table: ToolTable
  readonly scope: CallScope
  readonly slots: Slots
  /** Only ever appended to: a dialect caches what it serialised by this array's identity. */
  readonly messages: Message[]
  readonly addedFrom: number
  readonly callIds: Set<string>
  readonly toolCalls: Map<string, number>
  repeats: readonly Repeat[]
  /** The tools of the current step, by the name the model sees. */
  tools: ReadonlyMap<string, Entry>
  filtered: Filtered | undefined
  finish: FinishReason | undefined
  repaired: boolean
  text: string
  output: unknown
  /** Why the run stops before its next model call. */
  stopNext: 'tool-calls' | 'repeated-calls' | undefined
  partial: string
}

/** The tools of a step after filtering; kept while the inputs are the same, so that requests stay byte-identical. */
export interface Filtered {
  readonly from: readonly ToolDefinition[]
  readonly key: string
  readonly definitions: readonly ToolDefinition[]
  readonly tools: ReadonlyMap<string, Entry>
}

export function agentSetup(options: AgentOptions): AgentSetup {
  const { env = {}, policy, middleware = [], registry } = options
  const table = toolTable(registry?.table)
  for (const tool of options.tools ?? []) addTool(table, tool)
  const host = env.host ?? webHost
  const fetch = policy === undefined ? env.fetch : policy.guardFetch(env.fetch ?? host.fetch)
  const fs = env.fs !== undefined && policy !== undefined ? policy.confineFiles(env.fs) : env.fs
  return {
    options,
    host,
    table,
    rules: [...(policy?.rules ?? []), ...middleware.flatMap((one) => one.rules ?? [])],
    middleware,
    wrap: wrapTool(middleware),
    capabilities: { fs, shell: env.shell, code: env.code, fetch },
    output: undefined,
  }
}

export interface Beginning {
  readonly messages: Message[]
  readonly grants: Grants
  readonly run: Partial<Parameters<typeof runState>[0]>
}

export function agentState(setup: AgentSetup, options: RunOptions, begin: Beginning, scopeOf: (state: AgentState) => CallScope): AgentState {
  const base = setup.options
  const table = options.tools === undefined ? setup.table : toolTable(setup.table)
  for (const tool of options.tools ?? []) addTool(table, tool)
  const run = runState(
    {
      id: setup.host.id('run_'),
      host: setup.host,
      session: options.session,
      hooks: base.hooks ?? noHooks,
      grants: begin.grants,
      approve: base.approve,
      approvalWaitMs: base.approvalWaitMs ?? 0,
      ...begin.run,
    },
    reconsider,
  )
  const state: AgentState = {
    setup,
    run,
    deps: options.deps ?? base.deps,
    settings: { ...base.settings, ...options.settings },
    limits: { ...base.limits, ...options.limits },
    table,
    get scope() {
      return scope
    },
    slots: slots(base.concurrency ?? 10),
    messages: begin.messages,
    addedFrom: begin.messages.length,
    callIds: new Set(),
    toolCalls: new Map(),
    repeats: [],
    tools: new Map(),
    filtered: undefined,
    finish: undefined,
    repaired: false,
    text: '',
    output: undefined,
    stopNext: undefined,
    partial: '',
  }
  const scope = scopeOf(state)
  return state
}

const noHooks: Hooks = {}

/** What the user's own functions see of a run. */
export function stepState({ run, messages, finish, deps }: AgentState): StepState {
  return { step: run.step, messages, usage: run.usage, finish, deps }
}
