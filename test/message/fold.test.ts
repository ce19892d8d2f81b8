// The model port: what of a model's events is kept and heard.
import { describe, expect, it } from 'vitest'
import { fold, foldEvent } from '../../src/message/fold.ts'
import type { Fold } from '../../src/message/fold.ts'

function play(...events: readonly unknown[]): Fold & { readonly heard: readonly unknown[] } {
  const into = fold()
  const heard = events.map((event) => foldEvent(into, event as never, 1)).filter(Boolean)
  return { ...into, heard }
}
const start = { type: 'tool-input-start', index: 0, callId: 'c', name: 'a' }
const circular = (): object => {
  const value: { self?: object } = {}
  return (value.self = value)
}

describe('events that break the contract are neither kept nor heard', () => {
  it.each([
    ['nothing', null],
    ['a text', 'finish'],
    ['an unknown type', { type: 'ping', id: '0', delta: 'x' }],
    ['a forged end', { type: 'run-end', status: 'done', stop: 'end' }],
    ['a type of the prototype', { type: 'constructor', id: '0' }],
    ['a delta of an unknown block', { type: 'text-delta', id: '9', delta: 'ghost' }],
    ['the end of an unknown block', { type: 'text-end', id: '9' }],
    ['a delta of an unknown call', { type: 'tool-input-delta', index: 9, delta: '{}' }],
    ['a block without an id', { type: 'text-start' }],
    ['a call without an index', { ...start, index: undefined }],
    ['a source that is none', { type: 'source', source: 5 }],
    ['a file without data or address', { type: 'file', file: { type: 'file', mediaType: 'image/png' } }],
    ['a source in the place of a file', { type: 'file', file: { type: 'source', url: 'x' } }],
    ['a result without a call id', { type: 'tool-result', name: 'a', ok: true, value: 1 }],
    ['a circular result', { type: 'tool-result', callId: 'c', name: 'a', ok: true, value: circular() }],
  ])('%s', (_, event) => {
    const { parts, heard, finish } = play(event)
    expect({ parts, heard, finish }).toEqual({ parts: [], heard: [], finish: undefined })
  })

  it('deltas that are no text, or of a block of another kind', () => {
    const text = { type: 'text-start', id: '0' }
    const { parts, heard } = play(
      text,
      { type: 'text-delta', id: '0', delta: {} },
      { type: 'text-delta', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'thought' },
      { type: 'text-delta', id: '0', delta: 'said' },
    )
    expect(parts).toEqual([{ type: 'text', text: 'said' }])
    expect(heard).toHaveLength(2)
  })

  it('anything after the finish', () => {
    const { parts, heard, finish } = play({ type: 'finish', reason: 'stop', usage: {} }, start, {
      type: 'finish',
      reason: 'length',
      usage: {},
    })
    expect({ parts, heard, finish }).toEqual({ parts: [], heard: [], finish: 'stop' })
  })
})

describe('fields that are not what they should be', () => {
  it('a call without a name has the empty one, one with an odd id has none', () => {
    expect(play({ ...start, name: 5, callId: 5, providerExecuted: 'yes' }).parts).toEqual([
      { type: 'call', index: 0, name: '', text: '' },
    ])
  })

  it.each([
    [{ reason: 'eos' }, { finish: 'unknown', rawFinish: 'eos', usage: {} }],
    [
      { reason: 'constructor', rawReason: 'own' },
      { finish: 'unknown', rawFinish: 'own', usage: {} },
    ],
    [
      { reason: 5, rawReason: 5, usage: null },
      { finish: 'unknown', rawFinish: undefined, usage: {} },
    ],
    [{ reason: 'unknown' }, { finish: 'unknown', rawFinish: undefined, usage: {} }],
    [
      { reason: 'stop', usage: { input: 'many', output: 2, total: NaN } },
      { finish: 'stop', rawFinish: undefined, usage: { output: 2 } },
    ],
  ])('the finish %j', (event, wanted) => {
    const { finish, rawFinish, usage } = play({ type: 'finish', ...event })
    expect({ finish, rawFinish, usage }).toEqual(wanted)
  })

  it('provider data is copied as JSON, or left out', () => {
    const signature = ['s']
    const { parts } = play(
      { type: 'text-start', id: '0', providerData: null },
      { type: 'text-start', id: '1', providerData: { p: circular() } },
      { type: 'text-start', id: '2', providerData: { p: { signature } } },
    )
    signature.push('changed')
    expect(parts).toEqual([
      { type: 'text', text: '' },
      { type: 'text', text: '' },
      { type: 'text', text: '', providerData: { p: { signature: ['s'] } } },
    ])
  })
})
