// Which names somebody may have meant who used one that does not exist.

const pairs = (text: string): ReadonlySet<string> => {
  const letters = text.slice(0, 64).toLowerCase()
  return new Set(Array.from(letters, (_, index) => letters.slice(index, index + 2)))
}

/** Some of `names`, up to ten unless told otherwise: those that share most pairs of letters with `wanted` first. */
export function nearestNames(wanted: string, names: Iterable<string>, most = 10): string[] {
  const target = [...pairs(wanted)]
  const likeness = (name: string): number => {
    const own = pairs(name)
    return target.filter((pair) => own.has(pair)).length / (target.length + own.size)
  }
  // Measured once for each: sorting compares a name many times.
  const measured = Array.from(names, (name) => ({ name, likeness: likeness(name) }))
  return measured
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, most)
    .map(({ name }) => name)
}
