// Where one sequence is inside another, in linear time: texts and patches come from models, and for some of them the
// engine's own search is quadratic.

/**
 * The places, in order, of `wanted` (not empty) in `within`: characters of texts, or lines of lists. At most `limit`
 * places; those that overlap only where it is said.
 */
export function placesOf<Item>(
  within: ArrayLike<Item>,
  wanted: ArrayLike<Item>,
  options: { readonly from?: number; readonly limit?: number; readonly overlapping?: boolean } = {},
): number[] {
  const { from = 0, limit = Infinity, overlapping = false } = options
  // Knuth, Morris and Pratt 1977: how much of the beginning of `wanted` ends at each of its items.
  const borders = new Int32Array(wanted.length)
  const grow = (length: number, item: Item | undefined): number => {
    let kept = length
    while (kept > 0 && item !== wanted[kept]) kept = borders[kept - 1]!
    return item === wanted[kept] ? kept + 1 : kept
  }
  for (let at = 1; at < wanted.length; at += 1) borders[at] = grow(borders[at - 1]!, wanted[at])
  const places: number[] = []
  for (let at = from, length = 0; at < within.length && places.length < limit; at += 1) {
    length = grow(length, within[at])
    if (length < wanted.length) continue
    places.push(at - length + 1)
    length = overlapping ? borders[length - 1]! : 0
  }
  return places
}
