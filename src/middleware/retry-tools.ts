// Tries a failed tool again: the tool itself, not the model.
import { amounts } from '../error/amount.ts'
import { isSameloopError } from '../error/error.ts'
import type { Failure } from '../message/outcome.ts'
import { sleep } from '../stream/signal.ts'
import type { Middleware, ToolCall } from './middleware.ts'

export interface RetryToolsOptions {
  /** Further tries after the first. Default 2. */
  readonly retries?: number | undefined
  /** The wait before the first of them; it doubles, with a jitter of up to half. Default 100 ms. */
  readonly delayMs?: number | undefined
  /** Default 30,000 ms. */
  readonly maxDelayMs?: number | undefined
  /** Whether to try again. Default: a `failed` or `timeout` call whose effect is `read` or `idempotent`. */
  readonly when?: ((outcome: Failure, call: ToolCall, attempt: number) => boolean) | undefined
}

/** The call's time counts for all tries together, and an abort ends the waiting. */
export function retryTools(options: RetryToolsOptions = {}): Middleware {
  const { when = isWorthIt } = options
  const { retries, delayMs, maxDelayMs } = amounts(options, { retries: 2, delayMs: 100, maxDelayMs: 30_000 })
  return {
    name: 'retry-tools',
    async tool(call, next) {
      const { host, context } = call
      for (let attempt = 1; ; attempt++) {
        const outcome = await next(call)
        // Who waits for a person has not failed, and what is fatal ends the run, whatever `when` says.
        if (outcome.ok || outcome.reason === 'pending' || isSameloopError(outcome.cause, 'tool-fatal')) return outcome
        if (attempt > retries || !when(outcome, call, attempt)) return outcome
        const longest = Math.min(maxDelayMs, delayMs * 2 ** (attempt - 1))
        await sleep(host, longest * (1 - host.random() / 2), context.signal).catch(() => undefined)
        if (context.signal.aborted) return outcome
      }
    },
  }
}

const isWorthIt = ({ reason }: Failure, { effect }: ToolCall): boolean =>
  (reason === 'failed' || reason === 'timeout') && (effect === 'read' || effect === 'idempotent')
