import { describe, expect, it } from 'vitest'
import { encodeNdjson, ndjsonDecoder } from '../../src/stream/ndjson.ts'

describe('ndjsonDecoder()', () => {
  const values = (chunks: readonly string[], limit?: number): unknown[] => {
    const found: unknown[] = []
    const decoder = ndjsonDecoder((value) => void found.push(value), { maxLineChars: limit })
    for (const chunk of chunks) decoder.push(new TextEncoder().encode(chunk))
    decoder.end()
    return found
  }

  it('reads a value a line, cut anywhere, skipping blank lines and taking an open last one', () => {
    expect(values(['{"a"', ':1}\r\n\n[2', ']\n', '"x"'])).toEqual([{ a: 1 }, [2], 'x'])
  })

  it('refuses a line that is no JSON and one that is too long', () => {
    expect(() => values(['{oops}\n'])).toThrow(expect.objectContaining({ code: 'stream-invalid' }))
    expect(() => values(['"12345', '67890'], 8)).toThrow(expect.objectContaining({ code: 'stream-too-large' }))
  })

  it('reads back what encodeNdjson() writes', () => {
    expect(values([encodeNdjson({ a: 'x\ny' }), encodeNdjson(2)])).toEqual([{ a: 'x\ny' }, 2])
  })
})
