// A workflow written node by node, in the order in which it mostly runs.
import type {
  AgentNode,
  ApprovalNode,
  EndNode,
  IfNode,
  MapNode,
  ModelNode,
  NodeType,
  ParallelNode,
  StartNode,
  SwitchNode,
  ToolNode,
  WaitNode,
  WorkflowJson,
} from './definition.ts'
import { load } from './load.ts'
import type { Workflow } from './load.ts'

/** The fields of a node but for its type and id. Without `next` it goes on to the node that is added after it. */
export type NodeOptions<Node> = Omit<Node, 'id' | 'type' | 'next'> & { readonly next?: string | undefined }
export type StartOptions = NodeOptions<StartNode> & { readonly id?: string | undefined }
export type EndOptions = Omit<EndNode, 'id' | 'type'>

/** What a workflow has beside its name and nodes. */
export type WorkflowOptions = Omit<WorkflowJson, 'version' | 'name' | 'nodes'>

/**
 * A workflow and the next steps of writing it. Each method gives a new one and leaves the old as it was. It is checked
 * as a whole when `definition` or `toJSON()` is first asked for.
 */
export interface WorkflowBuilder extends Workflow {
  /** Default id: `start`. */
  start(next?: string | StartOptions): WorkflowBuilder
  tool(id: string, options: NodeOptions<ToolNode>): WorkflowBuilder
  agent(id: string, options: NodeOptions<AgentNode>): WorkflowBuilder
  model(id: string, options: NodeOptions<ModelNode>): WorkflowBuilder
  if(id: string, options: Omit<IfNode, 'id' | 'type'>): WorkflowBuilder
  switch(id: string, options: Omit<SwitchNode, 'id' | 'type'>): WorkflowBuilder
  parallel(id: string, options: NodeOptions<ParallelNode>): WorkflowBuilder
  map(id: string, options: NodeOptions<MapNode>): WorkflowBuilder
  wait(id: string, options: NodeOptions<WaitNode>): WorkflowBuilder
  approval(id: string, options: NodeOptions<ApprovalNode>): WorkflowBuilder
  /** Default id: `end`. */
  end(id?: string | EndOptions, options?: EndOptions): WorkflowBuilder
}

interface Draft {
  readonly type: NodeType
  readonly id: string
  readonly options: object
}

/** The nodes so far, last first: builders that start alike share what they have in common. */
interface Chain {
  readonly node: Draft
  readonly before: Chain | undefined
}

/** `head` is all but the nodes. */
export function builder(head: WorkflowOptions & { readonly name: string }, chain?: Chain): WorkflowBuilder {
  let loaded: Workflow | undefined
  const whole = (): Workflow => (loaded ??= load({ version: 1, ...head, nodes: linked(chain) }))
  const add = (type: NodeType, id: string, options: object): WorkflowBuilder =>
    builder(head, { node: { type, id, options }, before: chain })
  return {
    name: head.name,
    get definition() {
      return whole().definition
    },
    toJSON: () => whole().toJSON(),
    start: (next = {}) => {
      const { id = 'start', ...options } = typeof next === 'string' ? { next } : next
      return add('start', id, options)
    },
    tool: (id, options) => add('tool', id, options),
    agent: (id, options) => add('agent', id, options),
    model: (id, options) => add('model', id, options),
    if: (id, options) => add('if', id, options),
    switch: (id, options) => add('switch', id, options),
    parallel: (id, options) => add('parallel', id, options),
    map: (id, options) => add('map', id, options),
    wait: (id, options) => add('wait', id, options),
    approval: (id, options) => add('approval', id, options),
    end: (id = 'end', options = {}) => (typeof id === 'string' ? add('end', id, options) : add('end', 'end', id)),
  }
}

const goesByItself: readonly NodeType[] = ['if', 'switch', 'end']

/** The nodes in order, each that says nothing else going on to the one after it. */
function linked(chain: Chain | undefined): object[] {
  const nodes: object[] = []
  let following: string | undefined
  for (let link = chain; link; link = link.before) {
    const { type, id, options } = link.node
    const next = goesByItself.includes(type) || following === undefined ? {} : { next: following }
    nodes.push({ id, type, ...next, ...defined(options) })
    following = id
  }
  return nodes.reverse()
}

/** `next: undefined` says no more than no `next`. */
function defined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
