// Chance that can be had again: numbers from a seed, the same in every engine.

export interface Random {
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number
  /** True in about `share` of the cases. */
  chance(share: number): boolean
  pick<Value>(list: readonly Value[]): Value
  /** A key of `weights`, each as often as its weight says. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key
  /** A stream of its own: what is drawn from one moves nothing in the other. */
  fork(): Random
}

/** Numbers of 32 bits by shifting and xor; only integers take part, so no engine can round differently. */
export function seeded(seed: number): Random {
  // Neighbouring seeds must not begin alike, and zero would stay zero.
  let state = Math.imul(seed + 1, 0x9e3779b1) || 1
  const draw = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  for (let warm = 0; warm < 8; warm++) draw()
  const int = (least: number, most: number): number => least + (draw() % (most - least + 1))
  return {
    int,
    chance: (share) => draw() < share * 2 ** 32,
    pick: (list) => list[int(0, list.length - 1)] as (typeof list)[number],
    weighted(weights) {
      const entries = Object.entries<number>(weights)
      let left = int(
        1,
        entries.reduce((sum, [, weight]) => sum + weight, 0),
      )
      const found = entries.find(([, weight]) => (left -= weight) <= 0)
      return found?.[0] as never
    },
    fork: () => seeded(draw()),
  }
}
