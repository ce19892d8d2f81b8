// The second half of the call path, and the only way a tool ever runs:
// policy, approval, middleware(execute), check of the output, outcome. Synchronous where nothing needs to wait.
import { granted } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import type { ErrorCode } from '../error/codes.ts'
import type { ApprovalRequest } from '../message/decision.ts'
import type { FailureReason, Json, Outcome } from '../message/part.ts'
import { contentText } from '../message/text.ts'
import { failure, toolOutcome } from '../tool/outcome.ts'
import { perform } from './perform.ts'
import { prepare } from './prepare.ts'
import type { PreparedCall } from './prepare.ts'
import type { CallScope } from './scope.ts'
import type { Entry } from './table.ts'

/** Runs a prepared call to its outcome. Never throws; a call that waits for a person is answered `pending`. */
export function execute(call: PreparedCall, scope: CallScope): Outcome | Promise<Outcome> {
  const { entry } = call
  if (call.failed !== undefined || entry === undefined) return unrun(call, scope, call.failed ?? failure('not-found', 'There is no such tool'))
  if (scope.stopped()) return unrun(call, scope, failure('aborted', 'The run ended before this call started'))
  const verdict = judge(call, entry, scope)
  if (verdict === undefined) return perform(call, entry, scope, callAnother)
  if ('parts' in verdict) return unrun(call, scope, verdict)
  return afterQuestion(call, entry, scope, verdict)
}

type Question = Pick<ApprovalRequest, 'why' | 'wants' | 'reason'> | { readonly why: 'tool'; readonly maybe: Promise<boolean | string> }

/** `undefined` to go on, an outcome to refuse, or what to ask. Deny is stronger than ask, and ask than allow. */
function judge(call: PreparedCall, entry: Entry, scope: CallScope): Outcome | Question | undefined {
  const { tool } = entry
  let reason: string | undefined
  for (const rule of scope.rules) {
    const verdict = ruled(rule, call, entry)
    if (verdict?.action === 'deny') return denied(call, verdict.reason)
    if (verdict?.action === 'ask') reason ??= verdict.reason
  }
  const earlier = granted(scope.grants, entry.name, () => approvalScope(call, entry))
  if (earlier === 'deny') return denied(call, 'This tool was denied for the whole session')
  if (tool.execute === undefined) return { why: 'client-tool', wants: 'result' }
  if (earlier === 'allow') return undefined
  if (reason !== undefined) return { why: 'policy', wants: 'decision', reason }
  const { approval = false } = tool
  if (approval === true) return { why: 'tool', wants: 'decision' }
  if (typeof approval === 'function') {
    const answer = asked(() => approval(call.input))
    if (answer instanceof Promise) return { why: 'tool', maybe: answer }
    if (answer !== false) return { why: 'tool', wants: 'decision', reason: typeof answer === 'string' ? answer : undefined }
  }
  return scope.asksForEffects && call.effect !== 'read' ? { why: 'model', wants: 'decision' } : undefined
}

/** A rule that throws denies: what cannot be judged does not run. */
function ruled(rule: CallScope['rules'][number], call: PreparedCall, entry: Entry): ReturnType<typeof rule> {
  try {
    return rule({ name: entry.name, uri: entry.uri, input: call.input, effect: call.effect })
  } catch {
    return { action: 'deny', reason: 'A policy rule failed' }
  }
}

/** An approval function that throws asks. */
function asked(approval: () => boolean | string | Promise<boolean | string>): boolean | string | Promise<boolean | string> {
  try {
    const answer = approval()
    return answer instanceof Promise ? answer.catch(() => true) : answer
  } catch {
    return true
  }
}

/** What an approve-session covers. */
export function approvalScope(call: PreparedCall, entry: Entry): string {
  const { approvalScope: scope } = entry.tool
  try {
    return scope === undefined ? JSON.stringify(call.input) : scope(call.input)
  } catch {
    return JSON.stringify(call.input)
  }
}

async function afterQuestion(call: PreparedCall, entry: Entry, scope: CallScope, question: Question): Promise<Outcome> {
  let asking = question
  if ('maybe' in asking) {
    const answer = await asking.maybe
    const wants = answer !== false || (scope.asksForEffects && call.effect !== 'read')
    if (!wants) return perform(call, entry, scope, callAnother)
    asking = { why: answer === false ? 'model' : 'tool', wants: 'decision', reason: typeof answer === 'string' ? answer : undefined }
  }
  if (scope.ask === undefined) return failure('pending', 'Nobody is there to decide about this call')
  const { callId, input, effect } = call
  const settled = await scope.ask(call, { ...asking, callId, name: entry.definition.name, input, effect })
  switch (settled.type) {
    case 'pending':
      return failure('pending', 'Waiting for a person')
    case 'aborted':
      return unrun(call, scope, failure('aborted', 'The run ended before this call started'))
    case 'denied':
      return unrun(call, scope, denied(call, settled.reason))
    case 'result':
      return unrun(call, scope, clientOutcome(settled.value, entry))
    case 'run':
      return decided(settled.call, entry, scope)
  }
}

/** Runs what a person approved; an edit may have turned it into something that the policy forbids. */
function decided(call: PreparedCall, entry: Entry, scope: CallScope): Outcome | Promise<Outcome> {
  if (call.failed !== undefined) return unrun(call, scope, call.failed)
  for (const rule of scope.rules) {
    const verdict = ruled(rule, call, entry)
    if (verdict?.action === 'deny') return unrun(call, scope, denied(call, verdict.reason))
  }
  return perform(call, entry, scope, callAnother)
}

function clientOutcome(value: unknown, entry: Entry): Outcome {
  const isParts = typeof value === 'object' && value !== null && 'parts' in value && Array.isArray(value.parts)
  return toolOutcome(isParts ? value.parts : value, entry.result)
}

function denied(call: PreparedCall, reason: string | undefined): Outcome {
  return failure('denied', `The call of tool "${call.name}" was denied${reason === undefined ? '' : `: ${reason}`}`)
}

function unrun(call: PreparedCall, scope: CallScope, outcome: Outcome): Outcome {
  scope.onEnd(call, outcome, { durationMs: 0, ran: false })
  return outcome
}

const codes: Readonly<Record<FailureReason, ErrorCode>> = {
  'not-found': 'tool-not-found',
  'invalid-input': 'tool-invalid-input',
  denied: 'tool-denied',
  timeout: 'tool-timeout',
  failed: 'tool-failed',
  'invalid-output': 'tool-invalid-output',
  aborted: 'tool-aborted',
  pending: 'tool-pending',
  'unknown-outcome': 'tool-failed',
  limit: 'tool-limit',
}

/** The value of an outcome, or its failure as an error that code can catch. */
export function outcomeValue(outcome: Outcome, name: string): unknown {
  if (outcome.ok) return outcome.value
  throw new SameloopError(codes[outcome.reason], contentText(outcome.parts), { data: { tool: name }, cause: outcome.cause })
}

/** `ctx.call`: another tool through the same path, under an id of its own. */
async function callAnother(scope: CallScope, callId: string, name: string, input: Json): Promise<unknown> {
  const safe = safeNameOf(scope, name)
  return outcomeValue(await execute(prepare(scope.tools, callId, safe, input), scope), name)
}

/** Code may use the registered name or the URI; the table of a scope is keyed by the name a model sees. */
export function safeNameOf(scope: Pick<CallScope, 'tools'>, name: string): string {
  if (scope.tools.has(name)) return name
  for (const [safe, entry] of scope.tools) if (entry.uri === name || entry.name === name) return safe
  return name
}
