// Text as pictures need it: harmless, measured without a screen, and cut to its room.
import { cut, jsonText, wellFormed } from '../json/text.ts'

/** A full text in a picture is never longer, so that one value cannot outweigh all the rest. */
const longest = 1000

// XML has no place for most controls, and marks of direction or of no width make a name look like another.
const unseen =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff]/g

/** Any value as text of at most 1,000 characters; what cannot be seen, or must not stand in XML, is written as `⟨U+202E⟩`. */
export function textOf(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : (jsonText(value) ?? typeof value)
  return cut(wellFormed(text), longest).replace(
    unseen,
    (char) => `⟨U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}

/** On one line. */
export const lineOf = (value: unknown): string => textOf(value).replace(/\s+/g, ' ').trim()

/** Text and attribute values alike. */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`).replace(/\r/g, '&#13;')

/** Milliseconds in a few characters. */
export function duration(ms: number): string {
  if (ms < 1) return ms > 0 ? '<1 ms' : '0 ms'
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${trimmed(ms / 1000, ms < 9_950 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return two([seconds / 60, 'min'], [seconds % 60, 's'])
  if (seconds < 172_800) return two([seconds / 3600, 'h'], [(seconds % 3600) / 60, 'min'])
  return two([seconds / 86_400, 'd'], [(seconds % 86_400) / 3600, 'h'])
}

type Amount = readonly [number, string]

const two = ([much, unit]: Amount, [rest, smaller]: Amount): string =>
  Math.floor(rest) ? `${Math.floor(much)} ${unit} ${Math.floor(rest)} ${smaller}` : `${Math.floor(much)} ${unit}`

const trimmed = (value: number, digits: number): string => value.toFixed(digits).replace(/\.?0+$/, '')

/** `3 steps`, `1 step`. */
export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

/** Fonts differ, so widths are estimates on the wide side, in parts of the font's size. */
function widthOf(char: string, mono: boolean): number {
  if (/[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]|[^\0-\uffff]/.test(char))
    return 1.05
  if (mono) return 0.61
  if (/[il.,:;'|!()[\] jI]/.test(char)) return 0.37
  if (/[tfr/\-"]/.test(char)) return 0.46
  if (/[mwMW@%<>=+~]/.test(char)) return 0.9
  return /[A-Z_&#]/.test(char) ? 0.68 : 0.59
}

export interface Font {
  readonly size: number
  readonly mono?: boolean | undefined
}

export function textWidth(text: string, { size, mono = false }: Font): number {
  let width = 0
  for (const char of text) width += widthOf(char, mono)
  return width * size
}

/** The text if it fits, else its beginning and an ellipsis. */
export function fitted(text: string, room: number, font: Font): string {
  const ellipsis = textWidth('…', font)
  let width = 0
  let kept = ''
  for (const char of text) {
    width += textWidth(char, font)
    if (width > room) return `${kept.trimEnd()}…`
    if (width <= room - ellipsis) kept += char
  }
  return text
}
