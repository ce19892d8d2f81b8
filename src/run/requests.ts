// Asking people: open requests, their decisions, and when waiting turns into suspending.
import { answerDecision, checkDecision } from '../approval/answer.ts'
import { addGrants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import type { ApprovalDecision, ApprovalRequest, Decision } from '../message/decision.ts'
import { sameJson } from '../message/equal.ts'
import { failure } from '../message/outcome.ts'
import type { Json } from '../json/value.ts'
import type { Outcome } from '../message/part.ts'
import { contentText } from '../message/text.ts'
import { denied, grantKey } from '../registry/call.ts'
import { attempt, tooLate } from '../registry/perform.ts'
import { prepare } from '../registry/prepare.ts'
import type { ReadyCall } from '../registry/prepare.ts'
import { excerpt } from '../json/text.ts'
import { own } from '../json/value.ts'
import { toolOutcome } from '../tool/outcome.ts'
import { isReaderBusy } from './queue.ts'
import { emit, reportObserver } from './state.ts'
import type { OpenRequest, RunState, Settlement, Waiting } from './state.ts'

const openRequests = (run: RunState): readonly OpenRequest[] => [...new Set(run.requests.values())]

/** Asks about a call. Identical calls are asked about once; what `resume` was told is taken without asking. */
export function ask(
  run: RunState,
  call: ReadyCall,
  { isNested, ...request }: ApprovalRequest & Pick<OpenRequest, 'isNested'>,
): Promise<Settlement> {
  const isSame = ({ request: { name, wants, input }, isNested: nested }: OpenRequest): boolean =>
    wants === 'decision' &&
    wants === request.wants &&
    name === request.name &&
    nested === isNested &&
    sameJson(input, request.input)
  return new Promise((done) => {
    if (run.stopped) return done(tooLate())
    run.working--
    const resolve: Waiting['resolve'] = (settlement) => {
      run.working++
      done(settlement)
    }
    const joined = openRequests(run).find(isSame)
    joined?.waiting.push({ call, resolve })
    const opened: OpenRequest = joined ?? { isNested, request, waiting: [{ call, resolve }] }
    run.requests.set(call.callId, opened)
    const ahead = run.ahead.get(call.callId)
    if (ahead) settle(run, opened, ahead)
    else if (!joined) void consult(run, opened)
    reconsider(run)
  })
}

/** `approve` is user code: a throw defers and is reported. While it thinks there is work left: the run waits. */
async function consult(run: RunState, opened: OpenRequest): Promise<void> {
  const { request } = opened
  emit(run, { type: 'approval-request', step: run.step, ...request })
  // An observer may have decided already.
  if (run.requests.get(request.callId) !== opened) return
  run.working++
  try {
    const decision = answerDecision(await run.options.approve?.(request), request.callId)
    if (decision && run.requests.get(request.callId) === opened) decide(run, decision)
  } catch (thrown) {
    reportObserver(run, 'approve', thrown)
  }
  run.working--
  reconsider(run)
}

/** The `decide` of a run. */
export function decide(run: RunState, given: Decision): Decision {
  // A copy: what is checked is what is used.
  const decision = { ...given }
  const { callId } = decision
  const opened = run.requests.get(callId)
  if (opened) {
    checkDecision(decision, opened.request)
    settle(run, opened, decision)
  }
  const settled = run.settled.get(callId)
  if (settled) return settled
  const isPending = run.pending.some((request) => request.callId === callId)
  throw isPending
    ? new SameloopError('run-suspended', `The run is suspended: decide call "${callId}" with resume`, {
        data: { callId },
      })
    : unknownCall(callId)
}

export function unknownCall(callId: string): SameloopError {
  return new SameloopError('run-unknown-call', `There is no open call ${excerpt(callId)}`, { data: { callId } })
}

function settle(run: RunState, { request, waiting }: OpenRequest, decision: Decision): void {
  const [{ call: asker }] = waiting
  const edited = editedCall(asker, decision)
  const word = 'result' in decision ? 'result' : decision.decision
  const settled = edited ? ({ ...decision, input: edited.input } as Decision) : decision
  for (const { call } of waiting) {
    run.requests.delete(call.callId)
    run.settled.set(call.callId, settled)
  }
  emit(run, {
    type: 'approval-response',
    step: run.step,
    callId: request.callId,
    name: request.name,
    decision: word,
    reason: (decision as ApprovalDecision).reason,
    input: edited?.input,
  })
  const allowed = word === 'approve-session' ? [grantKey(asker)] : []
  const forbidden = word === 'deny-always' ? [asker.entry.name] : []
  addGrants(run.grants, { allowed, denied: forbidden })
  for (const { call, resolve } of waiting)
    resolve(settlement(decision, edited ? { ...edited, callId: call.callId } : call))
  // Other open requests that the new grant covers need no answer of their own.
  for (const other of openRequests(run)) {
    const [{ call }] = other.waiting
    // The ones before may have covered it too.
    if (run.requests.get(call.callId) !== other) continue
    const isCovered = forbidden.includes(call.entry.name) || allowed.includes(grantKey(call))
    if (isCovered && other.request.wants === 'decision') settle(run, other, { ...decision, callId: call.callId })
  }
  reconsider(run)
}

/** The call with the input of an edit. Throws `run-invalid-decision` where that does not fit. */
export function editedCall(call: ReadyCall, decision: Decision): ReadyCall | undefined {
  if ('result' in decision || decision.decision !== 'edit') return undefined
  const edited = prepare(call, decision.input as Json, new Map([[call.name, call.entry]]))
  if (!edited.failed) return edited as ReadyCall
  throw new SameloopError('run-invalid-decision', contentText(edited.failed.parts), { data: { callId: call.callId } })
}

function settlement(decision: Decision, call: ReadyCall): Settlement | Promise<Outcome> {
  if (!('result' in decision)) return decision.decision.startsWith('deny') ? denied(call, decision.reason) : call
  const { result } = decision
  const parts = own(result, 'parts')
  return attempt(
    () => (Array.isArray(parts) ? parts : result),
    (given) => toolOutcome(given, call.entry),
  )
}

/** Starts, keeps or stops the wait after which the run suspends. Called when work, the reader or a request changed. */
export function reconsider(run: RunState): void {
  const { approvalWaitMs = 0 } = run.options
  const mayWait = run.requests.size > 0 && run.working <= 0 && !isReaderBusy(run.queue)
  if (!mayWait) {
    run.cancelWait?.()
    run.cancelWait = undefined
  } else if (!run.cancelWait && approvalWaitMs < Infinity) {
    run.cancelWait = run.host.timer(approvalWaitMs, () => {
      run.cancelWait = undefined
      const open = openRequests(run)
      const nested = open.filter(({ isNested }) => isNested)
      // A tool in the middle of its work cannot be put away: it hears that nobody decided, and goes on.
      if (!nested.length) run.pending = open.map(({ request }) => request)
      if (nested.length) closeRequests(run, failure('denied', 'Nobody decided'), nested)
      else closeRequests(run, failure('pending', 'Waiting for a person'))
    })
  }
}

/** Ends all waiting: the calls stay pending, or are answered `aborted`. */
export function closeRequests(run: RunState, outcome: Outcome, open: readonly OpenRequest[] = openRequests(run)): void {
  for (const { waiting } of open) {
    for (const { call, resolve } of waiting) {
      run.requests.delete(call.callId)
      resolve(outcome)
    }
  }
  reconsider(run)
}
