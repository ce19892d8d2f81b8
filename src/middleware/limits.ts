// Limits as middleware, for those who compose a behaviour from parts.
import type { Middleware } from './middleware.ts'

/** At most `count` tool calls in a run, or by tool name; the rest is answered `limit` and the run stops. */
export const limitToolCalls = (toolCalls: number | Readonly<Record<string, number>>): Middleware => ({
  name: 'limit-tool-calls',
  limits: { toolCalls },
})

/** At most `steps` model calls in a run. */
export const limitModelCalls = (steps: number): Middleware => ({ name: 'limit-model-calls', limits: { steps } })
