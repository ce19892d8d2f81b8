// Text with what is quoted taken out and white space made single: the rules see little, however much was typed.

/** In `text` each quoted span is one mark, a character of private use that counts up. */
export interface OpenText {
  readonly text: string
  /** The spans as they were typed, with their quotation marks. */
  readonly quotes: readonly string[]
}

const firstMark = 0xe000
const mostQuotes = 99
/** Any mark, as a class in a pattern. */
export const mark = '[\ue000-\ue062]'
const anyMark = /[\ue000-\ue062]/g
const opening = '"“`\''
const closing = '"”`\''
const isWord = (char: string | undefined): boolean => /[\p{L}\p{N}]/u.test(char ?? '')

/** A quotation mark must open a word, so that an apostrophe is none. */
export function openText(raw: string): OpenText {
  const quotes: string[] = []
  // Nothing is looked for that is not there.
  const lasts = [...closing].map((close) => raw.lastIndexOf(close))
  let text = ''
  for (let at = 0; at < raw.length;) {
    const char = raw.charAt(at)
    const kind = quotes.length < mostQuotes && !isWord(raw[at - 1]) ? opening.indexOf(char) : -1
    const end = (lasts[kind] ?? 0) > at ? raw.indexOf(closing.charAt(kind), at + 1) + 1 : 0
    if (end > 0 && !(char === "'" && isWord(raw[end]))) {
      text += String.fromCharCode(firstMark + quotes.length)
      quotes.push(raw.slice(at, end))
      at = end
    } else {
      // A mark that was typed would stand for a quote.
      text += char.replace(anyMark, '\ufffd')
      at++
    }
  }
  return { text: text.replace(/\s+/g, ' ').trim(), quotes }
}

/** A piece of the text as it was typed. */
export const asTyped = ({ quotes }: OpenText, piece: string): string =>
  piece.replace(anyMark, (mark) => quotes[mark.charCodeAt(0) - firstMark] ?? '')

/** A piece of the text as a value: without the quotation marks where it is one quote. */
export function asValue(open: OpenText, piece: string): string {
  const typed = asTyped(open, piece)
  return piece.length === 1 && typed.length > 1 ? typed.slice(1, -1) : typed
}

/** The text without any of these characters at its end. */
export function trimEnd(text: string, chars: string): string {
  let end = text.length
  while (end > 0 && chars.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
