// Texts in HTTP headers: as they are where a header can hold them, else as Base64 between two marks.
import { guarded } from '../error/guard.ts'
import { wellFormed } from '../json/text.ts'
import { base64, base64Bytes } from '../stream/base64.ts'

const marked = /^=\?base64\?(.*)\?=$/s

/** Visible ASCII with spaces and tabs within stays; anything else, and what looks marked already, is marked. */
export function encodeHeaderValue(text: string): string {
  const isPlain = /^(?:[!-~](?:[ -~\t]*[!-~])?)?$/.test(text) && !marked.test(text)
  return isPlain ? text : `=?base64?${base64(new TextEncoder().encode(wellFormed(text)))}?=`
}

/** The text that was encoded, or `undefined` where what is between the marks is no Base64 of UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  const code = marked.exec(value)?.[1]
  if (code === undefined) return value
  const bytes = /^[A-Za-z0-9+/]*={0,2}$/.test(code) ? base64Bytes(code) : undefined
  return bytes && guarded(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), undefined)
}
