// What a node does by a call: which tool it calls, with what input, and what its value is.
import { agent } from '../agent/agent.ts'
import type { Agent } from '../agent/agent.ts'
import type { AgentSetup } from '../agent/state.ts'
import { partsOf } from '../continuation/runner.ts'
import type { SameloopError } from '../error/error.ts'
import { cut, jsonText } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import { storable } from '../orchestrator/values.ts'
import type { Model } from '../model/model.ts'
import { nearestNames } from '../registry/nearest-names.ts'
import { addTools, findEntry, toolList, toolTable } from '../registry/table.ts'
import type { Entry } from '../registry/table.ts'
import { jsonSchema } from '../schema/check.ts'
import { tool } from '../tool/define.ts'
import type { Tool } from '../tool/tool.ts'
import type { ApprovalNode, InnerNode, ToolNode, WaitNode, WorkflowJson, WorkflowNode } from '../workflow/definition.ts'
import { refusal } from '../workflow/refusal.ts'
import type { Site } from '../workflow/refusal.ts'
import { compileTemplate } from '../workflow/template.ts'
import type { Filled, Room, Scope } from '../workflow/template.ts'
import type { EngineSetup } from './setup.ts'
import { boundOf, inputOf, valueOf } from './bounds.ts'

export interface Activity {
  readonly entry: Entry
  /** Its tool is the workflow's, and not one of the registry. */
  readonly isOwn: boolean
  readonly terms?: Pick<ToolNode, 'timeoutMs' | 'retry'> | undefined
  /** It only holds others, or asks: rules and middleware for tools are not for it. */
  readonly isFrame: boolean
  /** The input of the call. Throws `workflow-failed` where it cannot be worked out, or does not fit. */
  input(scope: Scope, shared?: Room): Json
  /** Of the node, from that of the call. Throws `workflow-failed` for what does not fit. */
  value(given: unknown): Json
}

/** Where nodes find what they name. */
export interface Cast {
  readonly setup: EngineSetup
  /** Its name, for messages. */
  readonly workflow: string
}

export type Calling = Exclude<InnerNode, { readonly type: 'workflow' }>

export function activityOf(cast: Cast, node: Calling, id: string): Activity {
  switch (node.type) {
    case 'tool':
      return toolActivity(cast, node, id)
    case 'agent':
      return agentActivity(cast, node, id)
    case 'model':
      return modelActivity(cast, node, id)
  }
}

type Inner<Type extends InnerNode['type']> = Extract<InnerNode, { readonly type: Type }>

/** Throws `workflow-invalid` for a tool, an agent or a model that is not there, at any depth. */
export function checkCast(cast: Cast, { nodes }: WorkflowJson, path = ''): void {
  for (const node of nodes) {
    const id = `${path}${node.id}`
    if (node.type === 'map') checkNamed(cast, node.each, id)
    else if (node.type === 'parallel')
      for (const [name, branch] of Object.entries(node.branches)) checkNamed(cast, branch, `${id}.${name}`)
    else checkNamed(cast, node, id)
  }
}

/** Workflows within workflows are few: the definition is checked for it. */
function checkNamed(cast: Cast, node: WorkflowNode | InnerNode, id: string): void {
  if (node.type === 'tool') toolNamed(cast, node, id)
  else if (node.type === 'agent') agentNamed(cast, node, id)
  else if (node.type === 'model') modelNamed(cast, node, id)
  else if (node.type === 'workflow') checkCast(cast, node.workflow, `${id}/`)
}

function toolNamed({ setup, workflow }: Cast, { tool: name }: Inner<'tool'>, node: string): Entry {
  const { entries } = toolList(setup.table)
  const found = findEntry(entries, name)
  if (found) return found
  throw unknown({ workflow, node }, `tool "${name}"`, nearestNames(name, entries.keys(), 3))
}

function agentNamed({ setup, workflow }: Cast, { agent: name }: Inner<'agent'>, node: string): Agent {
  const { agents = {} } = setup.options
  const found = own(agents, name) as Agent | undefined
  if (found) return found
  throw unknown({ workflow, node }, `agent "${name}"`, nearestNames(name, Object.keys(agents), 3))
}

function modelNamed({ setup, workflow }: Cast, { model: name = 'default' }: Inner<'model'>, node: string): Model {
  const { models = {} } = setup.options
  const found = own(models, name) as Model | undefined
  if (found) return found
  throw unknown({ workflow, node }, `model "${name}"`, nearestNames(name, Object.keys(models), 3))
}

function toolActivity(cast: Cast, node: Inner<'tool'>, id: string): Activity {
  const { setup } = cast
  const { timeoutMs, retry } = node
  const terms = timeoutMs === undefined && !retry ? undefined : { timeoutMs, retry }
  const input = inputOf(setup, node, node.input ?? {})
  return {
    entry: toolNamed(cast, node, id),
    terms,
    isOwn: false,
    isFrame: false,
    input,
    value: valueOf(setup, node, storable),
  }
}

function agentActivity(cast: Cast, node: Inner<'agent'>, id: string): Activity {
  const named = agentNamed(cast, node, id)
  const made = named.asTool({ name: `agent://${node.agent}`, description: `The agent "${node.agent}".` })
  const { schema } = (partsOf(named)?.setup ?? {}) as Partial<AgentSetup>
  return { ...asked(cast.setup, made, node), value: valueOf(cast.setup, node, answerOf(schema?.json)) }
}

function modelActivity(cast: Cast, node: Inner<'model'>, id: string): Activity {
  const { setup } = cast
  const { middleware, patterns = 'ignore' } = setup.options
  const { model: name = 'default', instructions, outputSchema } = node
  const output = outputSchema && jsonSchema(outputSchema, { patterns })
  // A second step is only for an answer that did not fit.
  const limits = { steps: output ? 2 : 1 }
  const made = agent({ model: modelNamed(cast, node, id), instructions, output, limits, middleware }).asTool({
    name: `model://${name}`,
    description: `The model "${name}".`,
    effect: 'read',
  })
  return { ...asked(setup, made, node), value: valueOf(setup, {}, answerOf(outputSchema)) }
}

/** What is asked in words. */
function asked(setup: EngineSetup, made: Tool, node: Inner<'agent'> | Inner<'model'>): Omit<Activity, 'value'> {
  const prompt = inputOf(setup, node, node.prompt)
  const input: Filled = (scope, shared) => {
    const said = prompt(scope, shared)
    return { task: typeof said === 'string' ? said : (jsonText(said) ?? '') }
  }
  return { entry: entryOf(setup, made), isOwn: true, isFrame: false, input }
}

/** The value of a run as a tool: its output, or `{ text }`. */
function answerOf(output: { readonly [key: string]: unknown } | undefined): (given: unknown) => Json {
  if (output?.['type'] === 'object') return storable
  return (given) => {
    const result = storable(own(given, 'result'))
    return output ? result : { text: result }
  }
}

/** A call that asks a person, and does nothing. */
export function approvalActivity(setup: EngineSetup, node: ApprovalNode): Activity {
  const message = compileTemplate(node.message, { node: node.id, field: 'message' })
  const bound = boundOf(setup, 'inputSchema', node)
  const said = (input: Json): string => {
    const text = own(input, 'message')
    return typeof text === 'string' ? text : (jsonText(text) ?? '')
  }
  const made = tool({
    name: `approval://${node.id}`,
    description: 'Asks a person whether to go on.',
    input: jsonSchema({ type: 'object', properties: { message: {} }, required: ['message'] }),
    effect: 'read',
    approval: said,
    describeCall: (input) => ({ summary: cut(said(input), 200) }),
    execute: () => undefined,
  }) as Tool
  return {
    entry: entryOf(setup, made),
    isOwn: true,
    isFrame: true,
    input: (scope) => ({ message: bound(message(scope)) }),
    value: valueOf(setup, node, () => ({ approved: true })),
  }
}

/** A call whose result comes from outside. */
export function eventActivity(setup: EngineSetup, node: WaitNode, event: string): Activity {
  const made = tool({
    name: `event://${event}`,
    description: `Waits for the event "${event}".`,
    input: jsonSchema({ type: 'object', properties: { event: { type: 'string' } }, required: ['event'] }),
    effect: 'read',
  }) as Tool
  return {
    entry: entryOf(setup, made),
    isOwn: true,
    isFrame: true,
    input: () => ({ event }),
    value: valueOf(setup, node, (given) => storable(own(given, 'result'))),
  }
}

/** A tool that is the workflow's own. */
export function entryOf({ adapt }: EngineSetup, made: Tool): Entry {
  const table = toolTable()
  addTools(table, [made])
  const [entry] = toolList(table).entries.values()
  return adapt?.(entry as Entry) ?? (entry as Entry)
}

function unknown(site: Site, what: string, near: readonly string[]): SameloopError {
  const meant = near.length ? `; near are ${near.map((name) => `"${cut(name, 80)}"`).join(', ')}` : ''
  return refusal(site, `there is no ${cut(what, 200)}${meant}`)
}
