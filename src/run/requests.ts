// Asking people: open requests, their decisions, and when waiting turns into suspending.
import { answerDecision, checkDecision } from '../approval/answer.ts'
import { forbid, grant, granted } from '../approval/grants.ts'
import { describeThrown } from '../error/describe.ts'
import { SameloopError } from '../error/error.ts'
import type { ApprovalRequest, Decision } from '../message/decision.ts'
import type { Json } from '../message/part.ts'
import { contentText } from '../message/text.ts'
import { sameJson } from '../message/equal.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import type { Settlement } from '../registry/scope.ts'
import { isReaderBusy } from './queue.ts'
import { emit, reportObserver } from './state.ts'
import type { RunState } from './state.ts'

interface Waiting {
  readonly call: PreparedCall
  readonly resolve: (settlement: Settlement) => void
}

export interface OpenRequest {
  readonly request: ApprovalRequest
  /** What an approve-session would cover. */
  readonly scope: string
  /** The tool as registered, whatever name the model sees. */
  readonly tool: string
  /** Prepares the call anew with an edited input. */
  readonly again: (input: Json) => PreparedCall
  /** The call that asked, and identical ones that joined it. */
  readonly waiting: Waiting[]
}

export type Asking = Pick<OpenRequest, 'request' | 'scope' | 'tool' | 'again'>

/** Asks about a call. Identical calls are asked about once; what `resume` was told is taken without asking. */
export function ask(run: RunState, call: PreparedCall, asking: Asking): Promise<Settlement> {
  const { callId } = call
  if (run.aborted || run.fatal !== undefined) return Promise.resolve({ type: 'aborted' })
  const joined = [...run.requests.values()].find(
    (open) => open.tool === asking.tool && open.request.wants === 'decision' && asking.request.wants === 'decision' && sameJson(open.request.input, call.input),
  )
  return new Promise((resolve) => {
    run.working--
    const waiting: Waiting = {
      call,
      resolve: (settlement) => {
        run.working++
        resolve(settlement)
      },
    }
    if (joined !== undefined) {
      joined.waiting.push(waiting)
      run.requests.set(callId, joined)
    } else open(run, { ...asking, waiting: [waiting] })
    reconsider(run)
  })
}

function open(run: RunState, opened: OpenRequest): void {
  const { request } = opened
  run.requests.set(request.callId, opened)
  const ahead = run.ahead.get(request.callId)
  if (ahead !== undefined) {
    run.ahead.delete(request.callId)
    settle(run, opened, ahead)
    return
  }
  emit(run, { type: 'approval-request', step: run.step, ...request })
  const { approve } = run
  if (approve === undefined) return
  // While the callback thinks there is work left, so the run does not suspend.
  run.working++
  answered(run, request, approve).then((decision) => {
    run.working--
    if (decision !== undefined && run.requests.get(request.callId) === opened) tryDecide(run, decision)
    reconsider(run)
  })
}

/** `approve` is user code: a throw defers and is reported. */
async function answered(
  run: RunState,
  request: ApprovalRequest,
  approve: NonNullable<RunState['approve']>,
): Promise<Decision | undefined> {
  try {
    return answerDecision(await approve(request), request.callId)
  } catch (thrown) {
    reportObserver(run, 'approve', describeThrown(thrown))
    return undefined
  }
}

function tryDecide(run: RunState, decision: Decision): void {
  try {
    decide(run, decision)
  } catch (thrown) {
    reportObserver(run, 'approve', describeThrown(thrown))
  }
}

/** The `decide` of a run. */
export function decide(run: RunState, decision: Decision): Decision {
  const callId = (decision as Partial<Decision> | null)?.callId
  const earlier = run.settled.get(callId as string)
  if (earlier !== undefined) return earlier
  const opened = run.requests.get(callId as string)
  if (opened === undefined) {
    if (run.pending.some((request) => request.callId === callId)) {
      throw new SameloopError('run-suspended', `The run is suspended: answer call "${callId}" with resume(snapshot, decisions)`, { data: { callId } })
    }
    throw new SameloopError('run-unknown-call', `Nothing was asked about a call "${String(callId).slice(0, 100)}"`, { data: { callId } })
  }
  checkDecision(decision, opened.request)
  settle(run, opened, decision)
  return run.settled.get(callId as string) as Decision
}

function settle(run: RunState, opened: OpenRequest, decision: Decision): void {
  const { request, tool, scope, waiting } = opened
  const edited = editedCall(opened, decision)
  const settled = edited === undefined ? decision : { ...decision, input: edited.input }
  run.cancelWait?.()
  run.cancelWait = undefined
  for (const { call } of waiting) {
    run.requests.delete(call.callId)
    run.settled.set(call.callId, settled)
  }
  const word = 'result' in decision ? 'result' : decision.decision
  const reason = 'result' in decision ? undefined : decision.reason
  emit(run, {
    type: 'approval-response',
    step: run.step,
    callId: request.callId,
    name: request.name,
    decision: word,
    reason,
    input: edited?.input,
  })
  if (word === 'approve-session') grant(run.grants, tool, scope)
  if (word === 'deny-always') forbid(run.grants, tool)
  for (const { call, resolve } of waiting) resolve(settlementOf(decision, edited === undefined ? call : { ...edited, callId: call.callId }))
  if (word === 'approve-session' || word === 'deny-always') settleCovered(run, decision)
}

/** Other open requests that the new grant covers need no answer of their own. */
function settleCovered(run: RunState, decision: Decision): void {
  for (const other of new Set(run.requests.values())) {
    if (other.request.wants !== 'decision') continue
    if (granted(run.grants, other.tool, () => other.scope) === undefined) continue
    settle(run, other, { ...decision, callId: other.request.callId } as Decision)
  }
}

function editedCall(opened: OpenRequest, decision: Decision): PreparedCall | undefined {
  if ('result' in decision || decision.decision !== 'edit' || decision.input === undefined) return undefined
  const edited = opened.again(decision.input)
  if (edited.failed === undefined) return edited
  const text = contentText(edited.failed.parts)
  throw new SameloopError('run-invalid-decision', `The edited input does not fit: ${text}`, { data: { callId: decision.callId } })
}

function settlementOf(decision: Decision, call: PreparedCall): Settlement {
  if ('result' in decision) return { type: 'result', value: decision.result }
  if (decision.decision.startsWith('deny')) return { type: 'denied', reason: decision.reason }
  return { type: 'run', call }
}

/** Starts, keeps or stops the wait after which the run suspends. Called whenever work, a reader or a request changed. */
export function reconsider(run: RunState): void {
  const mayWait = run.requests.size > 0 && run.working === 0 && !isReaderBusy(run.queue)
  if (!mayWait) {
    run.cancelWait?.()
    run.cancelWait = undefined
    return
  }
  if (run.cancelWait !== undefined || !Number.isFinite(run.approvalWaitMs)) return
  run.cancelWait = run.host.timer(run.approvalWaitMs, () => {
    run.cancelWait = undefined
    closeRequests(run, 'pending')
  })
}

/** Ends all waiting: the calls stay pending, or are answered `aborted`. */
export function closeRequests(run: RunState, type: 'pending' | 'aborted'): void {
  run.cancelWait?.()
  run.cancelWait = undefined
  const open = [...new Set(run.requests.values())]
  run.requests.clear()
  if (type === 'pending') run.pending = open.map(({ request }) => request)
  for (const { waiting } of open) for (const { resolve } of waiting) resolve({ type })
}
