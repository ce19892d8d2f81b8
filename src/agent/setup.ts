// Setting up: what an agent is made of, checked once, and where a run of it begins.
import type { Grants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import { webHost } from '../host/web-host.ts'
import type { Message } from '../message/part.ts'
import { misfit } from '../message/shape.ts'
import { wrapTool } from '../middleware/middleware.ts'
import type { ReadyCall } from '../registry/prepare.ts'
import { capabilities } from '../registry/scope.ts'
import { addTool, toolList, toolTable } from '../registry/table.ts'
import type { ToolTable } from '../registry/table.ts'
import { runState } from '../run/state.ts'
import type { RunSetup } from '../run/state.ts'
import { isObject, own } from '../json/value.ts'
import { toSchema } from '../schema/standard.ts'
import { surplus } from './limits.ts'
import type { AgentOptions, Limits, RunOptions } from './options.ts'
import { askPerson, reportCall } from './scope.ts'
import { asksForEffects } from './state.ts'
import type { AgentSetup, AgentState } from './state.ts'

/** What is given as `undefined` lifts no limit. */
const defined = (limits: Limits = {}): Limits =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined))

/** Throws `config-invalid` for options that cannot work. */
function checkOptions({ model, tools, concurrency, approvalWaitMs, limits = {} }: AgentOptions): void {
  const counts = Object.entries({ approvalWaitMs, ...limits }).flatMap(([name, count]) =>
    isObject(count) ? Object.values(count).map((one) => [name, one] as const) : [[name, count] as const],
  )
  const broken = [['concurrency', concurrency && concurrency - 1] as const, ...counts].find(
    ([, count]) => count !== undefined && !((count as number) >= 0),
  )
  const problem =
    misfit({ tools: tools ?? [], stream: typeof own(model, 'stream') }, { tools: 'array', stream: ['function'] }) ??
    (broken && `"${broken[0]}" is no number that can work`) ??
    (concurrency === 0 ? '"concurrency" must be 1 or more' : undefined)
  if (problem) throw new SameloopError('config-invalid', `Cannot make an agent: ${problem}`)
}

export function agentSetup(options: AgentOptions): AgentSetup {
  checkOptions(options)
  const { env = {}, policy, middleware = [], registry, output } = options
  const { host = webHost } = env
  return {
    options,
    host,
    table: tableWith(options.tools, toolTable(registry?.table)),
    middleware,
    rules: [...(policy?.rules ?? []), ...middleware.flatMap((one) => one.rules ?? [])],
    wrap: wrapTool(middleware),
    capabilities: capabilities(env, policy, host),
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
    asksForEffects: asksForEffects(options.model),
    run: runState({ ...base, ...begin }),
    grants: begin.grants,
    deps: given.deps ?? options.deps,
    settings: { ...options.settings, ...given.settings },
    limits: { ...options.limits, ...defined(given.limits) },
    messages: [...messages],
    addedFrom: messages.length,
    callIds: new Set(
      messages.flatMap(({ content }) => content.map((part) => (part.type === 'tool-call' ? part.callId : ''))),
    ),
    toolCalls: new Map(),
    repeats: [],
    tools: toolList(table).entries,
    advertised: toolList(table).definitions,
    repaired: false,
    text: '',
    stopNext: null,
    ask: (scope, call, request) => askPerson({ ...scope, run: state.run }, call as ReadyCall, request),
    report: (call, event) => reportCall(state.run, call, event),
    admit: (call) => surplus(state, call),
    isGone: ({ definition }) => toolList(table).entries.get(definition.name)?.definition !== definition,
  }
  return state
}
