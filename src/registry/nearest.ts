// Finds the names a model probably meant.

const pairs = (text: string): ReadonlySet<string> => {
  const letters = text.slice(0, 64).toLowerCase()
  return new Set(Array.from(letters, (_, index) => letters.slice(index, index + 2)))
}

/** Up to ten of `names`, those that share most pairs of letters with `wanted` first. */
export function nearestNames(wanted: string, names: Iterable<string>): string[] {
  const target = [...pairs(wanted)]
  const likeness = (name: string): number => {
    const own = pairs(name)
    return target.filter((pair) => own.has(pair)).length / (target.length + own.size)
  }
  return [...names].sort((a, b) => likeness(b) - likeness(a)).slice(0, 10)
}
