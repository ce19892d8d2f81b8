// A workflow as plain JSON: typed nodes, and which node comes after which.
import type { Json } from '../json/value.ts'
import type { JsonSchema } from '../schema/schema.ts'

/**
 * A text with `{{ path }}` in it, or JSON with such texts in it. A text that is one path alone gives the value itself, any
 * other the text with values put in (texts as they are, the rest as JSON). Paths begin with `input` (the workflow's),
 * `state`, or the id of a node that was visited; only own properties are found, and what is not there fails the node.
 * In a `map`, `item` and `index` are known too. More than a path may stand there: any expression, as in conditions. A
 * literal `{{` is written `{{ "{{" }}`.
 */
export type Template = Json

interface NodeBase {
  /**
   * 1 to 64 of `a-z A-Z 0-9 _ -`, unique, and none of `input state item index output __proto__` and the words of the
   * expression language. With a `-`, or a digit first, it can be gone to but not looked up in expressions.
   */
  readonly id: string
  /** Checked and coerced when the node begins. */
  readonly inputSchema?: JsonSchema | undefined
  /** Checked and coerced when the node ends. */
  readonly outputSchema?: JsonSchema | undefined
  /** Values of the state that change when the node is done; in these templates `output` is what it gave. */
  readonly set?: Readonly<Record<string, Template>> | undefined
}

interface Onward {
  readonly next: string
  /** Where to go when the node fails; the failure is then `{{ id.error }}`. Default: the workflow fails. */
  readonly onError?: string | undefined
}

export type StartNode = NodeBase & { readonly type: 'start'; readonly next: string }
export type EndNode = NodeBase & { readonly type: 'end'; readonly output?: Template | undefined }

/** Calls a tool by name or URI; gives its value. */
export type ToolNode = NodeBase &
  Onward & {
    readonly type: 'tool'
    readonly tool: string
    readonly input?: Template | undefined
    readonly timeoutMs?: number | undefined
    /** 0 to 100 further tries. */
    readonly retry?: { readonly retries: number; readonly delayMs?: number | undefined } | undefined
  }

/** Runs an agent that the engine knows by this name; gives `{ text }`, or its output. */
export type AgentNode = NodeBase &
  Onward & { readonly type: 'agent'; readonly agent: string; readonly prompt: Template }

/** Asks a model once, without tools; gives `{ text }`, or what `outputSchema` says. */
export type ModelNode = NodeBase &
  Onward & {
    readonly type: 'model'
    /** A model that the engine knows by this name. Default: `default`. */
    readonly model?: string | undefined
    readonly prompt: Template
    readonly instructions?: string | undefined
  }

/** `condition` is in the expression language. */
export type IfNode = NodeBase & {
  readonly type: 'if'
  readonly condition: string
  readonly then: string
  readonly else: string
}

/** Goes where `cases` says for the value of the expression, as text. */
export type SwitchNode = NodeBase & {
  readonly type: 'switch'
  readonly value: string
  readonly cases: Readonly<Record<string, string>>
  readonly default?: string | undefined
}

/** What runs within `parallel` and `map`: a node that calls, without where to go. */
export type InnerNode =
  | Omit<ToolNode, 'id' | 'next' | 'onError' | 'set'>
  | Omit<AgentNode, 'id' | 'next' | 'onError' | 'set'>
  | Omit<ModelNode, 'id' | 'next' | 'onError' | 'set'>
  /** A workflow within, with state of its own. */
  | { readonly type: 'workflow'; readonly workflow: WorkflowJson; readonly input?: Template | undefined }

/** All branches at once; gives an object with what each gave. The first failure lets the others finish, then fails. */
export type ParallelNode = NodeBase &
  Onward & {
    readonly type: 'parallel'
    readonly branches: Readonly<Record<string, InnerNode>>
    readonly concurrency?: number | undefined
  }

/** One call for each item; gives the list of what each gave, in order. */
export type MapNode = NodeBase &
  Onward & {
    readonly type: 'map'
    /** A template that gives a list. */
    readonly items: Template
    readonly each: InnerNode
    readonly concurrency?: number | undefined
    /** More items fail the node. Default 1,000. */
    readonly maxItems?: number | undefined
  }

/** Waits for a time, or for an event that comes as a decision: `{ callId, result }`, with the node's id as the call id. */
export type WaitNode = NodeBase &
  Onward & { readonly type: 'wait'; readonly ms?: number | undefined; readonly event?: string | undefined }

/** Asks a person; gives `{ approved: true }`, or goes to `denied`, where there is one. */
export type ApprovalNode = NodeBase &
  Onward & { readonly type: 'approval'; readonly message: Template; readonly denied?: string | undefined }

export type WorkflowNode =
  | StartNode
  | EndNode
  | ToolNode
  | AgentNode
  | ModelNode
  | IfNode
  | SwitchNode
  | ParallelNode
  | MapNode
  | WaitNode
  | ApprovalNode

export type NodeType = WorkflowNode['type']

export interface WorkflowJson {
  readonly version: 1
  readonly name: string
  readonly description?: string | undefined
  /** Of the input; default: any object. */
  readonly inputSchema?: JsonSchema | undefined
  readonly outputSchema?: JsonSchema | undefined
  /** What the state begins with. Where it is given, no other keys can be set or looked up. */
  readonly state?: Readonly<Record<string, Json>> | undefined
  /** Exactly one `start`, at least one `end`; 10,000 in all, with those of workflows within. */
  readonly nodes: readonly WorkflowNode[]
  /** How often nodes may be visited in one run, all together. Default 1,000, at most 1,000,000. */
  readonly maxVisits?: number | undefined
  /** For the whole run, waiting for people left out. Default: none. */
  readonly timeoutMs?: number | undefined
}

export type NodeStatus = 'ok' | 'failed' | 'cancelled' | 'pending'

/** One visit of a node, as the result of a run lists them, in order. */
export interface Visit {
  readonly node: string
  readonly type: NodeType
  readonly status: NodeStatus
  readonly output?: Json | undefined
  readonly reason?: string | undefined
  readonly message?: string | undefined
}
