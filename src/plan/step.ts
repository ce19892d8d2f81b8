// What a plan is made of: steps that call tools, and the references that carry one step's value to another.
import type { Json } from '../json/value.ts'

/** The values of the steps that are finished, by step id. A step that was skipped has none. */
export type StepValues = Readonly<Record<string, unknown>>

/**
 * Stands in an input for the value of an earlier step, or for a part of it: `{ $from: 'fetch', path: 'items.0.url' }`.
 * `path` is dotted, with numbers for places in lists; only own properties are found. A part that is not there fails the
 * step. `{ $item: true }` stands for the item of a step with `forEach`, and `path` for a part of it. A reference has no
 * further keys. What the references of one input bring is 10 million characters of JSON at most; more fail the step.
 */
export type Reference =
  | { readonly $from: string; readonly path?: string | undefined }
  | { readonly $item: true; readonly path?: string | undefined }

/**
 * JSON in which references stand for values. `{ $value: … }` stands for what is in it, taken as it is: so an object that
 * really has a key `$from`, `$item` or `$value` is given.
 */
export type Template =
  | string
  | number
  | boolean
  | null
  | Reference
  | readonly Template[]
  | { readonly [key: string]: Template }

/** How a failed step is tried again: its tool failed or took too long. The approval is asked for once. */
export interface StepRetry {
  /** Further tries after the first, from 0 to 100. */
  readonly retries: number
  /** The wait before the first of them; it doubles. Default 100 ms. */
  readonly delayMs?: number | undefined
}

/** A step as JSON, without functions: what models propose, files hold and `toJSON` gives. */
export interface StepJson {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`; unique in its plan. */
  readonly id: string
  /** The tool's name or URI. */
  readonly tool: string
  /** Default: `{}`. Steps that it refers to are dependencies. */
  readonly input?: Template | undefined
  /** Further steps that must be finished before, whose values are not needed. */
  readonly after?: readonly string[] | undefined
  /** A condition in the expression language over the values of earlier steps (`fetch.status == 200`); false skips the step. */
  readonly when?: string | undefined
  readonly retry?: StepRetry | undefined
  /** For each try, in milliseconds. Default: the tool's own. */
  readonly timeoutMs?: number | undefined
  /**
   * What a failure comes to. `fail` (default): the steps that need this one are skipped. `{ value }`: the step counts as
   * `ok` with this value.
   */
  readonly onError?: 'fail' | { readonly value: Json } | undefined
  /** One call for each item of a list; the value is the list of their values, in order. */
  readonly forEach?: Reference | readonly Template[] | undefined
  /** How many items `forEach` may have; more fail the step. Default 1,000. */
  readonly maxItems?: number | undefined
}

/** A plan as JSON. */
export interface PlanJson {
  readonly version: 1
  readonly steps: readonly StepJson[]
}

/** A step as code writes it: functions may stand where JSON has references and expressions. */
export interface StepOptions extends Omit<StepJson, 'input' | 'when' | 'forEach'> {
  /** A function sees the values of all steps before it: of those in `after` and of what they come after. */
  readonly input?: Template | ((values: StepValues, item?: unknown, index?: number) => unknown) | undefined
  readonly when?: string | ((values: StepValues) => boolean) | undefined
  readonly forEach?: Reference | readonly Template[] | ((values: StepValues) => readonly unknown[]) | undefined
}

/** How a step ended, or that it has not. */
export type StepStatus = 'ok' | 'failed' | 'skipped' | 'cancelled' | 'pending'

export interface StepResult {
  readonly id: string
  readonly status: StepStatus
  /** Of a step that is `ok`. As `registry.call` gives it: an object as its schema says, else `{ result }`. */
  readonly value?: unknown
  /** Why it is not: the failure's reason, as in outcomes, and what was said. */
  readonly reason?: string | undefined
  readonly message?: string | undefined
  /** The failed step that a skipped one needed, or `when`. */
  readonly because?: string | undefined
}
