import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hex } from '../../src/stream/bytes.ts'
import { hmacSha256, sha256 } from '../../src/testing/sha256.ts'
import { canonicalJson, canonicalTrace, traceHash } from '../../src/testing/trace.ts'

describe('canonicalTrace()', () => {
  it('leaves out the clock and sorts keys at every depth', () => {
    const event = {
      type: 'tool-end',
      seq: 3,
      at: 17,
      durationMs: 4,
      outcome: { value: { b: 1, a: [{ d: 1, c: 2 }] }, ok: true },
    }
    expect(canonicalTrace([event])).toEqual([
      '{"outcome":{"ok":true,"value":{"a":[{"c":2,"d":1}],"b":1}},"seq":3,"type":"tool-end"}',
    ])
  })
  it('joins adjacent deltas of one block under the last seq, whichever were joined before', () => {
    const delta = (seq: number, id: string, text: string): object => ({
      type: 'text-delta',
      seq,
      at: seq,
      run: 'r',
      step: 1,
      id,
      delta: text,
    })
    const lines = canonicalTrace([delta(1, 'a', 'x'), delta(2, 'a', 'y'), delta(3, 'b', 'z'), delta(4, 'a', 'w')])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { seq: 2, id: 'a', delta: 'xy' },
      { seq: 3, id: 'b', delta: 'z' },
      { seq: 4, id: 'a', delta: 'w' },
    ])
  })
  it('does not join deltas of different runs, steps, paths or kinds', () => {
    const delta = { type: 'text-delta', run: 'r', step: 1, id: 'a', delta: 'x' }
    const others = [{ run: 's' }, { step: 2 }, { path: ['c'] }, { type: 'reasoning-delta' }]
    for (const other of others) expect(canonicalTrace([delta, { ...delta, ...other }])).toHaveLength(2)
  })
  it('writes bytes, undefined and an own "__proto__" key without loss of order', () => {
    expect(canonicalJson({ b: new Uint8Array([1, 255]), a: undefined })).toBe('{"b":{"bytes":"01ff"}}')
    expect(canonicalJson(JSON.parse('{"z":1,"__proto__":{"y":2}}'))).toBe('{"__proto__":{"y":2},"z":1}')
    expect(canonicalJson(undefined)).toBe('null')
  })
})

describe('sha256()', () => {
  it('agrees with Node for every length around the block borders', () => {
    for (let length = 0; length < 200; length++) {
      const data = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255)
      expect(hex(sha256(data))).toBe(createHash('sha256').update(data).digest('hex'))
    }
  })
  it('makes the HMAC of keys below, at and above the block size', () => {
    const data = new TextEncoder().encode('message')
    for (const length of [0, 1, 63, 64, 65, 200]) {
      const key = new Uint8Array(length).fill(length)
      expect(hex(hmacSha256(key, data))).toBe(createHmac('sha256', key).update(data).digest('hex'))
    }
  })
  it('hashes a trace by its lines', () => {
    expect(traceHash(['a', 'b'])).toBe(createHash('sha256').update('a\nb').digest('hex'))
  })
})
