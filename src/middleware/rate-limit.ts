// Keeps under a provider's rate: calls wait for their turn instead of failing.
import type { Host } from '../host/host.ts'
import type { Middleware } from './middleware.ts'
import { pause } from './pause.ts'

export interface RateLimitOptions {
  /** Model calls in each span. Default: no limit. */
  readonly modelCalls?: number | undefined
  /** Tool calls in each span. Default: no limit. */
  readonly toolCalls?: number | undefined
  /** The length of a span. Default one minute. */
  readonly perMs?: number | undefined
}

/** A bucket of tokens each for models and tools, shared by all runs of the agent. An abort ends the waiting. */
export function rateLimit({
  modelCalls = Infinity,
  toolCalls = Infinity,
  perMs = 60_000,
}: RateLimitOptions): Middleware {
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

/** Full at first; it fills up evenly. Who comes later waits longer, so the order is kept. */
function bucket(size: number, perMs: number): Take {
  let tokens = size
  let filledAt: number | undefined
  return async (host, signal) => {
    if (size === Infinity) return
    const now = host.now()
    tokens = Math.min(size, tokens + ((now - (filledAt ?? now)) * size) / perMs)
    filledAt = now
    tokens -= 1
    if (tokens < 0) await pause(host, (-tokens * perMs) / size, signal)
    signal?.throwIfAborted()
  }
}
