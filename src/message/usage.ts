// Counting tokens. A number a provider did not give is absent, never 0.

export interface Usage {
  /** All input tokens, cached ones included. */
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly total?: number | undefined
  readonly reasoning?: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
  /** US dollars, where a price is known. */
  readonly costUsd?: number | undefined
}

const keys = ['input', 'output', 'total', 'reasoning', 'cacheRead', 'cacheWrite', 'costUsd'] as const

/** The sum; a key is absent only where both lack it. */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: { [key in (typeof keys)[number]]?: number } = {}
  for (const key of keys) {
    const a = left[key]
    const b = right[key]
    if (a !== undefined || b !== undefined) sum[key] = (a ?? 0) + (b ?? 0)
  }
  return sum
}

/** All tokens known so far: `total` where given, else input and output. */
export function totalTokens(usage: Usage): number {
  return usage.total ?? (usage.input ?? 0) + (usage.output ?? 0)
}
