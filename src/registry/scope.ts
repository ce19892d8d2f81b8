// What the call path needs of whoever makes calls: a run, or a registry called by code.
import type { Grants } from '../approval/grants.ts'
import type { Fetch, Host } from '../host/host.ts'
import type { ApprovalRequest } from '../message/decision.ts'
import type { Failure } from '../message/outcome.ts'
import type { Json } from '../json/value.ts'
import type { Outcome } from '../message/part.ts'
import type { ToolNext } from '../middleware/middleware.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy, Rule } from '../tool/rule.ts'
import type { Vfs } from '../vfs/vfs.ts'
import type { PreparedCall } from './prepare.ts'
import type { Slots } from './slots.ts'
import type { Entry } from './table.ts'

/** What tools may use, already confined by the policy. */
export interface Capabilities {
  readonly fs: Vfs | undefined
  readonly shell: Sandbox | undefined
  readonly code: Sandbox | undefined
  readonly fetch: Fetch | undefined
}

/** What happened to a call. `durationMs` is absent where `execute` never began. */
export type CallEvent =
  | { readonly type: 'tool-start' }
  | { readonly type: 'tool-progress'; readonly value: Json }
  /** Exactly once for every call that is not pending. */
  | { readonly type: 'tool-end'; readonly outcome: Outcome; readonly durationMs?: number }
  /** After its call was answered. */
  | { readonly type: 'late-result'; readonly outcome: Outcome; readonly durationMs?: undefined }

/** The run that calls belong to. */
export interface Caller {
  readonly id: string
  readonly step: number
  readonly session: string | undefined
  /** No further call may start: the run was aborted, or a tool was fatal. */
  readonly stopped: boolean
  readonly aborted: boolean
  /** Called once when the run is stopped in whatever way. */
  readonly stopListeners: Set<() => void>
  /** Called once when the run is aborted. */
  readonly abortListeners: Set<() => void>
  readonly slots: Slots
}

export interface CallScope {
  readonly host: Host
  /** What a call may find, by the name a model sees. */
  readonly tools: ReadonlyMap<string, Entry>
  readonly rules: readonly Rule[]
  /** Ask a person about every call that is not `read`. */
  readonly asksForEffects: boolean
  readonly grants: Grants
  readonly capabilities: Capabilities
  readonly deps: unknown
  readonly run: Caller
  readonly wrap: ((next: ToolNext) => ToolNext) | undefined
  /** How many tools called this one: such calls run in the slot of the outermost. */
  readonly depth?: number | undefined
  /** Why a call that a tool makes is one too many, if it is. */
  readonly admit?: ((call: PreparedCall) => Failure | undefined) | undefined
  /** Whether the tool was taken away, or replaced, while a person thought. */
  readonly isGone?: ((entry: Entry) => boolean) | undefined
  /** Gives the call to run, anew where it was edited, or the outcome that answers it. Absent: nobody can be asked. */
  readonly ask?:
    | ((scope: CallScope, call: PreparedCall, request: ApprovalRequest) => Promise<PreparedCall | Outcome>)
    | undefined
  readonly report?: ((call: PreparedCall, event: CallEvent) => void) | undefined
}

/** The capabilities of an environment, confined by the policy. */
export function capabilities(env: Environment, policy: Policy | undefined, host: Host): Capabilities {
  return {
    fs: env.fs && policy ? policy.confineFiles(env.fs) : env.fs,
    shell: env.shell,
    code: env.code,
    fetch: policy ? policy.guardFetch(env.fetch ?? host.fetch) : env.fetch,
  }
}
