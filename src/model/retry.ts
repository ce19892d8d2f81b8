// When a failed model request is tried again, and after how long.
import { isSameloopError } from '../error/error.ts'
import type { Host } from '../host/host.ts'

/** What kind of failure a provider reports; `SameloopError.data.class` of `model-request`. */
export type ErrorClass =
  | 'auth'
  | 'forbidden'
  | 'rate-limited'
  | 'overloaded'
  | 'invalid-request'
  | 'not-found'
  | 'other'

// Statuses and providers' words. Read in this order: an exhausted quota comes as a rate limit, but waiting does not help.
const classes: readonly (readonly [RegExp, ErrorClass])[] = [
  [/quota|billing|permission|credit|^40[23]/i, 'forbidden'],
  [/rate.?limit|exhausted|^429/i, 'rate-limited'],
  [/overload|unavail|time|deadline|internal|server_error|api_error|^(40[89]|[5-9]\d\d)/i, 'overloaded'],
  [/auth|api_key|^401/i, 'auth'],
  [/not_found|^4(04|10)/i, 'not-found'],
  [/invalid|too_large|^4\d\d/i, 'invalid-request'],
]

/** The class of a failure, from the HTTP status where there is one, else from the provider's own word for it. */
export function errorClass(status: number, word: string): ErrorClass {
  const said = status ? `${status} ${status === 429 ? word : ''}` : word
  return classes.find(([pattern]) => pattern.test(said))?.[1] ?? 'other'
}

/** Whether a failure of this class may pass by itself. */
export const isRetryableClass = (failure: ErrorClass): boolean => failure === 'rate-limited' || failure === 'overloaded'

const longestTimer = 2 ** 31 - 1
const decimal = /^\d{1,12}(\.\d{1,6})?$/

/**
 * The wait a server asks for, in milliseconds: `retry-after-ms`, or `retry-after` as seconds or an HTTP date (RFC 9110,
 * 10.2.3; a past one is 0). Anything else is `undefined`.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const ms = headers.get('retry-after-ms') ?? ''
  if (decimal.test(ms)) return Number(ms)
  const after = headers.get('retry-after') ?? ''
  if (decimal.test(after)) return Number(after) * 1000
  // What engines make of any other text differs.
  const wait = /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(after) ? Date.parse(after) - now : NaN
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

export interface RetryOptions {
  /** Before the first event only. Default 2. */
  readonly maxRetries?: number | undefined
  /** The longest wait a server may ask for, in milliseconds; a longer one fails at once. Default 60,000. */
  readonly maxRetryWaitMs?: number | undefined
}

/**
 * The wait after attempt number `attempt` failed; `undefined` where there is to be no other. It is what the server asked
 * for, else 0.5 s doubled with each attempt up to 8 s, of which up to a quarter is left off at random.
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  how: RetryOptions & { readonly host: Host },
): number | undefined {
  const { maxRetries = 2, maxRetryWaitMs = 60_000, host } = how
  if (!isSameloopError(error) || !error.retryable || attempt > maxRetries) return undefined
  const wanted = error.data['retryAfterMs']
  const delay = typeof wanted === 'number' ? wanted : Math.min(500 * 2 ** attempt, 16_000) * (0.5 - host.random() / 8)
  return delay > maxRetryWaitMs ? undefined : Math.min(Math.round(delay), longestTimer)
}
