import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Hot, jsonEvents } from '../../src/stream/json-events.ts'
import type { Wild } from '../../src/json/wild.ts'

const encoder = new TextEncoder()

const hot = (payload: Wild | undefined): Hot | undefined => {
  const delta = payload?.d
  return delta && typeof delta.text === 'string' ? [delta, 'text'] : undefined
}

/** What came, and how many payloads were the one before with another string. */
function read(chunks: readonly (string | Uint8Array)[], useHot = true): { said: string[]; reused: number } {
  const said: string[] = []
  let last: unknown
  let reused = 0
  const reader = jsonEvents(
    (payload, name) => {
      if (payload === last) reused++
      last = payload
      said.push(`${name} ${JSON.stringify(payload)}`)
    },
    { ...(useHot && { hot }), onText: (data) => data === '[DONE]' },
  )
  for (const chunk of chunks) reader.push(typeof chunk === 'string' ? encoder.encode(chunk) : chunk)
  reader.end()
  return { said, reused }
}

const event = (text: string, more = ''): string =>
  `event: x\ndata: {"id":"r1","d":{"text":${JSON.stringify(text)}}${more}}\n\n`

describe('jsonEvents()', () => {
  it('takes events that differ in one string only from a template after three, in one chunk or in many', () => {
    const texts = ['Hel', 'lo', '!', ' "quoted"', '\\u00e9\n', '', 'é👍', '\u2028']
    const expected = texts.map((text) => `x ${JSON.stringify({ id: 'r1', d: { text } })}`)
    expect(read([texts.map((text) => event(text)).join('')])).toEqual({ said: expected, reused: texts.length - 3 })
    expect(read(texts.map((text) => event(text)))).toEqual({ said: expected, reused: texts.length - 3 })
  })

  it('takes padded events from a template too', () => {
    const padded = ['a', 'b', 'c', 'd', 'e'].map((text, index) =>
      event(text).replace('}}', `}${' '.repeat(index)}}${' '.repeat(index * 3)}`),
    )
    expect(read(padded)).toMatchObject({ said: { length: 5 }, reused: 2 })
  })

  it('does not take a blank line with blanks in it for the end of an event', () => {
    // The line of one blank is an unknown field: the event goes on, and its two data lines together are no JSON.
    const chunks = [event('a'), event('a'), event('a'), event('b').replace('\n\n', '\n \n'), event('c')]
    for (const useHot of [true, false])
      expect(() => read(chunks, useHot)).toThrow(expect.objectContaining({ code: 'stream-invalid' }))
  })

  it('reads everything as JSON.parse does, whatever stands around the string', () => {
    const tricky = [
      event('a', ',"d2":{"text":"a"}'),
      event('b', ',"d2":{"text":"b"}'),
      'data: {"d":{"text":"x"},"e":"y"}\n\n',
      'data: {"d":{"text":"x"},"e":"z"}\n\n',
      'data: {"d":{"text":"\\u0078"}}\n\n',
      'data: {"d":{"text":"\\ud83d"}}\n\n',
      'data: {"d":{"text":"\\ud83d\\ude00"}}\n\n',
      'data: {"x\\"text":"q","d":{"text":"q"}}\n\n',
      'data: {"x\\"text":"r","d":{"text":"q"}}\n\n',
      'data: {"text":"t","d":{"text":"t"},"text":"u"}\n\n',
      'data: {"d":{"text":"first"},"d":{"text":"second"}}\n\n',
      'data: {"d":{"text":"first"},"d":{"text":"third"}}\n\n',
      'data: {"d":\ndata: {"text":"two lines"}}\n\n',
      ': {"d":{"text":"k"}}\ndata: {"d":{"text":"k"}}\n\n',
      ': {"d":{"text":"k"}}\ndata: {"d":{"text":"l"}}\n\n',
      ': {"d":{"text":"l"}}\ndata: {"d":{"text":"k"}}\n\n',
      'data: {"d":{"text":"m"}}\nid: "m"\n\n',
      'data: {"d":{"text":"m"}}\nid: "n"\n\n',
      'data: {"d":{"text":"o"}}\r\n\r\n',
      'data: {"d":{"text":"p"}}\r\n\r\n',
    ]
    expect(read(tricky).said).toEqual(read(tricky, false).said)
    for (const left of tricky) {
      for (const right of tricky) {
        const both = [left.repeat(3) + right]
        expect(read(both).said).toEqual(read(both, false).said)
      }
    }
  })

  it('gives the same payloads as plain parsing for any strings and any cuts', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '\\', '\\"}}', 'a"}}\n\ndata: {', 'r1', '', '\u0000'),
    )
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), fc.array(fc.nat(400), { maxLength: 10 }), (texts, cuts) => {
        const whole = encoder.encode(texts.map((one) => event(one)).join(''))
        const bounds = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
        const chunks = bounds.slice(1).map((end, index) => whole.slice(bounds[index], end))
        const expected = texts.map(
          (one) => `x ${JSON.stringify({ id: 'r1', d: { text: JSON.parse(JSON.stringify(one)) } })}`,
        )
        expect(read(chunks).said).toEqual(expected)
      }),
      { numRuns: 100, seed: 5 },
    )
  })

  it('refuses control characters in strings, as JSON does, on the short way too', () => {
    const invalid = event('a').replace('"a"', '"a\tb"')
    expect(() => read([event('x'), event('x'), event('x'), invalid])).toThrow(
      expect.objectContaining({ code: 'stream-invalid', retryable: true }),
    )
    expect(() => read([event('x'), event('a').replace('"a"', '"\\q"')])).toThrow(
      expect.objectContaining({ code: 'stream-invalid' }),
    )
  })

  it('skips empty data and known text', () => {
    expect(read(['data: \n\ndata\n\ndata:  \n\ndata: {"a":1}\n\ndata: [DONE]\n\n']).said).toEqual(['message {"a":1}'])
  })

  it('takes a last event that lacks its blank line only if it is whole', () => {
    expect(read(['data: {"a":1}']).said).toEqual(['message {"a":1}'])
    expect(read(['data: {"a":1}\n']).said).toEqual(['message {"a":1}'])
    expect(read(['data: {"b":2}\n\ndata: {"a":']).said).toEqual(['message {"b":2}'])
  })

  it('goes on learning as long as it helps', () => {
    const group = (index: number): string[] => Array.from({ length: 5 }, () => event('a', `,"group":${index}`))
    const { reused } = read(Array.from({ length: 40 }, (_, index) => group(index)).flat())
    expect(reused).toBeGreaterThan(100)
  })

  it('gives up learning where every event differs in more than the string, and still reads all', () => {
    const events = Array.from({ length: 40 }, (_, index) => event('a', `,"pad":"${'x'.repeat(index)}"`))
    expect(read(events)).toMatchObject({ said: { length: 40 }, reused: 0 })
  })
})
