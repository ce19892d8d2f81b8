import { describe, expect, it } from 'vitest'
import { SameloopError } from '../../src/error/error.ts'
import { errorClass, isRetryableClass, retryAfterMs, retryDelay } from '../../src/model/retry.ts'
import { testHost } from '../host.ts'

const now = Date.UTC(2026, 10, 30)

const after = (headers: Record<string, string>): number | undefined => retryAfterMs(new Headers(headers), now)

describe('retryAfterMs()', () => {
  it('reads seconds, fractions of them, and HTTP dates; a past date is no wait', () => {
    const seconds = ['120', '0', '1.5', '1800'].map((value) => after({ 'retry-after': value }))
    expect(seconds).toEqual([120_000, 0, 1500, 1_800_000])
    expect(after({ 'retry-after': 'Mon, 30 Nov 2026 00:00:07 GMT' })).toBe(7000)
    expect(after({ 'retry-after': 'Sun, 29 Nov 2026 23:00:00 GMT' })).toBe(0)
    expect(after({ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' })).toBeGreaterThan(1e14)
  })

  it('knows no wait in anything else', () => {
    for (const value of ['soon', '', '-5', '1e999', 'NaN', '12 s', 'Mon, 99 Foo 2026 99:99:99 GMT']) {
      expect(after({ 'retry-after': value }), value).toBeUndefined()
    }
    expect(after({})).toBeUndefined()
  })

  it('prefers milliseconds, and falls back where they are no number', () => {
    expect(after({ 'retry-after-ms': '250', 'retry-after': '9' })).toBe(250)
    expect(after({ 'retry-after-ms': 'abc', 'retry-after': '9' })).toBe(9000)
    expect(after({ 'retry-after-ms': 'abc' })).toBeUndefined()
  })
})

describe('retryDelay()', () => {
  const failure = (retryAfterMs?: number, retryable = true): SameloopError =>
    new SameloopError('model-request', 'Failed', { retryable, data: { retryAfterMs } })

  it('doubles up to eight seconds, less a part at random', () => {
    const host = testHost({ random: [0, 0.5] })
    const delays = [1, 2, 3, 4, 9, 5000].map((attempt) =>
      retryDelay(failure(), attempt, { host, maxRetries: Infinity }),
    )
    expect(delays).toEqual([500, 875, 2000, 3500, 8000, 7000])
  })

  it('is what the server asked for, up to the longest that is allowed and that a timer can wait', () => {
    const host = testHost()
    expect([0, 1234.4, 60_000, 60_001].map((wanted) => retryDelay(failure(wanted), 1, { host }))).toEqual([
      0,
      1234,
      60_000,
      undefined,
    ])
    expect(retryDelay(failure(120_000), 1, { host, maxRetryWaitMs: 300_000 })).toBe(120_000)
    expect(retryDelay(failure(1e15), 1, { host, maxRetryWaitMs: Infinity })).toBe(2 ** 31 - 1)
  })

  it('is none for what stays wrong, for what is no error of ours, and after the last attempt', () => {
    const host = testHost()
    expect(retryDelay(failure(0, false), 1, { host })).toBeUndefined()
    expect(retryDelay(new TypeError('x'), 1, { host })).toBeUndefined()
    expect([1, 2, 3].map((attempt) => retryDelay(failure(0), attempt, { host }))).toEqual([0, 0, undefined])
  })
})

describe('errorClass()', () => {
  it('goes by the status where there is one', () => {
    const classes = [401, 402, 403, 404, 429, 408, 409, 500, 503, 529, 400, 413, 422].map((status) =>
      errorClass(status, ''),
    )
    expect(classes).toEqual([
      'auth',
      'forbidden',
      'forbidden',
      'not-found',
      'rate-limited',
      'overloaded',
      'overloaded',
      'overloaded',
      'overloaded',
      'overloaded',
      'invalid-request',
      'invalid-request',
      'invalid-request',
    ])
    expect(errorClass(401, 'invalid_request_error')).toBe('auth')
  })

  it('goes by the word where there is none', () => {
    const words = [
      'overloaded_error',
      'rate_limit_error',
      'invalid_request_error',
      'authentication_error',
      'api_error',
      'not_found_error',
    ]
    expect(words.map((word) => errorClass(0, word))).toEqual([
      'overloaded',
      'rate-limited',
      'invalid-request',
      'auth',
      'overloaded',
      'not-found',
    ])
    expect(errorClass(0, 'something new')).toBe('other')
    expect(errorClass(0, 'constructor')).toBe('other')
  })

  it('does not wait for a quota that is used up', () => {
    expect(errorClass(429, 'insufficient_quota')).toBe('forbidden')
    expect(isRetryableClass('forbidden')).toBe(false)
    expect((['rate-limited', 'overloaded'] as const).every(isRetryableClass)).toBe(true)
  })
})
