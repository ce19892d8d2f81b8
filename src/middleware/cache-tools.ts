// The same question to the same tool is answered once.
import { toolNames } from '../tool/tool-names.ts'
import type { Outcome } from '../message/part.ts'
import type { Middleware } from './middleware.ts'

export interface CacheToolsOptions {
  /** Only these tools. Default: every tool whose call has the effect `read`. */
  readonly tools?: readonly string[] | undefined
  /** How long an answer is good. Default 5 minutes. */
  readonly ttlMs?: number | undefined
  /** The oldest of more answers is forgotten. Default 1,000. */
  readonly maxEntries?: number | undefined
  /** Answers are shared within it. Default: the run's session, or the run where it has none. */
  readonly scope?: ((call: { readonly run: string; readonly session: string | undefined }) => string) | undefined
}

interface Kept {
  readonly outcome: Outcome
  readonly until: number
}

/** Keeps what tools answered well; a failure is asked again. Nobody reads what another session was told. */
export function cacheTools(options: CacheToolsOptions = {}): Middleware {
  const { tools, ttlMs = 300_000, maxEntries = 1000, scope = ({ run, session }) => session ?? run } = options
  const isNamed = tools && toolNames(tools)
  const kept = new Map<string, Kept>()
  return {
    name: 'cache-tools',
    async tool(call, next) {
      const { name, uri, effect, context, host } = call
      if (isNamed ? !isNamed(name, uri) : effect !== 'read') return next(call)
      const { id, session } = context.run
      const key = JSON.stringify([scope({ run: id, session }), uri, context.rawInput])
      const known = kept.get(key)
      if (known && known.until > host.now()) return known.outcome
      const outcome = await next(call)
      if (!outcome.ok) return outcome
      kept.delete(key)
      kept.set(key, { outcome, until: host.now() + ttlMs })
      const [oldest = ''] = kept.keys()
      if (kept.size > maxEntries) kept.delete(oldest)
      return outcome
    },
  }
}
