// Further tries of a call whose tool failed or took too long, with a wait that doubles.
import { isSameloopError } from '../error/error.ts'
import type { CallTerms } from './prepare.ts'
import { tooLate } from './perform.ts'
import { unless } from './scope.ts'
import type { CallScope } from './scope.ts'

export interface Retrying {
  /** Further tries after the first. */
  readonly retries: number
  /** Before the first of them. Default 100 ms; it doubles up to half a minute. */
  readonly delayMs?: number | undefined
  readonly onRetry: (attempt: number, delayMs: number, reason: string) => void
}

/** The `again` of a call's terms. What a person or a rule denied is not tried again, nor what ends the run. */
export function retrying(
  scope: CallScope,
  { retries, delayMs: firstMs = 100, onRetry }: Retrying,
): NonNullable<CallTerms['again']> {
  return async (outcome, attempt) => {
    const { reason, cause } = outcome
    const isWorthIt = (reason === 'failed' || reason === 'timeout') && !isSameloopError(cause, 'tool-fatal')
    if (attempt > retries || scope.stopped || !isWorthIt) return outcome
    const delayMs = Math.min(30_000, firstMs * 2 ** (attempt - 1))
    onRetry(attempt, delayMs, reason)
    await pause(scope, delayMs)
    return scope.stopped ? tooLate() : undefined
  }
}

/** Ends early with the run. */
async function pause(scope: CallScope, ms: number): Promise<void> {
  let cancel: (() => void) | undefined
  const waited = new Promise<void>((resolve) => {
    cancel = scope.host.timer(ms, resolve)
  })
  await unless(scope, 'stopped', waited, () => cancel?.())
}
