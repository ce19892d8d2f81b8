// Finds the names a model probably meant.

const pairs = (text: string): ReadonlySet<string> => {
  const letters = text.slice(0, 64).toLowerCase()
  return new Set(Array.from(letters, (_, index) => letters.slice(index, index + 2)))
}

/** Up to three of `names` that share most pairs of letters with `wanted`, best first. */
export function nearestNames(wanted: string, names: Iterable<string>): string[] {
  const target = [...pairs(wanted)]
  const likeness = (name: string): number => {
    const own = pairs(name)
    return target.filter((pair) => own.has(pair)).length / (target.length + own.size)
  }
  return [...names]
    .map((name) => ({ name, score: likeness(name) }))
    .filter(({ score }) => score > 0.1)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ name }) => name)
}
