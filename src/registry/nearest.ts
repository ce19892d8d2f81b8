// Finds the names a model probably meant.

/** Up to three of `names` closest to `wanted`, best first; those too far away are left out. */
export function nearestNames(wanted: string, names: Iterable<string>): string[] {
  const target = wanted.slice(0, 64).toLowerCase()
  const near: { name: string; distance: number }[] = []
  for (const name of names) {
    const distance = editDistance(target, name.toLowerCase())
    if (distance <= Math.max(2, Math.ceil(name.length / 2))) near.push({ name, distance })
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return near.slice(0, 3).map(({ name }) => name)
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const replace = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(replace, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[right.length] as number
}
