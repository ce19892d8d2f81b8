// What people answer when a run asks them.
import type { ContentPart } from './part.ts'
import type { Json } from '../json/value.ts'

/** `retry` is only for a call whose outcome is unknown. */
export type DecisionWord = 'approve' | 'approve-session' | 'deny' | 'deny-always' | 'edit' | 'retry'

/** `input` is required with `edit` and is validated again. `reason` is what the model reads with a denial. */
export interface ApprovalDecision {
  readonly callId: string
  readonly decision: DecisionWord
  readonly reason?: string | undefined
  readonly input?: Json | undefined
}

/** The result of a client-side tool, or of a call with an unknown outcome that is marked as done. */
export interface ResultDecision {
  readonly callId: string
  readonly result: Json | { readonly parts: readonly ContentPart[] }
}

export type Decision = ApprovalDecision | ResultDecision

/** A decision without its call id, as `approve(request)` answers it. */
export type Answer = DecisionWord | 'defer' | Omit<ApprovalDecision, 'callId'> | Omit<ResultDecision, 'callId'>

export type Effect = 'read' | 'local' | 'idempotent' | 'unsafe'

/** A small picture of what a call would do, for the person who decides. */
export interface Preview {
  /** One line: what happens, and to what. */
  readonly summary: string
  /** A unified diff, for a file change. */
  readonly diff?: string | undefined
  readonly host?: string | undefined
  readonly details?: Json | undefined
}

/** A question to a person. `wants` says whether a decision or the result itself is asked for. */
export interface ApprovalRequest {
  readonly callId: string
  readonly name: string
  readonly uri?: string | undefined
  readonly input: Json
  readonly wants: 'decision' | 'result'
  /** Why it is asked: the tool says so, a policy rule, the model's own uncertainty, an unknown outcome, or an import. */
  readonly why: 'tool' | 'policy' | 'model' | 'client-tool' | 'unknown-outcome' | 'import'
  readonly effect: Effect
  readonly reason?: string | undefined
  readonly preview?: Preview | undefined
  /** Milliseconds since the epoch; a decision after it counts as a denial. */
  readonly expiresAt?: number | undefined
  /** The call ids of the sub-agents it comes from, outermost first; `callId` is then `outer/inner`. */
  readonly path?: readonly string[] | undefined
}

/** The request alone, out of an event that carries it. */
export function requestOf(event: ApprovalRequest): ApprovalRequest {
  const { callId, name, uri, input, wants, why, effect, reason, preview, expiresAt, path } = event
  return { callId, name, uri, input, wants, why, effect, reason, preview, expiresAt, path }
}
