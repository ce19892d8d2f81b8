// Checks a decision's shape: it comes from a page, a client or a callback, and is hostile until checked.
import { SameloopError } from '../error/error.ts'
import type { Answer, ApprovalRequest, Decision } from '../message/decision.ts'

/** Throws `run-invalid-decision` unless the decision fits the request it answers. */
export function checkDecision(decision: Decision, { callId, wants, why }: ApprovalRequest): void {
  const isUnknown = why === 'unknown-outcome'
  const words = ['deny', 'deny-always']
  if (isUnknown) words.push('retry')
  else if (wants === 'decision') words.push('approve', 'approve-session', 'edit')
  const takesResult = isUnknown || wants === 'result'
  const { decision: word, reason, input, result } = decision as { readonly [key: string]: unknown } & Decision
  const fits =
    'result' in decision
      ? takesResult && result !== undefined
      : words.includes(word as string) && (word !== 'edit' || input !== undefined) && (reason === undefined || typeof reason === 'string')
  if (fits) return
  const choices = [...words, ...(takesResult ? ['a result'] : [])].join(', ')
  throw new SameloopError('run-invalid-decision', `Cannot decide call "${callId}": wanted ${choices}; "edit" needs an input, and a reason is text`, {
    data: { callId },
  })
}

/** An answer of `approve(request)` as a decision for that request; `undefined` defers. */
export function answerDecision(answer: Answer | undefined, callId: string): Decision | undefined {
  if (answer === undefined || answer === 'defer') return undefined
  return { ...(typeof answer === 'string' ? { decision: answer } : answer), callId } as Decision
}
