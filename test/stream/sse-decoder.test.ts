import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sseDecoder, type SseOptions } from '../../src/stream/sse-decoder.ts'
import { encodeSse } from '../../src/stream/sse-encoder.ts'

const encoder = new TextEncoder()

type Plain = { event: string; data: string; id: string }

function decode(
  chunks: readonly (string | Uint8Array)[],
  options: SseOptions = {},
): { events: Plain[]; left: Plain | undefined } {
  const events: Plain[] = []
  const plain = ({ event, data, id }: Plain): Plain => ({ event, data, id })
  const decoder = sseDecoder((event) => void events.push(plain(event)), options)
  for (const chunk of chunks) decoder.push(typeof chunk === 'string' ? encoder.encode(chunk) : chunk)
  const left = decoder.end()
  return { events, left: left && plain(left) }
}

const data = (chunks: readonly (string | Uint8Array)[]): string[] => decode(chunks).events.map((event) => event.data)

const bytes = (...codes: number[]): Uint8Array => Uint8Array.from(codes)

describe('sseDecoder()', () => {
  it('ends lines at LF, CR and CRLF, mixed in one stream', () => {
    expect(data(['data: 1\n\ndata: 2\r\rdata: 3\r\n\r\ndata: 4\r\n\ndata: 5\n\r\n'])).toEqual(['1', '2', '3', '4', '5'])
  })

  it('takes a CRLF cut between its two bytes as one line end', () => {
    expect(data(['data: a\r', '\ndata: b\r', '\n\r', '\n', 'data: c\r', '\n\r', '\n'])).toEqual(['a\nb', 'c'])
  })

  it('joins data lines with LF and keeps empty ones', () => {
    expect(data(['data: a\ndata\ndata:b\ndata: \n\n'])).toEqual(['a\n\nb\n'])
  })

  it('strips one leading blank of a value and no more', () => {
    expect(data(['data:  two\n\ndata:\tx\n\n'])).toEqual([' two', '\tx'])
  })

  it('skips comments and unknown fields, and events without data', () => {
    expect(decode([': hello\nfoo: bar\n\nevent: only\n\ndata: x\n\n']).events).toEqual([
      { event: 'message', data: 'x', id: '' },
    ])
  })

  it('gives an event with an empty data line, for its reader to judge', () => {
    expect(decode(['event: ping\ndata: \n\ndata:\n\n']).events).toEqual([
      { event: 'ping', data: '', id: '' },
      { event: 'message', data: '', id: '' },
    ])
  })

  it('keeps the last id over events and ignores one with NUL', () => {
    const { events } = decode(['id: 7\ndata: a\n\ndata: b\n\nid: 8\0\ndata: c\n\nid\ndata: d\n\n'])
    expect(events.map((event) => event.id)).toEqual(['7', '7', '7', ''])
  })

  it('tells the reconnection time only where it is digits', () => {
    const times: number[] = []
    decode(['retry: 1500\nretry: 1e3\nretry: -1\nretry:\n\n'], { onRetry: (ms) => void times.push(ms) })
    expect(times).toEqual([1500])
  })

  it('drops one byte order mark at the start, cut or after an empty chunk, and no other', () => {
    const mark = [0xef, 0xbb, 0xbf]
    const line = encoder.encode('data: 1\n\n\ufeffdata: lost\n\ndata: 2\n\n')
    const cut = [bytes(0xef), bytes(0xbb), Uint8Array.from([0xbf, ...line])]
    for (const chunks of [[Uint8Array.from([...mark, ...line])], cut, [bytes(), bytes(...mark), line]]) {
      expect(data(chunks)).toEqual(['1', '2'])
    }
  })

  it('keeps characters whole wherever their bytes are cut', () => {
    const text = 'data: 山é👩‍👧\n\n'
    const whole = encoder.encode(text)
    for (let at = 0; at <= whole.length; at++) expect(data([whole.slice(0, at), whole.slice(at)])).toEqual(['山é👩‍👧'])
    expect(data(Array.from(whole, (byte) => bytes(byte)))).toEqual(['山é👩‍👧'])
  })

  it('hands the event without its blank line to end(), and does not call it an event', () => {
    expect(decode(['data: a\n\nid: 1\ndata: b\ndata: c'])).toEqual({
      events: [{ event: 'message', data: 'a', id: '' }],
      left: { event: 'message', data: 'b\nc', id: '1' },
    })
    expect(decode(['data: a\n\n: x']).left).toBeUndefined()
  })

  it('refuses an event longer than the limit, whether in one line, in many or in one chunk', () => {
    const tooLarge = { code: 'stream-too-large', data: { limit: 10 } }
    const many = Array.from({ length: 9 }, () => 'data: x\n')
    for (const chunks of [['data: 12345', '67890', '1'], many, ['data: 1234567890\n\n']]) {
      expect(() => decode(chunks, { maxEventChars: 10 })).toThrow(expect.objectContaining(tooLarge))
    }
    const endless = sseDecoder(() => {}, { maxEventChars: 10 })
    expect(() => endless.push(encoder.encode('data: 123456'))).toThrow(expect.objectContaining(tooLarge))
    expect(decode(['data: 1\n\ndata: 2\n\ndata: 3\n\n'], { maxEventChars: 10 }).events).toHaveLength(3)
  })

  it('does linear work on one event of many small chunks', () => {
    const time = (chunks: number): number => {
      const piece = encoder.encode('a'.repeat(64))
      const started = performance.now()
      let length = 0
      const decoder = sseDecoder((event) => void (length = event.data.length))
      decoder.push(encoder.encode('data: '))
      for (let index = 0; index < chunks; index++) decoder.push(piece)
      decoder.push(encoder.encode('\n\n'))
      expect(length).toBe(chunks * 64)
      return performance.now() - started
    }
    time(1000)
    // Quadratic work would take sixteen times as long or more; ten times slack on twice the work holds against that only.
    expect(time(160_000)).toBeLessThan(20 * time(80_000) + 1000)
  })

  it('decodes any stream the same, however it is cut', () => {
    const fragment = fc.constantFrom(
      'data: x',
      'data',
      ':c',
      'id: 3',
      'event: e',
      'retry: 5',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      'é',
      '👍',
      '\ufeff',
      ' ',
    )
    fc.assert(
      fc.property(
        fc.array(fragment, { maxLength: 30 }),
        fc.array(fc.nat(120), { maxLength: 12 }),
        (fragments, cuts) => {
          const whole = encoder.encode(fragments.join(''))
          const bounds = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
          const chunks = bounds.slice(1).map((end, index) => whole.slice(bounds[index], end))
          expect(decode(chunks)).toEqual(decode([whole]))
        },
      ),
      { numRuns: 300, seed: 7 },
    )
  })
})

describe('encodeSse()', () => {
  it('writes what the decoder reads back', () => {
    const text = encodeSse({ id: '4', event: 'delta', data: 'a\nb\r\nc\rd', retry: 100, comment: 'hold\non' })
    expect(decode([text]).events).toEqual([{ event: 'delta', data: 'a\nb\nc\nd', id: '4' }])
    expect(text).toContain(': hold\n: on\n')
    expect(text).toContain('retry: 100\n')
  })

  it('lets no line break out of a one-line field', () => {
    expect(decode([encodeSse({ id: '1\ndata: forged', event: 'x\r\ndata: forged', data: 'real' })]).events).toEqual([
      { event: 'x  data: forged', data: 'real', id: '1 data: forged' },
    ])
  })

  it('writes empty data as an event', () => {
    expect(decode([encodeSse({ data: '' })]).events).toEqual([{ event: 'message', data: '', id: '' }])
  })
})
