import { describe, expect, it } from 'vitest'
import * as v from 'valibot'
import { issueText } from '../../src/schema/issue.ts'
import { expectation } from '../../src/schema/keywords.ts'
import { toSchema } from '../../src/schema/standard.ts'
import { withJsonSchema } from '../../src/schema/valibot.ts'

function textFor(source: Parameters<typeof withJsonSchema>[0], value: unknown): string {
  const schema = toSchema(withJsonSchema(source), 'input')
  const checked = schema.check(value)
  if (checked.ok) throw new Error('The value fits')
  return issueText(checked.issues, value, expectation(schema.json))
}

describe('issueText()', () => {
  it('says where, what was expected and what came', () => {
    expect(
      textFor(v.object({ items: v.array(v.object({ count: v.pipe(v.number(), v.integer()) })) }), {
        items: [{ count: 'abc' }],
      }),
    ).toBe('/items/0/count: expected integer, received "abc"')
    expect(textFor(v.object({ unit: v.picklist(['C', 'F']) }), { unit: 'K' })).toBe(
      '/unit: expected "C" or "F", received "K"',
    )
    expect(textFor(v.object({ city: v.string() }), {})).toBe('/city: expected string, received nothing')
    expect(textFor(v.object({ a: v.array(v.string()) }), { a: 5 })).toBe('/a: expected array of string, received 5')
    expect(textFor(v.string(), null)).toBe('The value: expected string, received null')
    expect(textFor(v.nullable(v.number()), 'x')).toBe('The value: expected number or null, received "x"')
  })

  it('uses the words of the validator where type and choice are right', () => {
    expect(textFor(v.object({ n: v.pipe(v.number(), v.maxValue(10, 'Expected at most 10.')) }), { n: 11 })).toBe(
      '/n: Expected at most 10, received 11',
    )
  })

  it('shows objects and lists as JSON and cuts long text', () => {
    expect(textFor(v.object({ s: v.string() }), { s: { a: 1, b: 2 } })).toBe(
      '/s: expected string, received {"a":1,"b":2}',
    )
    expect(textFor(v.object({ s: v.string() }), { s: [1, 2, 3] })).toBe('/s: expected string, received [1,2,3]')
    const long = textFor(v.object({ n: v.number() }), { n: '😀'.repeat(500) })
    expect(long.length).toBeLessThan(130)
    expect(encodeURIComponent(long)).toContain('%F0%9F%98%80')
  })

  it('lists at most eight and counts the rest', () => {
    const lines = textFor(v.array(v.number()), Array(20).fill('x')).split('\n')
    expect(lines).toHaveLength(9)
    expect(lines[8]).toBe('12 more')
  })
})
