// Checks a decision's shape: it comes from a page, a client or a callback, and is hostile until checked.
import { SameloopError } from '../error/error.ts'
import { excerpt } from '../json/text.ts'
import type { Answer, ApprovalRequest, Decision } from '../message/decision.ts'

/** Throws `run-invalid-decision` unless the decision fits the request it answers. */
export function checkDecision(decision: Decision, { callId, wants, why }: ApprovalRequest): void {
  const isUnknown = why === 'unknown-outcome'
  const words = ['deny', 'deny-always']
  if (isUnknown) words.push('retry')
  else if (wants === 'decision') words.push('approve', 'approve-session', 'edit')
  const takesResult = isUnknown || wants === 'result'
  const { decision: word, reason, input, result } = decision as { readonly [key: string]: unknown } & Decision
  const isRight =
    'result' in decision
      ? takesResult && result !== undefined
      : words.includes(word as string) && (word !== 'edit' || input !== undefined)
  if (isRight && (reason === undefined || typeof reason === 'string')) return
  if (takesResult) words.push('a result')
  const text = `Cannot decide call "${callId}": wanted ${words.join(' or ')}, got ${excerpt(decision)}`
  throw new SameloopError('run-invalid-decision', text, { data: { callId } })
}

/** An answer of `approve(request)` as a decision for that request; `undefined` defers. */
export function answerDecision(answer: Answer | undefined, callId: string): Decision | undefined {
  if (!answer || answer === 'defer') return undefined
  return { ...(typeof answer === 'string' ? { decision: answer } : answer), callId } as Decision
}
