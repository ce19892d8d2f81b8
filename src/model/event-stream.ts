// The event stream of a request to a model: it is tried again before its first event.
import type { ModelEvent } from '../message/model-event.ts'
import { sleep } from '../stream/signal.ts'
import { type Attempt, attempt, type AttemptOptions, over, type Result } from './attempt.ts'
import type { ModelCall } from './model.ts'
import type { Dialect } from './payload-reader.ts'
import { retryDelay, type RetryOptions } from './retry.ts'

export interface StreamOptions extends RetryOptions, AttemptOptions {}

function reading(call: ModelCall, how: Dialect & StreamOptions): AsyncIterator<readonly ModelEvent[], undefined> {
  const { host, signal } = call
  let current: Attempt | undefined
  let isClosed = false
  const first = async (): Promise<Result> => {
    for (let attempts = 1; !isClosed; attempts++) {
      current = attempt(call, how)
      try {
        return await current.next()
      } catch (error) {
        const delay = signal?.aborted ? undefined : retryDelay(error, attempts, { ...how, host })
        if (delay === undefined) throw error
        call.onRetry?.(attempts, delay, (error as Error).message)
        await sleep(host, delay, signal)
      }
    }
    return over
  }
  return {
    next: () => (current ? current.next() : first()),
    return() {
      isClosed = true
      current?.close()
      return Promise.resolve(over)
    },
  }
}

/**
 * The events of one request, an array per network chunk, asked for one at a time. Retries retryable failures before the
 * first event; an abort is thrown as the signal's reason. Written without a generator: this runs for every chunk.
 */
export function eventStream(
  call: ModelCall,
  dialect: Dialect,
  options: StreamOptions,
): AsyncIterable<readonly ModelEvent[]> {
  return { [Symbol.asyncIterator]: () => reading(call, { ...options, ...dialect }) }
}
