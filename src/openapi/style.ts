// How a value is written where it travels: the parameter styles of OpenAPI, which are those of RFC 6570.
import { isHeaderValue } from '../http/header.ts'
import { jsonText, wellFormed } from '../json/text.ts'
import { isObject } from '../json/value.ts'

export type ParameterIn = 'path' | 'query' | 'header' | 'cookie'

export interface Styled {
  /** As the server knows it. */
  readonly name: string
  readonly style: string
  readonly explode: boolean
  readonly allowReserved: boolean
}

/** A key, where the value is an object, and the text of one value. */
type Piece = readonly [key: string | undefined, text: string]

const isCompound = (value: unknown): value is object => typeof value === 'object' && value !== null

/** What has no form of its own inside a list is written as JSON. */
const plain = (value: unknown): string => (isCompound(value) ? (jsonText(value) ?? '') : String(value))

/** `null` counts as not given. */
function piecesOf(value: unknown): readonly Piece[] {
  const entries = isObject(value) ? Object.entries(value) : [value].flat().map((item) => [undefined, item] as const)
  return entries.filter(([, item]) => item !== null && item !== undefined).map(([key, item]) => [key, plain(item)])
}

/** All but the unreserved characters of RFC 3986. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** Reserved characters as they are, but for those that would end the value or the query. */
const reserved = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:3A|2F|3F|40|24|2C|3B|3D)/g, (code) => decodeURIComponent(code))

const flat = (pieces: readonly Piece[], encode: (text: string) => string): readonly string[] =>
  pieces.flatMap(([key, text]) => (key === undefined ? [encode(text)] : [encode(key), encode(text)]))

const paired = (pieces: readonly Piece[], encode: (text: string) => string): readonly string[] =>
  pieces.map(([key, text]) => (key === undefined ? '' : `${encode(key)}=`) + encode(text))

/** One value in a path; empty where there is nothing to write. */
export function pathText({ name, style, explode }: Styled, value: unknown): string {
  const pieces = piecesOf(value)
  if (pieces.length === 0) return ''
  const written = explode ? paired(pieces, encoded) : flat(pieces, encoded)
  if (style === 'label') return `.${written.join(explode ? '.' : ',')}`
  if (style !== 'matrix') return written.join(',')
  if (!explode || !isCompound(value)) return `;${encoded(name)}${matrixValue(written.join(','))}`
  return pieces.map(([key = name, text]) => `;${encoded(key)}${matrixValue(encoded(text))}`).join('')
}

const matrixValue = (text: string): string => (text === '' ? '' : `=${text}`)

const delimiters: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

/** The pairs of a query or a form, encoded: `["id=5"]`. */
export function queryPairs({ name, style, explode, allowReserved }: Styled, value: unknown): readonly string[] {
  const encode = allowReserved ? reserved : encoded
  const key = encoded(name)
  if (!isCompound(value)) return [`${key}=${encode(plain(value))}`]
  if (style === 'deepObject' && isObject(value)) return deepPairs(key, value, encode)
  const pieces = piecesOf(value)
  if (pieces.length === 0) return []
  if (explode) return pieces.map(([inner, text]) => `${inner === undefined ? key : encoded(inner)}=${encode(text)}`)
  // The comma between values is plain, that within them is not.
  const written = flat(pieces, allowReserved ? (text) => encode(text).replaceAll(',', '%2C') : encode)
  return [`${key}=${written.join(delimiters[style] ?? ',')}`]
}

/** What lies deeper than the specification says goes on in the same way; a list repeats its key. */
function deepPairs(key: string, value: object, encode: (text: string) => string): readonly string[] {
  return Object.entries(value).flatMap(([name, item]: readonly [string, unknown]) => {
    const inner = `${key}%5B${encoded(name)}%5D`
    if (isObject(item)) return deepPairs(inner, item, encode)
    return piecesOf(item).map(([, text]) => `${inner}=${encode(text)}`)
  })
}

export function headerText({ explode }: Styled, value: unknown): string {
  const asIs = (text: string): string => text
  return (explode ? paired : flat)(piecesOf(value), asIs).join(',')
}

/** `name=value`; with `explode` one for each value, as browsers send several cookies of one name. */
export const cookiePairs = (parameter: Styled, value: unknown): readonly string[] =>
  queryPairs({ ...parameter, style: 'form' }, value)

/** Why a value cannot be written so that the server reads the same, or `undefined`. */
export function styleProblem(place: ParameterIn, { style, explode }: Styled, value: unknown): string | undefined {
  const pieces = piecesOf(value)
  const texts = pieces.flatMap(([key = '', text]) => [key, text])
  const has = (letters: RegExp): boolean => isCompound(value) && texts.some((text) => letters.test(text))
  if (texts.some((text) => wellFormed(text) !== text)) return 'wanted whole characters'
  if (place === 'path') {
    if (pieces.every(([, text]) => text === '')) return 'wanted a value that is not empty, as it is part of the path'
    if (style === 'label' && explode && has(/[.]/)) return 'wanted no ".", which separates its values'
  }
  if (place === 'header') {
    if (!texts.every(isHeaderValue)) return 'wanted printable ASCII, as it travels in a header'
    if (has(explode ? /[,=]/ : /,/)) return 'wanted no "," or "=", which separate its values in a header'
  }
  if (!explode && style === 'spaceDelimited' && has(/ /)) return 'wanted no space, which separates its values'
  if (!explode && style === 'pipeDelimited' && has(/\|/)) return 'wanted no "|", which separates its values'
  return undefined
}
