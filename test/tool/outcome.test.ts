// What of a tool's answer enters transcript and events.
import { describe, expect, it } from 'vitest'
import { toolOutcome } from '../../src/tool/outcome.ts'
import { fail, ok } from '../../src/tool/tool.ts'

const tool = { name: 'a', description: 'a' }
const outcome = (returned: unknown) => toolOutcome(returned, { tool, output: undefined })
const circular = (): never => {
  const value: { self?: object } = {}
  value.self = value
  return value as never
}

describe('parts', () => {
  it('are copied: what the tool changes later changes nothing', () => {
    const value = { n: 1 }
    const part = { type: 'json', value }
    const given = [part, { type: 'text', text: 'x', more: { deep: [value] } }]
    const { parts } = outcome(given)
    value.n = 2
    part.type = 'text'
    expect(parts).toEqual([
      { type: 'json', value: { n: 1 } },
      { type: 'text', text: 'x', more: { deep: [{ n: 1 }] } },
    ])
  })
  it.each([
    ['a bigint', [{ type: 'json', value: 1n }]],
    ['a cycle', [{ type: 'text', text: 'x', more: circular() }]],
    ['a function', [{ type: 'json', value: () => 1 }]],
    ['bytes for data', [{ type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2]) }]],
    ['provider data that is a text', [{ type: 'text', text: 'x', providerData: 'p' }]],
  ])('with %s are no output', (_, returned) => {
    expect(outcome(returned)).toMatchObject({ ok: false, reason: 'invalid-output' })
  })
  it('are not seen in a list of files that only looks like them', () => {
    const list = [{ type: 'file', mediaType: 'text/plain', name: 'a.txt' }]
    expect(outcome(list)).toMatchObject({ ok: true, parts: [{ type: 'json', value: list }] })
  })
})

describe('details', () => {
  it('are copied', () => {
    const details = { n: [1] }
    const made = [outcome(ok('x', { details })), outcome(fail('x', { details }))]
    details.n.push(2)
    for (const one of made) expect(one.details).toEqual({ n: [1] })
  })
  it('that are no JSON are left out', () => {
    for (const details of [circular(), 1n as never, (() => 1) as never]) {
      expect(outcome(ok('x', { details }))).toMatchObject({ ok: true, details: undefined })
      expect(outcome(fail('x', { details }))).toMatchObject({ ok: false, reason: 'failed', details: undefined })
    }
  })
})
