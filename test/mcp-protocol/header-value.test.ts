import { describe, expect, it } from 'vitest'
import { decodeHeaderValue, encodeHeaderValue } from '../../src/mcp-protocol/header-value.ts'

// The table of the specification, "Value Encoding".
const examples = [
  ['us-west1', 'us-west1'],
  ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ['', ''],
] as const

describe('encodeHeaderValue()', () => {
  it.each(examples)('writes %j as the specification does', (text, value) => {
    expect(encodeHeaderValue(text)).toBe(value)
  })

  it('writes a lone surrogate as the replacement character', () => {
    expect(decodeHeaderValue(encodeHeaderValue('\ud800'))).toBe('\ufffd')
  })
})

describe('decodeHeaderValue()', () => {
  it.each(examples)('gives %j back', (text, value) => {
    expect(decodeHeaderValue(value)).toBe(text)
  })

  it('refuses what is no Base64 of UTF-8', () => {
    expect(decodeHeaderValue('=?base64?%%%?=')).toBeUndefined()
    expect(decodeHeaderValue('=?base64?/w==?=')).toBeUndefined()
    expect(decodeHeaderValue('=?base64?A?=')).toBeUndefined()
  })
})
