// Asking people: open requests, their decisions, and when waiting turns into suspending.
import { answerDecision, checkDecision } from '../approval/answer.ts'
import { addGrants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import type { ApprovalRequest, Decision } from '../message/decision.ts'
import { sameJson } from '../message/equal.ts'
import { failure } from '../message/outcome.ts'
import type { Json, Outcome } from '../message/part.ts'
import { contentText } from '../message/text.ts'
import { denied, grantKey } from '../registry/call.ts'
import { clientOutcome, tooLate } from '../registry/perform.ts'
import { prepare } from '../registry/prepare.ts'
import type { PreparedCall, ReadyCall } from '../registry/prepare.ts'
import { excerpt } from '../schema/json.ts'
import { toolOutcome } from '../tool/outcome.ts'
import { isReaderBusy } from './queue.ts'
import { emit, reportObserver } from './state.ts'
import type { RunState } from './state.ts'

/** How a question ends: with the call to run, or with the outcome that answers it. */
type Settlement = PreparedCall | Outcome

export interface OpenRequest {
  readonly request: ApprovalRequest
  /** The call that asked, and identical ones that joined it. */
  readonly waiting: [Waiting, ...Waiting[]]
}

interface Waiting {
  readonly call: ReadyCall
  readonly resolve: (settlement: Settlement) => void
}

/** Asks about a call. Identical calls are asked about once; what `resume` was told is taken without asking. */
export function ask(run: RunState, call: ReadyCall, request: ApprovalRequest): Promise<Settlement> {
  if (run.stopped) return Promise.resolve(tooLate())
  const isSame = ({ request: other }: OpenRequest): boolean =>
    other.name === request.name && other.wants === 'decision' && request.wants === 'decision' && sameJson(other.input, request.input)
  return new Promise((done) => {
    run.working--
    const resolve = (settlement: Settlement): void => {
      run.working++
      done(settlement)
    }
    const joined = [...run.requests.values()].find(isSame)
    joined?.waiting.push({ call, resolve })
    const opened: OpenRequest = joined ?? { request, waiting: [{ call, resolve }] }
    run.requests.set(call.callId, opened)
    if (joined === undefined) open(run, opened)
    reconsider(run)
  })
}

function open(run: RunState, opened: OpenRequest): void {
  const { request } = opened
  const ahead = run.ahead.get(request.callId)
  if (ahead !== undefined) return settle(run, opened, ahead)
  emit(run, { type: 'approval-request', step: run.step, ...request })
  if (run.approve !== undefined) void consult(run, opened, run.approve)
}

/** `approve` is user code: a throw defers and is reported. While it thinks there is work left, so the run does not suspend. */
async function consult(run: RunState, opened: OpenRequest, approve: NonNullable<RunState['approve']>): Promise<void> {
  const { request } = opened
  run.working++
  try {
    const decision = answerDecision(await approve(request), request.callId)
    if (decision !== undefined && run.requests.get(request.callId) === opened) decide(run, decision)
  } catch (thrown) {
    reportObserver(run, 'approve', thrown)
  }
  run.working--
  reconsider(run)
}

/** The `decide` of a run. */
export function decide(run: RunState, decision: Decision): Decision {
  const callId = (decision as Decision | null)?.callId as string
  const opened = run.requests.get(callId)
  if (opened !== undefined) {
    checkDecision(decision, opened.request)
    settle(run, opened, decision)
  }
  const settled = run.settled.get(callId)
  if (settled !== undefined) return settled
  const isPending = run.pending.some((request) => request.callId === callId)
  throw isPending
    ? new SameloopError('run-suspended', `The run is suspended: answer call "${callId}" with resume(snapshot, decisions)`, { data: { callId } })
    : unknownCall(callId)
}

export function unknownCall(callId: string): SameloopError {
  return new SameloopError('run-unknown-call', `Nothing was asked about a call ${excerpt(callId)}`, { data: { callId } })
}

function settle(run: RunState, { request, waiting }: OpenRequest, decision: Decision): void {
  const { callId, name } = request
  const [{ call: asker }] = waiting
  const edited = editedCall(asker, decision)
  for (const { call } of waiting) {
    run.requests.delete(call.callId)
    run.settled.set(call.callId, edited === undefined ? decision : { ...decision, input: edited.input } as Decision)
  }
  const { decision: word, reason } = 'result' in decision ? { decision: 'result' as const, reason: undefined } : decision
  emit(run, { type: 'approval-response', step: run.step, callId, name, decision: word, reason, input: edited?.input })
  const allowed = word === 'approve-session' ? [grantKey(asker)] : []
  const forbidden = word === 'deny-always' ? [asker.entry.name] : []
  addGrants(run.grants, { allowed, denied: forbidden })
  for (const { call, resolve } of waiting) resolve(settlement(decision, { ...(edited ?? call), callId: call.callId } as ReadyCall))
  // Other open requests that the new grant covers need no answer of their own.
  for (const other of new Set(run.requests.values())) {
    const [{ call }] = other.waiting
    const isCovered = forbidden.includes(call.entry.name) || allowed.includes(grantKey(call))
    if (isCovered && other.request.wants === 'decision') settle(run, other, { ...decision, callId: call.callId } as Decision)
  }
  reconsider(run)
}

/** The call with the input of an edit. Throws `run-invalid-decision` where that does not fit. */
export function editedCall(call: ReadyCall, decision: Decision): PreparedCall | undefined {
  if ('result' in decision || decision.decision !== 'edit') return undefined
  const { callId, name, entry } = call
  const edited = prepare(call, decision.input as Json, new Map([[name, entry]]))
  if (edited.failed === undefined) return edited
  throw new SameloopError('run-invalid-decision', `The edited input does not fit: ${contentText(edited.failed.parts)}`, { data: { callId } })
}

function settlement(decision: Decision, call: ReadyCall): Settlement {
  if ('result' in decision) return clientOutcome(decision.result, call.entry)
  return decision.decision.startsWith('deny') ? denied(call, decision.reason) : call
}

/** Starts, keeps or stops the wait after which the run suspends. Called whenever work, a reader or a request changed. */
export function reconsider(run: RunState): void {
  const mayWait = run.requests.size > 0 && run.working === 0 && !isReaderBusy(run.queue)
  if (!mayWait) {
    run.cancelWait?.()
    run.cancelWait = undefined
  } else if (run.cancelWait === undefined && run.approvalWaitMs < Infinity) {
    run.cancelWait = run.host.timer(run.approvalWaitMs, () => {
      run.cancelWait = undefined
      run.pending = openRequests(run).map(({ request }) => request)
      closeRequests(run, failure('pending', 'Waiting for a person'))
    })
  }
}

const openRequests = (run: RunState): readonly OpenRequest[] => [...new Set(run.requests.values())]

/** Ends all waiting: the calls stay pending, or are answered `aborted`. */
export function closeRequests(run: RunState, outcome: Outcome): void {
  const open = openRequests(run)
  run.requests.clear()
  for (const { waiting } of open) for (const { resolve } of waiting) resolve(outcome)
  reconsider(run)
}
