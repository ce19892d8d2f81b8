// What a call by code may bring along: somebody to ask, an end, and an ear for its progress.
import { answerDecision, checkDecision } from '../approval/answer.ts'
import { addGrants } from '../approval/grants.ts'
import type { Grants } from '../approval/grants.ts'
import type { Json } from '../json/value.ts'
import type { Answer, ApprovalRequest } from '../message/decision.ts'
import { failure } from '../message/outcome.ts'
import type { Outcome } from '../message/part.ts'
import { grantKey, grantName } from '../registry/call.ts'
import { editedCall, settlement } from '../registry/decided.ts'
import type { Settlement } from '../registry/decided.ts'
import { tooLate } from '../registry/perform.ts'
import type { ReadyCall } from '../registry/prepare.ts'
import { previewOf } from '../registry/preview.ts'
import { unless } from '../registry/scope.ts'
import type { CallOwner, CallScope } from '../registry/scope.ts'
import { toolList } from '../registry/table.ts'
import type { ToolTable } from '../registry/table.ts'
import { listen } from '../stream/signal.ts'

export interface CallOptions {
  /** Ends the call: it is answered `aborted`, and a tool that goes on all the same is left behind. */
  readonly signal?: AbortSignal | undefined
  /** In place of the registry's own. */
  readonly deps?: unknown
  /** For rules and for `context.run`. */
  readonly session?: string | undefined
  /**
   * Asked about a call that wants a decision, those included that a tool makes itself. Without it, and where it gives
   * nothing, `defer`, what does not fit or a throw, the call is answered `pending`.
   */
  readonly approve?: ((request: ApprovalRequest) => Answer | undefined | Promise<Answer | undefined>) | undefined
  /** What `approve-session` and `deny-always` cover: kept here, and heard by the calls that bring it again. */
  readonly grants?: Grants | undefined
  /** What the tool reports on its way. */
  readonly onProgress?: ((value: Json) => void) | undefined
}

/** The scope of one call, with what it brought. */
export interface OwnedScope extends CallScope {
  stopped: boolean
  aborted: boolean
  readonly options: CallOptions
}

/** What the call path needs of the calls of one registry that brought options. */
export function ownerOf(table: ToolTable): CallOwner {
  return {
    admit: () => undefined,
    beside: () => {},
    isGone: (_, { definition, tool }) => toolList(table).entries.get(definition.name)?.tool !== tool,
    ask: (scope, call, request) => ask(scope as OwnedScope, call, request),
    report(scope, _, event) {
      if (event.type === 'tool-progress') (scope as OwnedScope).options.onProgress?.(event.value)
    },
  }
}

async function ask(scope: OwnedScope, call: ReadyCall, request: ApprovalRequest): Promise<Settlement> {
  const { approve } = scope.options
  if (!approve) return failure('pending', 'Nobody is there to decide')
  const preview = await previewOf(scope, call)
  if (scope.stopped) return tooLate()
  return unless<Settlement>(scope, 'stopped', decided(scope, call, { ...request, preview }), tooLate)
}

/** `approve` is user code, and may hand on what a stranger answered. */
async function decided(scope: OwnedScope, call: ReadyCall, request: ApprovalRequest): Promise<Settlement> {
  try {
    const decision = answerDecision(await scope.options.approve?.(request), call.callId)
    if (!decision) return failure('pending', 'Nobody decided')
    checkDecision(decision, request)
    const ready = editedCall(call, decision) ?? call
    const word = 'result' in decision ? undefined : decision.decision
    addGrants(scope.grants, {
      allowed: word === 'approve-session' ? [grantKey(ready)] : [],
      denied: word === 'deny-always' ? [grantName(call.entry)] : [],
    })
    return await settlement(decision, ready)
  } catch (thrown) {
    return failure('pending', 'Nobody decided', thrown)
  }
}

/** The outcome of `work`, which is aborted with the signal. */
export async function withSignal(scope: OwnedScope, work: () => Outcome | Promise<Outcome>): Promise<Outcome> {
  const forget = listen(scope.options.signal, () => {
    scope.stopped = scope.aborted = true
    for (const listener of [...(scope.listeners ?? [])]) listener()
  })
  try {
    return await work()
  } finally {
    forget()
  }
}
