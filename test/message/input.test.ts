// What a caller may hand in as the conversation.
import { describe, expect, it } from 'vitest'
import { inputMessages } from '../../src/message/input.ts'

const user = (part: unknown): unknown => [{ role: 'user', content: [part] }]
const file = { type: 'file', mediaType: 'image/png' }
const text = { type: 'text', text: 'x' }

describe('messages', () => {
  it.each([
    ['a hole', Array(1), 'messages[0]: "role" must be'],
    ['a hole for a part', [{ role: 'user', content: Array(1) }], 'messages[0].content[0]: "type" must be'],
    ['a file without data or url', user(file), '"data or url" must be string, got nothing'],
    ['a file with bytes', user({ ...file, data: new Uint8Array(1) }), '"data" must be string or undefined'],
    ['a bigint', user({ type: 'json', value: 1n }), '"value" must be value, got bigint'],
    ['a function', user({ type: 'json', value: () => 1 }), '"value" must be value, got function'],
    ['a bigint where nobody looks', user({ ...text, more: [1n] }), 'messages[0]: "message" must be value'],
    ['provider data that is no object', user({ ...text, providerData: 'x' }), '"providerData" must be object or'],
    ['provider data that is null', user({ ...text, providerData: null }), '"providerData" must be object or'],
    ['provider data with a bigint', user({ ...text, providerData: { p: 1n } }), '"message" must be value'],
  ])('with %s are refused', (_, input, message) => {
    expect(() => inputMessages(input as never)).toThrow(
      expect.objectContaining({ code: 'run-invalid-input', message: expect.stringContaining(message) }),
    )
  })

  it('are taken as they are, not copied', () => {
    const input = user({ ...file, url: 'https://a.example/x.png', name: 'x' })
    expect(inputMessages(input as never)).toBe(input)
  })
})
