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

/** The sum; a key is absent only where both lack it. */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum = { ...left } as Record<string, number | undefined>
  for (const [key, count] of Object.entries(right)) if (count !== undefined) sum[key] = (sum[key] ?? 0) + count
  // One provider gives a total, another only its parts.
  if (sum['total'] !== undefined) sum['total'] = totalTokens(left) + totalTokens(right)
  return sum
}

/** All tokens known so far: `total` where given, else input and output. */
export function totalTokens(usage: Usage): number {
  return usage.total ?? (usage.input ?? 0) + (usage.output ?? 0)
}
