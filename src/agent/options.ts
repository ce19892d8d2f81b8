// What an agent is made of and what a run of it may change.
import type { GivenToResume, GivenToRun } from '../continuation/resume.ts'
import type { Answer, ApprovalRequest } from '../message/decision.ts'
import type { FinishReason } from '../message/model-event.ts'
import type { Message } from '../message/part.ts'
import type { Usage } from '../message/usage.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import type { ToolHolder } from '../continuation/setup.ts'
import type { Hooks } from '../observer/hooks.ts'
import type { SnapshotSeal } from '../run/snapshot.ts'
import type { StandardSchema } from '../schema/schema.ts'
import type { Environment } from '../tool/environment.ts'
import type { Limits } from '../tool/limits.ts'
import type { Policy } from '../tool/rule.ts'
import type { Tool } from '../tool/tool.ts'

/** What `prepareStep`, `stopWhen` and `instructions` see. */
export interface StepState {
  /** The number of the step about to run, or just finished, from 1. */
  readonly step: number
  readonly messages: readonly Message[]
  readonly usage: Usage
  readonly finish: FinishReason | undefined
  readonly deps: unknown
}

export interface StepChanges {
  readonly model?: Model | undefined
  readonly settings?: ModelSettings | undefined
  /** Names of the tools the model may use in this step. */
  readonly activeTools?: readonly string[] | undefined
  readonly instructions?: string | undefined
}

type MaybePromise<Value> = Value | Promise<Value>

export type Instructions = string | ((state: StepState) => MaybePromise<string>)

export interface AgentOptions {
  readonly model: Model
  readonly tools?: readonly Tool[] | undefined
  readonly registry?: ToolHolder | undefined
  readonly instructions?: Instructions | undefined
  /** Default: the host alone, without files, shell, code, network or store. */
  readonly env?: Environment | undefined
  readonly policy?: Policy | undefined
  /** Answers open requests; `'defer'`, nothing or a throw leaves them open. */
  readonly approve?: ((request: ApprovalRequest) => MaybePromise<Answer | undefined>) | undefined
  /** How long open requests wait, when no work is left, before the run suspends. Default 0; a page uses `Infinity`. */
  readonly approvalWaitMs?: number | undefined
  /** A question that is older counts as denied, also when its run is resumed. Default: never. */
  readonly approvalExpiryMs?: number | undefined
  readonly middleware?: readonly Middleware[] | undefined
  readonly hooks?: Hooks | undefined
  readonly settings?: ModelSettings | undefined
  readonly limits?: Limits | undefined
  /** Tools that run at once. Default 10. */
  readonly concurrency?: number | undefined
  readonly prepareStep?: ((state: StepState) => MaybePromise<StepChanges | undefined>) | undefined
  /** True after a step ends the run with stop `custom`. */
  readonly stopWhen?: ((state: StepState) => MaybePromise<boolean>) | undefined
  /** The schema of the answer; checked, with one repair round. */
  readonly output?: StandardSchema<unknown, unknown> | undefined
  readonly deps?: unknown
  /** `throw` fails the run with `tool-not-found`. Default `result`: the model reads the nearest names. */
  readonly onUnknownTool?: 'result' | 'throw' | undefined
  /** At the step limit, one last model call without tools. Default false. */
  readonly finalAnswer?: boolean | undefined
  /** Signs snapshots, and refuses unsigned ones: `signed(secret)` of `sameloop/journal`. */
  readonly snapshots?: SnapshotSeal | undefined
}

/** What one run may change. */
export interface RunOptions extends GivenToRun {
  readonly settings?: ModelSettings | undefined
  readonly limits?: Limits | undefined
  /** More tools, for this run only. */
  readonly tools?: readonly Tool[] | undefined
}

export interface ResumeOptions extends Omit<RunOptions, 'id'>, GivenToResume {
  /** New input for a run that needs no decision. */
  readonly input?: string | readonly Message[] | undefined
}
