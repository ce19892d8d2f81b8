// Asking people: open requests, their decisions, and when waiting turns into suspending.
import { answerDecision, checkDecision } from '../approval/answer.ts'
import { addGrants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import type { ApprovalDecision, ApprovalRequest, Decision } from '../message/decision.ts'
import { sameJson } from '../message/equal.ts'
import { failure } from '../message/outcome.ts'
import type { Outcome } from '../message/part.ts'
import { grantKey, grantName } from '../registry/call.ts'
import { editedCall, settlement } from '../registry/decided.ts'
import type { Settlement } from '../registry/decided.ts'
import { tooLate } from '../registry/perform.ts'
import type { ReadyCall } from '../registry/prepare.ts'
import { excerpt } from '../json/text.ts'
import { isReaderBusy } from '../observer/queue.ts'
import { record } from './log.ts'
import { emit, homeOf, idleMs, reportObserver } from './state.ts'
import type { OpenRequest, RunState } from './state.ts'

/** Whether a tool made the call: the run cannot suspend in the middle of that tool. */
const isNested = ({ waiting: [{ call }] }: OpenRequest): boolean => !!call.depth

/** Asks about a call. Identical calls are asked about once; what `resume` was told is taken without asking. */
export function openRequest(run: RunState, call: ReadyCall, request: ApprovalRequest): Promise<Settlement> {
  const isSame = (open: OpenRequest): boolean =>
    request.wants === 'decision' &&
    request.wants === open.request.wants &&
    // Tools of two agents may have one name.
    call.entry.tool === open.waiting[0].call.entry.tool &&
    !call.depth === !isNested(open) &&
    sameJson(request.input, open.request.input)
  return new Promise((resolve) => {
    if (run.stopped) return resolve(tooLate())
    run.working--
    const waiting = { call, resolve }
    const joined = run.requests.find(isSame)
    joined?.waiting.push(waiting)
    const opened: OpenRequest = joined ?? { request: expiring(run, request), waiting: [waiting] }
    if (!joined) run.requests = [...run.requests, opened]
    const ahead = run.ahead?.get(call.callId)
    const before = run.asked?.get(call.callId)
    if (ahead && guarded(() => fits(call, request, ahead, before), false)) settle(run, opened, ahead)
    else if (!joined) {
      const { expiresAt = Infinity } = opened.request
      if (expiresAt < Infinity)
        opened.forget = run.host.timer(expiresAt - run.host.now(), () => settle(run, opened, expired(request)))
      void consult(run, opened)
    }
    reconsider(run)
  })
}

/** What was decided about another question is no answer. Throws where it does not fit. */
function fits(call: ReadyCall, request: ApprovalRequest, decision: Decision, before = request): boolean {
  checkDecision(decision, request)
  editedCall(call, decision)
  return before.name === request.name && sameJson(before.input, request.input)
}

/** A question that was asked before does not grow younger. */
function expiring(run: RunState, request: ApprovalRequest): ApprovalRequest {
  const { approvalExpiryMs = Infinity } = run.options
  const { expiresAt } = run.asked?.get(request.callId) ?? {}
  if (expiresAt !== undefined) return { ...request, expiresAt }
  return approvalExpiryMs < Infinity ? { ...request, expiresAt: run.host.now() + approvalExpiryMs } : request
}

export const isLate = ({ expiresAt = Infinity }: ApprovalRequest, now: number): boolean => expiresAt < now

/** What a question comes to that nobody answered in time. */
export const expired = ({ callId }: ApprovalRequest): Decision => ({
  callId,
  decision: 'deny',
  reason: 'The question expired',
})

/** `approve` is user code: a throw defers and is reported. While it thinks there is work left: the run waits. */
async function consult(run: RunState, opened: OpenRequest): Promise<void> {
  const { request } = opened
  emit(run, { type: 'approval-request', step: run.step, ...request })
  // An observer may have decided already.
  if (!run.requests.includes(opened)) return
  run.working++
  opened.consulting = true
  try {
    const decision = answerDecision(await run.options.approve?.(request), request.callId)
    if (decision && run.requests.includes(opened)) decide(run, decision)
  } catch (thrown) {
    reportObserver(run, 'approve', thrown)
  }
  endConsulting(run, opened)
  reconsider(run)
}

/** Nobody waits for an answer to what is settled. */
function endConsulting(run: RunState, opened: OpenRequest): void {
  if (opened.consulting) run.working--
  opened.consulting = false
}

/** The `decide` of a run. */
export function decide(run: RunState, given: Decision): Decision {
  // A copy: what is checked is what is used.
  const decision = { ...given }
  const { callId } = decision
  const opened = run.requests.find(
    ({ request, waiting }) => request.callId === callId || waiting.some(({ call }) => call.callId === callId),
  )
  if (opened && !run.settled?.has(callId)) {
    const { request } = opened
    checkDecision(decision, request)
    // The timer may have slept with the machine.
    settle(run, opened, isLate(request, run.host.now()) ? expired(request) : decision)
  }
  const settled = run.settled?.get(callId)
  if (settled) return settled
  throw run.pending.some((request) => request.callId === callId)
    ? new SameloopError('run-suspended', `The run is suspended: decide call "${callId}" with resume`, {
        data: { callId },
      })
    : unknownCall(callId)
}

export function unknownCall(callId: string): SameloopError {
  return new SameloopError('run-unknown-call', `There is no open call ${excerpt(callId)}`, { data: { callId } })
}

function settle(run: RunState, opened: OpenRequest, decision: Decision): void {
  const { request, waiting } = opened
  const [{ call: asker }] = waiting
  const edited = editedCall(asker, decision)
  const word = 'result' in decision ? 'result' : decision.decision
  const { reason } = decision as Partial<ApprovalDecision>
  const settled = edited ? ({ ...decision, input: edited.input } as Decision) : decision
  const known = (run.settled ??= new Map()).set(request.callId, settled)
  for (const { call } of waiting) known.set(call.callId, settled)
  const { step } = run
  const { callId, name } = request
  const { path } = request
  const response = {
    type: 'approval-response',
    step,
    callId,
    name,
    decision: word,
    reason,
    input: edited?.input,
  } as const
  emit(run, path ? Object.assign(response, { path }) : response)
  const allowed = word === 'approve-session' ? [grantKey(asker)] : []
  const forbidden = word === 'deny-always' ? [grantName(asker.entry)] : []
  addGrants(run.grants, { allowed, denied: forbidden })
  if ('result' in decision) record(run, 'journal-result', { callId: request.callId, result: decision.result })
  if (allowed.length + forbidden.length) record(run, 'journal-grant', { allowed, denied: forbidden })
  answer(run, opened, (call) => settlement(decision, edited ? { ...edited, callId: call.callId } : call))
  // Other open requests that the new grant covers need no answer of their own.
  for (const other of run.requests) {
    const [{ call }] = other.waiting
    const isCovered = forbidden.includes(grantName(call.entry)) || allowed.includes(grantKey(call))
    // The ones before may have covered it too.
    if (isCovered && other.request.wants === 'decision' && run.requests.includes(other)) {
      settle(run, other, { ...decision, callId: call.callId })
    }
  }
  reconsider(run)
}

function answer(run: RunState, opened: OpenRequest, by: (call: ReadyCall) => Settlement | Promise<Outcome>): void {
  // Whoever heard of the decision may have ended the run.
  if (!run.requests.includes(opened)) return
  opened.forget?.()
  endConsulting(run, opened)
  run.requests = run.requests.filter((one) => one !== opened)
  for (const { call, resolve } of opened.waiting) {
    run.working++
    resolve(by(call))
  }
}

/** Starts, keeps or stops the wait after which the run suspends. Called when work, the reader or a request changed. */
export function reconsider(run: RunState): void {
  const { approvalWaitMs = 0 } = run.options
  noteIdle(run)
  const mayWait = run.requests.length > 0 && run.working <= 0 && !isReaderBusy(run.queue)
  if (!mayWait) {
    run.cancelWait?.()
    run.cancelWait = undefined
  } else if (!run.cancelWait && approvalWaitMs < Infinity) {
    run.cancelWait = run.host.timer(approvalWaitMs, () => {
      run.cancelWait = undefined
      const nested = run.requests.filter(isNested)
      // A tool in the middle of its work cannot be put away: it hears that nobody decided, and goes on.
      if (nested.length) return closeRequests(run, failure('denied', 'Nobody decided'), nested)
      run.pending = run.requests.map(({ request }) => request)
      closeRequests(run, failure('pending', 'Waiting for a person'))
    })
  }
}

/** `approve` may be a person too. */
function noteIdle(run: RunState): void {
  const { requests, working, host } = run
  run.idledMs = idleMs(run)
  const isIdle = requests.length > 0 && working <= requests.filter(({ consulting }) => consulting).length
  run.idleSince = isIdle ? host.now() : undefined
}

/** The call that began a run within is no work beside the calls that this run makes. */
export async function handedOn<Value>({ parent }: RunState, work: Promise<Value>): Promise<Value> {
  if (!parent) return work
  const home = homeOf(parent.run)
  home.working--
  reconsider(home)
  const done = await work
  home.working++
  // The answers were the last work there was, so perhaps it waits already.
  reconsider(home)
  return done
}

/** Ends all waiting: the calls stay pending, or are answered `aborted`. */
export function closeRequests(run: RunState, outcome: Outcome, open: readonly OpenRequest[] = run.requests): void {
  for (const opened of open) answer(run, opened, () => outcome)
  reconsider(run)
}

/** Ends the waiting of what was asked by calls whose id begins so; a question that others share stays open. */
export function withdraw(run: RunState, prefix: string): void {
  for (const opened of run.requests) {
    const { waiting } = opened
    const leaving = waiting.filter(({ call }) => call.callId.startsWith(prefix))
    if (leaving.length === waiting.length) answer(run, opened, tooLate)
    else {
      for (const one of leaving) {
        waiting.splice(waiting.indexOf(one), 1)
        run.working++
        one.resolve(tooLate())
      }
    }
  }
  reconsider(run)
}
