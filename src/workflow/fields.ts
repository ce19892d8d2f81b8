// Which fields a workflow and each type of node have, and which of them must be there.
import type { InnerNode, NodeType, WorkflowJson, WorkflowNode } from './definition.ts'

/** One entry for every field of the type, no more: the compiler sees to it. */
type FieldsOf<Node> = {
  readonly [Name in keyof Node]-?: Partial<Pick<Node, Name>> extends Pick<Node, Name> ? 'may' : 'must'
}

export type Fields = Readonly<Record<string, 'may' | 'must'>>

export const workflowFields: FieldsOf<WorkflowJson> = {
  version: 'must',
  name: 'must',
  description: 'may',
  inputSchema: 'may',
  outputSchema: 'may',
  state: 'may',
  nodes: 'must',
  maxVisits: 'may',
  timeoutMs: 'may',
}

export const retryFields: Fields = { retries: 'must', delayMs: 'may' }

type NodeOf<Type extends NodeType> = Extract<WorkflowNode, { readonly type: Type }>
type InnerOf<Type extends InnerNode['type']> = Extract<InnerNode, { readonly type: Type }>

const inner = { type: 'must', inputSchema: 'may', outputSchema: 'may' } as const
const node = { id: 'must', ...inner, set: 'may' } as const
const onward = { ...node, next: 'must', onError: 'may' } as const
const tool = { tool: 'must', input: 'may', timeoutMs: 'may', retry: 'may' } as const
const agent = { agent: 'must', prompt: 'must' } as const
const model = { model: 'may', prompt: 'must', instructions: 'may' } as const

/** By type of node. */
export const nodeFields: { readonly [Type in NodeType]: FieldsOf<NodeOf<Type>> } = {
  start: { ...node, next: 'must' },
  end: { ...node, output: 'may' },
  tool: { ...onward, ...tool },
  agent: { ...onward, ...agent },
  model: { ...onward, ...model },
  if: { ...node, condition: 'must', then: 'must', else: 'must' },
  switch: { ...node, value: 'must', cases: 'must', default: 'may' },
  parallel: { ...onward, branches: 'must', concurrency: 'may' },
  map: { ...onward, items: 'must', each: 'must', concurrency: 'may', maxItems: 'may' },
  wait: { ...onward, ms: 'may', event: 'may' },
  approval: { ...onward, message: 'must', denied: 'may' },
}

/** By type of what runs within `parallel` and `map`. */
export const innerFields: { readonly [Type in InnerNode['type']]: FieldsOf<InnerOf<Type>> } = {
  tool: { ...inner, ...tool },
  agent: { ...inner, ...agent },
  model: { ...inner, ...model },
  workflow: { type: 'must', workflow: 'must', input: 'may' },
}
