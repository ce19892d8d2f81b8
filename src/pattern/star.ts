// The simplest pattern: `*` stands for any run of characters.

/** Whether a whole text matches, as a function; linear, as each piece is taken where it is first found. */
export function starTest(pattern: string): (text: string) => boolean {
  const [head = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return (text) => text === pattern
  const tail = rest.pop()!
  return (text) => {
    if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false
    const end = text.length - tail.length
    let from = head.length
    for (const piece of rest) {
      const found = text.indexOf(piece, from)
      if (found < 0 || found + piece.length > end) return false
      from = found + piece.length
    }
    return true
  }
}
