// What the call path needs of whoever makes calls: a run, or a registry called by code.
import type { Grants } from '../approval/grants.ts'
import type { Fetch, Host } from '../host/host.ts'
import type { ApprovalRequest } from '../message/decision.ts'
import type { Json, Outcome } from '../message/part.ts'
import type { ToolNext } from '../middleware/middleware.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Rule } from '../tool/rule.ts'
import type { Vfs } from '../vfs/vfs.ts'
import type { PreparedCall } from './prepare.ts'
import type { Entry } from './table.ts'

/** What tools may use, already confined by the policy. */
export interface Capabilities {
  readonly fs: Vfs | undefined
  readonly shell: Sandbox | undefined
  readonly code: Sandbox | undefined
  readonly fetch: Fetch | undefined
}

/** How a question was settled. An edited call comes back prepared anew. */
export type Settlement =
  | { readonly type: 'run'; readonly call: PreparedCall }
  | { readonly type: 'denied'; readonly reason: string | undefined }
  | { readonly type: 'result'; readonly value: unknown }
  | { readonly type: 'pending' | 'aborted' }

export interface CallScope {
  readonly host: Host
  readonly tools: ReadonlyMap<string, Entry>
  readonly rules: readonly Rule[]
  /** Ask a person about every call that is not `read`. */
  readonly asksForEffects: boolean
  readonly grants: Grants
  readonly capabilities: Capabilities
  readonly deps: unknown
  readonly run: { readonly id: string; readonly step: number; readonly session: string | undefined }
  readonly wrap: ((next: ToolNext) => ToolNext) | undefined
  /** No further call may start: the run was aborted, or a tool was fatal. */
  stopped(): boolean
  /** Absent: nobody can be asked, and such a call is answered `pending`. */
  readonly ask?: ((call: PreparedCall, request: ApprovalRequest) => Promise<Settlement>) | undefined
  /** A slot to run in; `undefined` when it is free at once. */
  acquire(entry: Entry): Promise<void> | undefined
  release(entry: Entry): void
  onStart(call: PreparedCall): void
  onProgress(call: PreparedCall, value: Json): void
  /** Exactly once for every call that is not pending. `ran` tells whether `execute` began. */
  onEnd(call: PreparedCall, outcome: Outcome, timing: { readonly durationMs: number; readonly ran: boolean }): void
  /** A result that came after its call was answered. */
  onLate(call: PreparedCall, outcome: Outcome): void
  /** Calls back when the run is aborted; the returned function unsubscribes. */
  onAbort(listener: () => void): () => void
}
