// The same question to the same tool is answered once.
import { amounts } from '../error/amount.ts'
import { isPlain } from '../json/value.ts'
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
  readonly of: string
  readonly outcome: Outcome
  readonly until: number
}

/**
 * Keeps successful results; a failure is asked again. Nobody reads what another session was told. A call with an
 * effect, of a tool that is not kept, may change what the others would answer: what its scope knew is forgotten. Tools are
 * told apart by their URI: agents whose tools share one, and mean something else by it, want a middleware each.
 */
export function cacheTools(options: CacheToolsOptions = {}): Middleware {
  const { tools, scope = ({ run, session }) => session ?? run } = options
  const { ttlMs, maxEntries } = amounts(options, { ttlMs: 300_000, maxEntries: 1000 })
  const isNamed = tools && toolNames(tools)
  const kept = new Map<string, Kept>()
  /** What was asked before a change may be answered after it. */
  let changes = 0
  const forget = (owner: string): void => {
    changes++
    for (const [key, { of }] of kept) if (of === owner) kept.delete(key)
  }
  return {
    name: 'cache-tools',
    async tool(call, next) {
      const { name, uri, effect, context, host } = call
      const { id, session } = context.run
      const owner = scope({ run: id, session })
      if (isNamed ? !isNamed(name, uri) : effect !== 'read') {
        const outcome = await next(call)
        if (effect !== 'read') forget(owner)
        return outcome
      }
      const key = JSON.stringify([owner, uri, context.rawInput])
      const known = kept.get(key)
      if (known && known.until > host.now()) return copied(known.outcome)
      const before = changes
      const outcome = await next(call)
      if (!outcome.ok || before !== changes) return outcome
      kept.delete(key)
      kept.set(key, { of: owner, outcome: copied(outcome), until: host.now() + ttlMs })
      const [oldest = ''] = kept.keys()
      if (kept.size > maxEntries) kept.delete(oldest)
      return outcome
    },
  }
}

/** Whoever called may change the value. */
const copied = (outcome: Outcome): Outcome => (outcome.ok ? { ...outcome, value: copyPlain(outcome.value) } : outcome)

function copyPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyPlain)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyPlain(item)]))
}
