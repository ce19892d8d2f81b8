// Characters that nobody sees, or that turn text around, as marks that are seen: a name or a change must not look like another.

/** Text as it is, or the code of a character that stands in it, as often as it is repeated there. */
export type Piece = string | { readonly code: string; readonly times: number }

// Controls but tab and line feed, soft hyphens, fillers, marks of width zero, of direction and of language, line separators.
const unseen =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}]|[\u{e01f0}-\u{e0fff}]|\p{Variation_Selector}|\u034f|\u17b4|\u17b5/gu

const joiner = '\u200d'
const asPicture = '\ufe0f'

/** More marks in one text are written out as plain text, so that they cost no elements. */
const mostMarks = 200

/** Emoji need them: after a picture, and between two of them. */
function belongsToPicture(text: string, char: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 4), at)
  if (char === asPicture) return /\p{Extended_Pictographic}$/u.test(before)
  return (
    char === joiner &&
    /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u.test(before) &&
    /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3))
  )
}

/** `text` in pieces: what can be shown as it is, and marks for what cannot be seen. */
export function visiblePieces(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let marks = 0
  let plain = 0
  const put = (upTo: number): void => {
    if (upTo === plain) return
    const last = pieces.at(-1)
    const more = text.slice(plain, upTo)
    if (typeof last === 'string') pieces[pieces.length - 1] = last + more
    else pieces.push(more)
  }
  for (const { 0: char, index } of text.matchAll(unseen)) {
    if (belongsToPicture(text, char, index)) continue
    put(index)
    plain = index + char.length
    const code = codeOf(char)
    const last = pieces.at(-1)
    if (typeof last === 'object' && last.code === code) pieces[pieces.length - 1] = { code, times: last.times + 1 }
    else if (marks++ < mostMarks) pieces.push({ code, times: 1 })
    else if (typeof last === 'string') pieces[pieces.length - 1] = `${last}⟨${code}⟩`
    else pieces.push(`⟨${code}⟩`)
  }
  put(text.length)
  return pieces
}

const codeOf = (char: string): string =>
  `U+${(char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`

/** A mark in words. */
export const markText = ({ code, times }: { readonly code: string; readonly times: number }): string =>
  times === 1 ? `⟨${code}⟩` : `⟨${code} ×${times}⟩`

/** The same as plain text: for attributes, and for what is read aloud. */
export const visibleText = (text: string): string =>
  visiblePieces(text)
    .map((piece) => (typeof piece === 'string' ? piece : markText(piece)))
    .join('')

/** JSON in which such characters are escaped: the same value, and nothing hidden. Indented unless `indent` is 0. */
export function visibleJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, null, indent) ?? 'null'
  return text.replace(unseen, (char) =>
    char < ' '
      ? char
      : Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
          '',
        ),
  )
}
