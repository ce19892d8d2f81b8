// Middleware wraps the model's calls and the tools' calls; the first in a list is the outermost.
import type { ModelEvent, ToolDefinition } from '../message/model-event.ts'
import type { Outcome } from '../message/part.ts'
import type { ModelRequest } from '../model/model.ts'
import type { Rule } from '../tool/rule.ts'
import type { ToolContext } from '../tool/context.ts'

export type ModelNext = (request: ModelRequest) => AsyncIterable<readonly ModelEvent[]>
export type ToolNext = (input: unknown, context: ToolContext) => Promise<Outcome>

export interface Middleware {
  readonly name: string
  /** Act before a person is asked. */
  readonly rules?: readonly Rule[] | undefined
  /** Filters what the model is told; what is left out is also refused when called. */
  readonly definitions?: ((list: readonly ToolDefinition[]) => readonly ToolDefinition[]) | undefined
  readonly model?: ((request: ModelRequest, next: ModelNext) => AsyncIterable<readonly ModelEvent[]>) | undefined
  /** Wraps the execution alone, after policy and approval; each `next` really runs the tool. */
  readonly tool?: ((input: unknown, context: ToolContext, next: ToolNext) => Promise<Outcome>) | undefined
}

/** The tool call wrapped by every middleware that wraps tools, or `undefined` where none does. */
export function wrapTool(list: readonly Middleware[]): ((next: ToolNext) => ToolNext) | undefined {
  const wraps = list.flatMap((one) => one.tool ?? [])
  if (!wraps.length) return undefined
  return (next) => wraps.reduceRight<ToolNext>((inner, wrap) => (input, context) => wrap(input, context, inner), next)
}

/** The model call wrapped by every middleware that wraps models. */
export function wrapModel(list: readonly Middleware[], next: ModelNext): ModelNext {
  const wraps = list.flatMap((one) => one.model ?? [])
  return wraps.reduceRight<ModelNext>((inner, wrap) => (request) => wrap(request, inner), next)
}
