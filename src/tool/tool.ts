// A tool: what the model may call. An object of this shape written by hand is as good as one made by `tool()`.
import type { Coercing } from '../schema/coerce.ts'
import type { InputOf, OutputOf, StandardSchema } from '../schema/schema.ts'
import type { Effect, Preview } from '../message/decision.ts'
import type { ContentPart } from '../message/part.ts'
import type { Json } from '../json/value.ts'
import type { ToolContext } from './context.ts'

export interface Tool<Input = unknown, Output = unknown> {
  /** snake_case, 1 to 64 of `a-z A-Z 0-9 _ -` for a name that reaches models unchanged; dots and slashes are made safe. */
  readonly name: string
  readonly description: string
  /** A Standard Schema that gives its JSON Schema. None: no parameters. Not an object: the model sees `{ input }`. */
  readonly input?: StandardSchema<unknown, unknown> | undefined
  readonly output?: StandardSchema<unknown, unknown> | undefined
  /** For recovery after a crash, and for models that must ask. Default `unsafe`: never run twice. */
  readonly effect?: Effect | ((input: Json) => Effect) | undefined
  /** The result is the answer: no further model turn, when all successful calls of the step are return-direct. */
  readonly returnDirect?: boolean | undefined
  /** Ask a person first. A function may answer with the reason to show. Default false. */
  readonly approval?: boolean | ((input: Json) => boolean | string | Promise<boolean | string>) | undefined
  /** For the execution only, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined
  /** `exclusive`: runs alone, after the calls before it and before those after. Default `parallel`. */
  readonly mode?: 'parallel' | 'exclusive' | undefined
  readonly coerce?: Coercing | undefined
  /** The same call with the same result again is no sign of a loop (polling). Default false. */
  readonly repeatable?: boolean | undefined
  /** What `approve-session` covers: calls with the same scope. Default: the exact coerced input. */
  readonly approvalScope?: ((input: Json) => string) | undefined
  /**
   * Longer text results keep head and tail, and the whole is written to `.tool-results/` in the environment's files, with
   * its path in the result. Default 100,000 characters.
   */
  readonly maxOutputChars?: number | undefined
  /** What people say when they want this tool; the local planner matches on them. */
  readonly examples?: readonly string[] | undefined
  /** Default: made from run and call id. */
  readonly idempotencyKey?: ((input: Json) => string) | undefined
  /** What to show to the person who decides. */
  readonly describeCall?: ((input: Json, context: ToolContext) => Preview | Promise<Preview>) | undefined
  /** Absent: a client-side tool, whose result comes by `decide({ callId, result })`. */
  execute?(input: Input, context: ToolContext): ToolReturn<Output>
}

/** What `execute` may return: a value, nothing, `ok()`, `fail()`, a promise of these, or a generator that yields progress. */
export type ToolReturn<Output> =
  | Output
  | ToolAnswer
  | Promise<Output | ToolAnswer | void>
  | AsyncGenerator<Json, Output | ToolAnswer | void, void>
  | void

const answer: unique symbol = Symbol.for('sameloop.answer') as never

/** What `ok()` and `fail()` make. */
export interface ToolAnswer {
  readonly [answer]: true
  readonly ok: boolean
  readonly content: unknown
  readonly parts?: readonly ContentPart[] | undefined
  readonly details?: Json | undefined
}

/**
 * A result with more than a value: `content` is a string, JSON or content parts for the model; `parts` follow it for the
 * model alone (an image beside a typed value); `details` are for people and never reach the model.
 */
export function ok(
  content?: Json | readonly ContentPart[],
  extra: { readonly parts?: readonly ContentPart[]; readonly details?: Json } = {},
): ToolAnswer {
  return { [answer]: true, ok: true, content, parts: extra.parts, details: extra.details }
}

/** A failure the model should read and react to. The run goes on. */
export function fail(message: string, extra: { readonly details?: Json } = {}): ToolAnswer {
  return { [answer]: true, ok: false, content: message, details: extra.details }
}

export function isAnswer(value: unknown): value is ToolAnswer {
  return typeof value === 'object' && value !== null && answer in value
}

/** A tool's options with the types of its schemas. */
export type ToolOptions<
  In extends StandardSchema<unknown, unknown> | undefined,
  Out extends StandardSchema<unknown, unknown> | undefined,
> = Omit<Tool, 'input' | 'output' | 'execute'> & {
  readonly input?: In
  readonly output?: Out
  readonly execute?: ((input: ArgumentOf<In>, context: ToolContext) => ToolReturn<ResultOf<Out>>) | undefined
}

/** What `execute` receives for a schema; an empty object where there is none. */
export type ArgumentOf<S> = S extends StandardSchema<unknown, unknown> ? OutputOf<S> : Record<string, never>
/** What `execute` may return for an output schema. */
export type ResultOf<S> = S extends StandardSchema<unknown, unknown> ? InputOf<S> : unknown
