import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isRemembered, keyOf, serverKey, setKey } from '../../../web-demo/state/keys.ts'
import { allKept, isAnythingKept, keptChat } from '../../../web-demo/state/kept.ts'
import { keyNameOf, missingIn } from '../../../web-demo/state/settings.ts'

let stored: Record<string, string>

beforeEach(() => {
  stored = {}
  const methods = {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, text: string) => void (stored[key] = text),
    removeItem: (key: string) => void delete stored[key],
  }
  const storage = new Proxy(methods, {
    ownKeys: () => Object.keys(stored),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
  vi.stubGlobal('localStorage', storage)
})
afterEach(() => vi.unstubAllGlobals())

describe('the key of a server', () => {
  it('belongs to its origin: scheme, host and port', () => {
    const mine = serverKey('https://api.example.com/v1')
    setKey(mine, 'sk-1', { remember: false })
    expect(keyOf(serverKey('https://api.example.com/other'))).toBe('sk-1')
    for (const other of [
      'http://api.example.com/v1',
      'https://api.example.com.evil.test/v1',
      'https://api.example.com:8443',
      'x',
      '',
    ])
      expect(keyOf(serverKey(other))).toBe('')
    expect(keyNameOf({ provider: 'openai', baseUrl: '' })).toBe('openai https://api.openai.com')
  })

  it('is remembered for that server only', () => {
    setKey(serverKey('https://a.test'), 'sk-a', { remember: true })
    expect([isRemembered(serverKey('https://a.test')), isRemembered(serverKey('https://b.test'))]).toEqual([
      true,
      false,
    ])
    expect(Object.keys(stored)).toEqual(['sameloop.key.openai https://a.test'])
  })
})

describe('missingIn()', () => {
  it('wants an address that a key can belong to', () => {
    const model = { provider: 'openai', model: 'm' } as const
    expect(missingIn({ ...model, baseUrl: '' }, '')).toBeUndefined()
    expect(missingIn({ ...model, baseUrl: 'http://127.0.0.1:11434/v1' }, '')).toBeUndefined()
    for (const baseUrl of ['127.0.0.1', 'ftp://a.test', 'https://', 'https://[', 'javascript:0'])
      expect(missingIn({ ...model, baseUrl }, '')).toMatch(/^The address/)
  })
})

describe('keptChat()', () => {
  const kept = { version: 1, id: 'x', at: 1, place: 'here', title: '' }
  const chat = { version: 1, id: 'x', records: [{ type: 'user', id: 'u', text: 'hi' }], messages: [], running: false }
  const keep = (value: unknown): void => void (stored['sameloop.session.x'] = JSON.stringify(value))

  it('gives what fits, without the records that do not', () => {
    keep({ ...kept, chat: { ...chat, records: [null, ...chat.records, { type: 'event' }] } })
    expect(keptChat('x')?.chat?.records).toEqual(chat.records)
    expect(allKept()).toHaveLength(1)
  })

  it.each<readonly [string, unknown]>([
    ['another id', { ...kept, id: 'y' }],
    ['no time', { ...kept, at: null }],
    ['files that are a list of numbers', { ...kept, files: [5] }],
    ['a session without a name', { ...kept, place: 'worker', session: '' }],
    ['messages that are none', { ...kept, chat: { ...chat, messages: [{ role: 'user' }] } }],
    ['a snapshot in words', { ...kept, chat: { ...chat, snapshot: 'x' } }],
  ])('gives nothing where there is %s', (_, value) => {
    keep(value)
    expect([keptChat('x'), isAnythingKept('x'), allKept()]).toEqual([undefined, true, []])
  })
})
