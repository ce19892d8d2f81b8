// Middleware wraps the model's calls and the tools' calls; the first in a list is the outermost.
import type { Host } from '../host/host.ts'
import type { Effect } from '../message/decision.ts'
import type { ModelEvent, ToolDefinition } from '../message/model-event.ts'
import type { Outcome } from '../message/part.ts'
import type { ModelCall, ModelRequest } from '../model/model.ts'
import type { ToolContext } from '../tool/context.ts'
import type { Limits } from '../tool/limits.ts'
import type { Rule, StepFacts } from '../tool/rule.ts'

export type ModelNext = (request: ModelRequest) => AsyncIterable<readonly ModelEvent[]>

/** One call on its way to `execute`: decided, with its validated input. Immutable; of a copy that `next` gets, only the `input` is heard. */
export interface ToolCall {
  readonly name: string
  readonly uri: string
  readonly effect: Effect
  /** As `execute` receives it; `context.rawInput` is the JSON before the schema's transforms. */
  readonly input: unknown
  readonly context: ToolContext
  readonly host: Host
  /** The outcome of what a tool might return, checked like what it does return: for one that is not run. */
  outcomeOf(returned: unknown): Outcome
}

export type ToolNext = (call: ToolCall) => Promise<Outcome>

/**
 * What surrounds calls. State that must survive a suspended run is read from the messages, not kept in the middleware:
 * a run may go on in another process. For a sub-agent's calls the `rules` and `advertises` of the agents above hold too;
 * they are wrapped, filtered and limited by its own list alone.
 */
export interface Middleware {
  readonly name: string
  /** Act before a person is asked. */
  readonly rules?: readonly Rule[] | undefined
  /** Whether the model is told of a tool. What is hidden is still found, so that a rule can say why it does not run. */
  readonly advertises?: ((name: string, uri: string, facts: StepFacts) => boolean) | undefined
  /** Beside the agent's own limits: each holds. */
  readonly limits?: Limits | undefined
  /** Filters what the model is told; what is left out is also refused when called. */
  readonly definitions?: ((list: readonly ToolDefinition[], facts: StepFacts) => readonly ToolDefinition[]) | undefined
  /** Wraps a model call; `call` has the host, the signal and `onWarning`. */
  readonly model?:
    | ((request: ModelRequest, next: ModelNext, call: ModelCall) => AsyncIterable<readonly ModelEvent[]>)
    | undefined
  /** Wraps the execution alone, after policy and approval; each `next` really runs the tool. */
  readonly tool?: ((call: ToolCall, next: ToolNext) => Promise<Outcome>) | undefined
}

/** The tool call wrapped by every middleware that wraps tools, or `undefined` where none does. */
export function wrapTool(list: readonly Middleware[]): ((next: ToolNext) => ToolNext) | undefined {
  const wraps = list.flatMap((one) => one.tool ?? [])
  if (!wraps.length) return undefined
  return (next) => wraps.reduceRight<ToolNext>((inner, wrap) => (call) => wrap(call, inner), next)
}

/** The model call wrapped by every middleware that wraps models. */
export function wrapModel(list: readonly Middleware[], next: ModelNext, call: ModelCall): ModelNext {
  const wraps = list.flatMap((one) => one.model ?? [])
  return wraps.reduceRight<ModelNext>((inner, wrap) => (request) => wrap(request, inner, call), next)
}
