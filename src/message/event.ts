// All event types of a run. The list is closed and pinned by a test; a reader ignores types it does not know.
import type { Coercion } from '../schema/coerce.ts'
import type { ApprovalRequest, DecisionWord } from './decision.ts'
import type { FinishReason } from './model-event.ts'
import type { FilePart, PublicOutcome, SourcePart } from './part.ts'
import type { Json } from '../json/value.ts'
import type { Usage } from './usage.ts'

export type RunStatus = 'done' | 'suspended' | 'stopped' | 'aborted' | 'failed'

/** Why a run ended. A closed list, pinned by a test. */
export type Stop =
  | 'end'
  | 'return-direct'
  | 'stop-sequence'
  | 'approval'
  | 'client-tool'
  | 'aborted'
  | 'failed'
  | 'output-limit'
  | 'content-filter'
  | 'refusal'
  | 'steps'
  | 'tool-calls'
  | 'tokens'
  | 'cost'
  | 'time'
  | 'repeated-calls'
  | 'custom'

interface Block {
  readonly step: number
  /** The block within its step. */
  readonly id: string
}

interface Call {
  readonly step: number
  readonly callId: string
  readonly name: string
}

/** How a step of a plan or a node of a workflow ended. A skipped one never began. */
export type NodeEnd = 'ok' | 'failed' | 'skipped' | 'cancelled'

/** An event without what the run adds to each: `seq`, `at`, `run` and `path`. */
export type EventBody =
  | { readonly type: 'run-start'; readonly model?: string | undefined; readonly resumed?: boolean | undefined }
  | { readonly type: 'step-start'; readonly step: number }
  | ({ readonly type: 'text-start' } & Block)
  | ({ readonly type: 'text-delta'; readonly delta: string } & Block)
  | ({ readonly type: 'text-end' } & Block)
  | ({ readonly type: 'reasoning-start' } & Block)
  | ({ readonly type: 'reasoning-delta'; readonly delta: string } & Block)
  | ({ readonly type: 'reasoning-end' } & Block)
  | ({ readonly type: 'tool-input-start'; readonly callId?: string | undefined; readonly name: string } & Block)
  | ({ readonly type: 'tool-input-delta'; readonly delta: string } & Block)
  | ({
      readonly type: 'tool-call'
      readonly input: Json
      /** The block its input streamed in, where there was one. */
      readonly id?: string | undefined
      readonly coercions?: readonly Coercion[] | undefined
      readonly malformed?: boolean | undefined
      readonly providerExecuted?: boolean | undefined
    } & Call)
  | ({ readonly type: 'approval-request' } & Call & ApprovalRequest)
  | ({
      readonly type: 'approval-response'
      readonly decision: DecisionWord | 'result'
      readonly reason?: string | undefined
      /** The new input of an edited call, coerced. */
      readonly input?: Json | undefined
    } & Call)
  | ({ readonly type: 'tool-start'; readonly attempt: number } & Call)
  | ({ readonly type: 'tool-progress'; readonly value: Json } & Call)
  | ({ readonly type: 'tool-end'; readonly outcome: PublicOutcome; readonly durationMs: number } & Call)
  | { readonly type: 'source'; readonly step: number; readonly source: SourcePart }
  | { readonly type: 'file'; readonly step: number; readonly file: FilePart }
  | { readonly type: 'object-delta'; readonly step: number; readonly value: Json }
  | { readonly type: 'usage'; readonly step: number; readonly usage: Usage }
  | {
      readonly type: 'retry'
      readonly step: number
      /** The call whose tool is tried again; absent where it is the model. */
      readonly callId?: string | undefined
      /** Which try failed, from 1. */
      readonly attempt: number
      readonly delayMs: number
      readonly reason: string
    }
  | { readonly type: 'step-reset'; readonly step: number; readonly reason: string }
  | { readonly type: 'compaction'; readonly step: number; readonly before: number; readonly after: number }
  | { readonly type: 'warning'; readonly code: WarningCode; readonly message: string; readonly data?: Json | undefined }
  | { readonly type: 'observer-error'; readonly observer: string; readonly message: string }
  | {
      readonly type: 'step-end'
      readonly step: number
      readonly finish: FinishReason
      /** The provider's own word, where it gave one. */
      readonly rawFinish?: string | undefined
      readonly usage: Usage
    }
  /** A step of a plan or a node of a workflow begins. */
  | { readonly type: 'node-start'; readonly node: string; readonly kind: string }
  | {
      readonly type: 'node-end'
      readonly node: string
      readonly status: NodeEnd
      /** Why it did not run: the failed node that it needed, or `when`. */
      readonly because?: string | undefined
      readonly durationMs: number
    }
  | { readonly type: 'error'; readonly code: string; readonly message: string; readonly data?: Json | undefined }
  | { readonly type: 'run-end'; readonly status: RunStatus; readonly stop: Stop }

export type WarningCode =
  | 'setting-ignored'
  | 'call-id-replaced'
  | 'duplicate-call'
  | 'history-repaired'
  | 'late-result'
  | 'events-dropped'
  | 'unknown-finish-reason'
  | 'keys-dropped'
  | 'tool-changed'
  | 'stream-invalid'
  | 'part-ignored'

export type RunEvent = EventBody & {
  /** Counts up from 1 within a run, over every resume. */
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly run: string
  /** The call ids of the sub-agents the event came through, outermost first. */
  readonly path?: readonly string[] | undefined
}

export type RunEventType = RunEvent['type']
