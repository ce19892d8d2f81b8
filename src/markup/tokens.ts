// HTML cut into tags and text, as it comes. What is wrong in it is read as a browser would read it; nothing here recurses.
import { Tokenizer } from 'htmlparser2'

/** Of one tag, by lower-case name; only the few that say something about its text. */
export type Attributes = ReadonlyMap<string, string>

export interface TokenReader {
  open(name: string, attributes: Attributes, selfClosing: boolean): void
  close(name: string): void
  text(text: string): void
}

export interface Tokens {
  write(html: string): void
  end(): void
}

const wanted = new Set(
  (
    'alt align aria-hidden aria-modal class colspan content data-lang data-language hidden href id name open property ' +
    'role src start style'
  ).split(' '),
)

const maxPiece = 32_768
/** Characters kept for what began in an earlier piece; a longer tag name loses its beginning. */
const maxKept = 2 * maxPiece
const maxAttributeChars = 8000

const none: Attributes = new Map()

export function htmlTokens(reader: TokenReader): Tokens {
  let kept = ''
  let keptFrom = 0
  let name = ''
  let attribute = ''
  let value = ''
  let attributes: Map<string, string> | undefined

  const slice = (start: number, end: number): string => kept.slice(Math.max(0, start - keptFrom), end - keptFrom)
  const nameAt = (start: number, end: number): string => slice(start, end).toLowerCase()
  const addToValue = (more: string): void => {
    if (attribute !== '' && value.length < maxAttributeChars) value += more
  }
  const opened = (selfClosing: boolean): void => {
    reader.open(name, attributes ?? none, selfClosing)
    attributes = undefined
  }
  const nothing = (): void => undefined

  const tokenizer = new Tokenizer(
    {},
    {
      ontext: (start, end) => reader.text(slice(start, end)),
      ontextentity: (code) => reader.text(String.fromCodePoint(code)),
      onopentagname: (start, end) => {
        name = nameAt(start, end)
      },
      onopentagend: () => opened(false),
      onselfclosingtag: () => opened(true),
      onclosetag: (start, end) => reader.close(nameAt(start, end)),
      onattribname: (start, end) => {
        const given = nameAt(start, end)
        attribute = wanted.has(given) && !attributes?.has(given) ? given : ''
        value = ''
      },
      onattribdata: (start, end) => addToValue(slice(start, end)),
      onattribentity: (code) => addToValue(String.fromCodePoint(code)),
      onattribend: () => {
        if (attribute !== '') (attributes ??= new Map()).set(attribute, value)
      },
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onprocessinginstruction: nothing,
    },
  )

  function writePiece(piece: string): void {
    if (kept.length > maxKept) {
      keptFrom += kept.length - maxPiece
      kept = kept.slice(-maxPiece)
    }
    kept += piece
    tokenizer.write(piece)
  }

  return inPieces(writePiece, () => tokenizer.end())
}

/** Cuts what is written into pieces of whole characters. */
function inPieces(writePiece: (piece: string) => void, end: () => void): Tokens {
  /** The first half of a character whose second has not come. */
  let half = ''
  return {
    write: (html) => {
      let rest = half + html
      half = ''
      while (rest !== '') {
        const piece = rest.slice(0, maxPiece).replace(/[\ud800-\udbff]$/, '')
        if (piece === '') break
        writePiece(piece)
        rest = rest.slice(piece.length)
      }
      half = rest
    },
    end: () => {
      writePiece(half)
      end()
    },
  }
}
