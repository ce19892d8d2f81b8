// The second half of the call path, and the only way a tool ever runs:
// policy, approval, middleware(execute), check of the output, outcome. Synchronous where nothing needs to wait.
import type { ErrorCode } from '../error/codes.ts'
import { SameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import type { ApprovalRequest } from '../message/decision.ts'
import { failure } from '../message/outcome.ts'
import type { Failure } from '../message/outcome.ts'
import { plainJson } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import type { Outcome } from '../message/part.ts'
import { contentText } from '../message/text.ts'
import type { Verdict } from '../tool/rule.ts'
import { toolContext } from './context.ts'
import { perform, tooLate, unknownOutcome, unrun } from './perform.ts'
import { prepare } from './prepare.ts'
import type { CallName, PreparedCall, ReadyCall } from './prepare.ts'
import { unless } from './scope.ts'
import type { CallScope } from './scope.ts'
import { findEntry } from './table.ts'
import type { Entry } from './table.ts'

/** Runs a prepared call to its outcome. Never throws; a call that waits for a person is answered `pending`. */
export function execute(prepared: PreparedCall, scope: CallScope): Outcome | Promise<Outcome> {
  const { allowed, denied: forbidden } = scope.grants
  const failed = prepared.failed ?? (scope.stopped ? tooLate() : undefined)
  if (failed) return unrun(prepared, scope, failed)
  const { agent } = scope
  const call = (agent === undefined ? prepared : { ...prepared, agent }) as ReadyCall
  const { tool } = call.entry
  if (call.interrupted === 'unsafe') return ask(call, scope, { why: 'unknown-outcome', reason: unknownOutcome(call) })
  const isForbidden = forbidden.length > 0 && forbidden.includes(grantName(call.entry))
  const verdict = isForbidden ? denied(call, 'for the whole session') : judge(call, scope)
  if (typeof verdict === 'object') return unrun(call, scope, verdict)
  if (!tool.execute) return ask(call, scope, { why: 'client-tool', wants: 'result' })
  // It was allowed before it began, and may be run again.
  if (call.interrupted && !call.imported) return go(call, scope)
  if (!call.imported && allowed.length && allowed.includes(grantKey(call))) return go(call, scope)
  // It was asked about before it began.
  if (call.continues && !call.imported) return go(call, scope)
  if (call.imported) return ask(call, scope, { reason: 'The call comes from elsewhere', why: 'import' })
  if (verdict !== undefined) return ask(call, scope, { why: 'policy', reason: verdict })
  const wish = approvalWish(call)
  if (!(wish instanceof Promise)) return heed(call, scope, wish)
  return unless(scope, 'stopped', wish, () => false).then((late) => heed(call, scope, late))
}

const go = (call: ReadyCall, scope: CallScope): Outcome | Promise<Outcome> =>
  perform(call, scope, (tried) => toolContext(tried, scope, callAnother))

/**
 * What the rules say: a denial, else the reason to ask. One that throws or gives no verdict (a promise, say) denies: what
 * cannot be judged does not run.
 */
function judge(call: ReadyCall, scope: CallScope): Failure | string | undefined {
  const { entry } = call
  let asking: string | undefined
  if (!scope.rules.length) return asking
  const { id, step, session, deps, messages } = scope
  const { callId, input, effect } = call
  const { name, uri } = entry
  const facts = { callId, name, uri, input, effect, run: id, step, session, messages, deps }
  for (const rule of scope.rules) {
    const verdict = guarded<Verdict | undefined>(() => rule(facts), { action: 'deny', reason: 'a policy rule failed' })
    if (verdict === undefined || verdict?.action === 'allow') continue
    if (verdict?.action !== 'ask') return denied(call, verdict?.reason ?? 'a policy rule gave no verdict')
    asking ??= verdict.reason
  }
  return asking
}

/** Whether the tool wants to be asked about, or the reason why. An approval function that throws asks. */
function approvalWish(call: ReadyCall): boolean | string | Promise<boolean | string> {
  const { approval = false } = call.entry.tool
  // A function looks at the input, which nobody saw who approved the whole.
  if (approval === true && call.terms?.isApproved) return false
  const wish = guarded(() => (typeof approval === 'function' ? approval(call.input) : approval), true)
  return wish instanceof Promise ? wish.catch(() => true) : wish
}

function heed(call: ReadyCall, scope: CallScope, wish: boolean | string): Outcome | Promise<Outcome> {
  if (wish !== false) return ask(call, scope, { why: 'tool', reason: typeof wish === 'string' ? wish : undefined })
  return scope.asksForEffects && call.effect !== 'read' ? ask(call, scope, { why: 'model' }) : go(call, scope)
}

/** Asks, then runs what a person approved; an edit may have turned it into something that the policy forbids. */
async function ask(call: ReadyCall, scope: CallScope, question: Question): Promise<Outcome> {
  if (!scope.owner) return failure('pending', 'Nobody is there to decide')
  const answer = await scope.owner.ask(scope, call, {
    wants: 'decision',
    ...question,
    callId: call.callId,
    name: call.entry.definition.name,
    uri: call.entry.uri,
    input: call.input,
    effect: call.effect,
  })
  if ('ok' in answer) return unrun(call, scope, answer)
  const approved = answer as ReadyCall
  if (scope.owner?.isGone(scope, call.entry)) return unrun(call, scope, failure('not-found', 'The tool was taken away'))
  const verdict = judge(approved, scope)
  return typeof verdict === 'object' ? unrun(approved, scope, verdict) : go(approved, scope)
}

type Question = Pick<ApprovalRequest, 'why'> & Partial<ApprovalRequest>

export function denied(call: PreparedCall, reason: string | undefined): Failure {
  return failure('denied', `The call of tool "${call.name}" was denied${reason === undefined ? '' : `: ${reason}`}`)
}

/** What an approve-session covers: the tool with its scope, which is the exact input unless it says otherwise. */
export function grantKey({ entry, input, agent }: ReadyCall): string {
  const scope = guarded(() => entry.tool.approvalScope?.(input), undefined)
  // The tools of two agents may have one name.
  return `${agent === undefined ? '' : `${agent} `}${grantName(entry)}\n${scope ?? JSON.stringify(input)}`
}

/** What grants call a tool: an alias is no other tool. */
export const grantName = ({ uri }: Entry): string => uri.replace(/^fn:\/\//, '')

/** The value of an outcome, or its failure as an error that code can catch. */
export function outcomeValue(outcome: Outcome, tool: string): unknown {
  if (outcome.ok) return outcome.value
  const { reason } = outcome
  const code: ErrorCode = `tool-${reason === 'unknown-outcome' ? 'failed' : reason}`
  throw new SameloopError(code, contentText(outcome.parts), { data: { tool }, cause: outcome.cause })
}

/** `ctx.call`: another tool through the same path, under an id of its own. */
async function callAnother(scope: CallScope, caller: CallName, given: Json = {}): Promise<unknown> {
  const { name, depth = 0 } = caller
  // What a person is shown is what runs, and only JSON can be shown.
  const input = plainJson(given)
  const call = prepareNamed(scope, caller, input ?? {})
  const odd = input === undefined ? failure('invalid-input', `The input for tool "${name}" is no JSON`) : undefined
  const tooDeep = depth > 50 ? failure('limit', 'Tools call tools more than 50 deep') : undefined
  const failed = odd ?? call.failed ?? tooDeep ?? scope.owner?.admit(scope, call)
  return outcomeValue(await execute({ ...call, failed }, scope), name)
}

/** Code may use the registered name or the URI. */
export function prepareNamed({ tools }: CallScope, call: CallName, input: Json): PreparedCall {
  return prepare({ ...call, name: findEntry(tools, call.name)?.definition.name ?? call.name }, input, tools)
}
