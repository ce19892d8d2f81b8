// Checks a decision's shape: it comes from a page, a client or a callback, and is hostile until checked.
import { SameloopError } from '../error/error.ts'
import type { Answer, ApprovalRequest, Decision, DecisionWord } from '../message/decision.ts'

const words: ReadonlySet<string> = new Set(['approve', 'approve-session', 'deny', 'deny-always', 'edit', 'retry'])

const invalid = (callId: string, wanted: string): SameloopError =>
  new SameloopError('run-invalid-decision', `Cannot decide call "${callId}": wanted ${wanted}`, { data: { callId } })

/** Throws `run-invalid-decision` unless the decision fits the request it answers. */
export function checkDecision(decision: Decision, request: ApprovalRequest): void {
  const { callId } = request
  const mayRetry = request.why === 'unknown-outcome'
  if ('result' in decision) {
    if (request.wants !== 'result' && !mayRetry) throw invalid(callId, 'a decision such as "approve" or "deny", got a result')
    if (decision.result === undefined) throw invalid(callId, 'a result that is a JSON value')
    return
  }
  const { decision: word, reason, input } = decision
  if (typeof word !== 'string' || !words.has(word)) throw invalid(callId, `one of ${[...words].join(', ')}`)
  if (word === 'retry' && !mayRetry) throw invalid(callId, 'another decision than "retry", which is for calls with an unknown outcome')
  if (mayRetry && word !== 'retry' && !word.startsWith('deny')) throw invalid(callId, '"retry", "deny" or a result, as its outcome is unknown')
  if (request.wants === 'result' && !mayRetry && !word.startsWith('deny')) throw invalid(callId, 'a result or a denial, as the tool runs at the client')
  if (word === 'edit' && input === undefined) throw invalid(callId, 'an input with "edit"')
  if (reason !== undefined && typeof reason !== 'string') throw invalid(callId, 'a reason that is text')
}

/** An answer of `approve(request)` as a decision for that request; `undefined` defers. */
export function answerDecision(answer: Answer | undefined, callId: string): Decision | undefined {
  if (answer === undefined || answer === 'defer') return undefined
  if (typeof answer === 'string') return { callId, decision: answer satisfies DecisionWord }
  return { ...answer, callId } as Decision
}
