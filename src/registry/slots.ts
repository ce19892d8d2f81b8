// Slots for running tools: a cap on how many run at once, first come first served, and exclusive tools alone.

export interface Slots {
  readonly limit: number
  taken: number
  readonly waiting: { readonly size: number; readonly go: () => void }[]
}

export function slots(limit: number): Slots {
  // An exclusive tool takes all of them, and Infinity less Infinity is no number.
  return { limit: Math.min(limit, 1e9), taken: 0, waiting: [] }
}

/** Takes `size` slots: `undefined` when they are free at once, else a promise of them. */
export function takeSlots(from: Slots, size: number): Promise<void> | undefined {
  if (!from.waiting.length && from.taken + size <= from.limit) {
    from.taken += size
    return undefined
  }
  return new Promise((go) => {
    from.waiting.push({ size, go })
  })
}

/** Gives `size` slots back and lets in who fits into `limit`: everybody, with `Infinity`, when a run was aborted. */
export function freeSlots(from: Slots, size: number, limit: number = from.limit): void {
  from.taken -= size
  for (let [next] = from.waiting; next && from.taken + next.size <= limit; [next] = from.waiting) {
    from.waiting.shift()
    from.taken += next.size
    next.go()
  }
}
