// Sets of characters, as "[a-z]" in globs and expressions writes them.

export type CharTest = (code: number) => boolean

/** Any of the ranges, both ends included. */
export function inRanges(ranges: readonly (readonly [from: number, to: number])[]): CharTest {
  return (code) => ranges.some(([from, to]) => code >= from && code <= to)
}

export const not =
  (test: CharTest): CharTest =>
  (code) =>
    !test(code)

/** The test, blind to upper and lower case where each has one code point. */
export function foldCase(test: CharTest): CharTest {
  return (code) => {
    if (test(code)) return true
    const text = String.fromCodePoint(code)
    return [text.toLowerCase(), text.toUpperCase()].some((other) => {
      const folded = other.codePointAt(0)!
      return folded !== code && other.length === (folded > 0xffff ? 2 : 1) && test(folded)
    })
  }
}
