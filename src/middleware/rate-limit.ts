// Keeps under a provider's rate: calls wait for their turn instead of failing.
import { amounts } from '../error/amount.ts'
import type { Host } from '../host/host.ts'
import { listen } from '../stream/signal.ts'
import type { Middleware } from './middleware.ts'

export interface RateLimitOptions {
  /** Model calls in each span. Default: no limit. */
  readonly modelCalls?: number | undefined
  /** Tool calls in each span. Default: no limit. */
  readonly toolCalls?: number | undefined
  /** The length of a span. Default one minute. */
  readonly perMs?: number | undefined
}

/**
 * A bucket of tokens each for models and tools, shared by all runs of the agent. Waiting is part of a tool's `timeoutMs`;
 * an abort ends it. Throws `config-invalid` for a number below 1.
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  const usual = { modelCalls: Infinity, toolCalls: Infinity, perMs: 60_000 }
  // Of less than one call in each span there would never be a whole one.
  const { modelCalls, toolCalls, perMs } = amounts(options, usual, { least: 1 })
  const models = bucket(modelCalls, perMs)
  const tools = bucket(toolCalls, perMs)
  return {
    name: 'rate-limit',
    async *model(request, next, { host, signal }) {
      await models(host, signal)
      yield* next(request)
    },
    async tool(call, next) {
      await tools(call.host, call.context.signal)
      return next(call)
    },
  }
}

type Take = (host: Host, signal: AbortSignal | undefined) => Promise<void>

/** Full at first; it fills up evenly. Who waits is served in order, and who leaves takes no turn along. */
function bucket(size: number, perMs: number): Take {
  const waiting = new Set<() => void>()
  let tokens = size
  let filledAt: number | undefined
  let stopTimer: (() => void) | undefined

  function serve(host: Host): void {
    const now = host.now()
    tokens = Math.min(size, tokens + ((now - (filledAt ?? now)) * size) / perMs)
    filledAt = now
    for (const go of waiting) {
      if (tokens < 1) break
      tokens -= 1
      waiting.delete(go)
      go()
    }
    stopTimer?.()
    const ms = Math.ceil(((1 - tokens) * perMs) / size)
    stopTimer = waiting.size > 0 ? host.timer(ms, () => serve(host)) : undefined
  }

  return (host, signal) =>
    new Promise((resolve, reject) => {
      if (size === Infinity) return resolve()
      if (signal?.aborted) return reject(signal.reason)
      const go = (): void => {
        stop()
        resolve()
      }
      const stop = listen(signal, (reason) => {
        waiting.delete(go)
        serve(host)
        reject(reason)
      })
      waiting.add(go)
      serve(host)
    })
}
