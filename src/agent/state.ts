// The state of one run of an agent.
import type { Fold } from '../message/fold.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import type { ContentPart, Message } from '../message/part.ts'
import type { Json } from '../json/value.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import type { CallScope } from '../registry/scope.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import type { RunState } from '../run/state.ts'
import type { Schema } from '../schema/schema.ts'
import type { AgentOptions, Limits, StepState } from './options.ts'

/** What all runs of an agent share. */
export interface AgentSetup extends Pick<CallScope, 'host' | 'rules' | 'capabilities' | 'wrap'> {
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

export interface AgentState extends AgentSetup, Omit<CallScope, 'asksForEffects'> {
  /** As the model of the current step wants it. */
  asksForEffects: boolean
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

/** Whether a model plans by rules and may guess wrong. */
export const asksForEffects = (model: Model): boolean => model.capabilities.asksFor === 'effects'

/** What the user's own functions see of a run. */
export function stepState(state: AgentState): StepState {
  const { run } = state
  return { step: run.step, messages: state.messages, usage: run.usage, finish: state.folded?.finish, deps: state.deps }
}
