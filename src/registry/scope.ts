// What the call path needs of whoever makes calls: a run, or a registry called by code.
import type { Grants } from '../approval/grants.ts'
import type { Fetch, Host } from '../host/host.ts'
import type { ApprovalRequest } from '../message/decision.ts'
import type { Failure } from '../message/outcome.ts'
import type { Json } from '../json/value.ts'
import type { Message, Outcome } from '../message/part.ts'
import type { ToolNext } from '../middleware/middleware.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy, Rule } from '../tool/rule.ts'
import type { Vfs } from '../vfs/vfs.ts'
import type { PreparedCall, ReadyCall } from './prepare.ts'
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

/** The state of a run, as far as the call path knows it. */
export interface CallScope {
  readonly id: string
  readonly step: number
  readonly session: string | undefined
  readonly host: Host
  readonly grants: Grants
  /** Whose calls these are, where they are not those of the outermost run: what is granted to one agent is not to another. */
  readonly agent?: string | undefined
  readonly slots: Slots
  /** No further call may start: the run was aborted, or a tool was fatal. */
  readonly stopped: boolean
  readonly aborted: boolean
  /** Called when the run is stopped, and again when it is aborted after that. Made when first needed. */
  listeners?: Set<() => void>
  /** What a call may find, by the name a model sees. */
  readonly tools: ReadonlyMap<string, Entry>
  /** For rules that look back. */
  readonly messages: readonly Message[]
  readonly rules: readonly Rule[]
  /** Ask a person about every call that is not `read`. */
  readonly asksForEffects: boolean
  readonly capabilities: Capabilities
  /** What `capabilities` are confined by, the innermost first. */
  readonly policies: readonly Policy[]
  readonly deps: unknown
  readonly wrap: ((next: ToolNext) => ToolNext) | undefined
  /** Absent: nobody listens, and nobody can be asked. */
  readonly owner?: CallOwner
}

/** What the call path needs done by those who have more of a run than it knows. All runs of a kind share the functions. */
export interface CallOwner {
  /** Why a call that a tool makes is one too many, if it is. */
  admit(scope: CallScope, call: PreparedCall): Failure | undefined
  /** A tool that calls others has one call more, or one less, at work beside the first. */
  beside(scope: CallScope, count: 1 | -1): void
  /** Whether the tool was taken away, or replaced, while a person thought. */
  isGone(scope: CallScope, entry: Entry): boolean
  /** Gives the call to run, anew where it was edited, or the outcome that answers it. */
  ask(scope: CallScope, call: ReadyCall, request: ApprovalRequest): Promise<PreparedCall | Outcome>
  report(scope: CallScope, call: PreparedCall, event: CallEvent): void
  /** Before a tool begins, and after `tool-start`: `undefined` where no store has to know of it first. */
  keep?(scope: CallScope, call: ReadyCall): Keeping | undefined
}

/** A call that a store knows of. */
export interface Keeping {
  /** Resolves when it does; the run may be stopped then. */
  readonly known: Promise<void> | undefined
  /** What the call does to files, kept apart. */
  readonly fs: Vfs | undefined
  /** What becomes of the outcome when the files are to be changed, unless the call is over by then. */
  settle(outcome: Outcome, isOver: () => boolean): Promise<Outcome>
  /** After `tool-end`: it is written, and the files are changed with it. */
  done(outcome: Outcome): Promise<void>
}

/** What waiting needs to know. */
export type Stoppable = Pick<CallScope, 'stopped' | 'aborted' | 'listeners'>

/** The capabilities of an environment, confined by each of the policies. Guarding brings the network of the host in. */
export function capabilities(env: Environment, policies: readonly Policy[], host: Host): Capabilities {
  const { fs, shell, code, fetch = policies.length ? host.fetch : undefined } = env
  return {
    fs: fs && policies.reduce((files, policy) => policy.confineFiles(files), fs),
    shell,
    code,
    fetch: fetch && policies.reduce((guarded, policy) => policy.guardFetch(guarded), fetch),
  }
}

/** Calls `listener` whenever the run is stopped or aborted, at once where it is. Deleted from `listeners`, it is forgotten. */
export function whenStopped(run: Stoppable, listener: () => void): void {
  run.listeners = (run.listeners ?? new Set()).add(listener)
  if (run.stopped) listener()
}

/** What `work` gives, or `instead()` as soon as the run is `stopped` or `aborted`: nobody else's code may keep it. */
export function unless<Value>(
  run: Stoppable,
  ended: 'stopped' | 'aborted',
  work: Promise<Value>,
  instead: () => Value | Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      if (!run[ended]) return
      // A second time there would be nobody to take what is given instead.
      run.listeners?.delete(leave)
      resolve(instead())
    }
    const stay =
      <Given>(settle: (given: Given) => void) =>
      (given: Given): void => {
        run.listeners?.delete(leave)
        settle(given)
      }
    whenStopped(run, leave)
    work.then(stay(resolve), stay(reject))
  })
}
