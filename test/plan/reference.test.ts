import { describe, expect, it } from 'vitest'
import { referencesIn, resolveReference, resolveTemplate } from '../../src/plan/reference.ts'
import type { Template } from '../../src/plan/step.ts'

const values = { fetch: { items: [{ url: 'u0' }, { url: 'u1' }], total: 2, none: null }, text: 'words' }
const resolved = (template: Template, scope: object = {}) => resolveTemplate(template, { values, ...scope })
const said = (template: Template, scope: object = {}): string => {
  const result = resolved(template, scope)
  return result.ok ? `gave ${JSON.stringify(result.value)}` : result.message
}

describe('referencesIn()', () => {
  it('finds references at any depth, in order, and none in what is literal', () => {
    const template = {
      a: [{ $from: 'x' }],
      b: { c: { $item: true, path: 'y' } },
      d: { $value: { $from: 'z' } },
    } as const
    expect(referencesIn(template)).toEqual([{ $from: 'x' }, { $item: true, path: 'y' }])
    expect(referencesIn('text')).toEqual([])
    expect(referencesIn(undefined)).toEqual([])
  })
})

describe('resolveTemplate()', () => {
  it('puts values, and parts of them, in place of references', () => {
    const template = { all: { $from: 'fetch', path: 'items.1' }, n: [{ $from: 'fetch', path: 'total' }], no: null }
    expect(resolved(template)).toEqual({ ok: true, value: { all: { url: 'u1' }, n: [2], no: null } })
    expect(resolved({ $from: 'text' })).toEqual({ ok: true, value: 'words' })
    expect(resolved({ $from: 'text', path: '' })).toEqual({ ok: true, value: 'words' })
    expect(resolved({ $from: 'fetch', path: 'none' })).toEqual({ ok: true, value: null })
  })

  it('puts the item of a step with forEach in its place', () => {
    expect(resolved({ url: { $item: true, path: 'url' } }, { item: { url: 'u' } })).toEqual({
      ok: true,
      value: { url: 'u' },
    })
    expect(resolved({ $item: true }, { item: 0 })).toEqual({ ok: true, value: 0 })
    expect(said({ $item: true })).toBe('Cannot take the item: there is no item')
    expect(said({ $item: true, path: 'a.b' }, { item: { a: 1 } })).toBe(
      'Cannot take "a.b" of the item: expected "b" at "a", got a value of type number',
    )
  })

  it('takes what stands in $value as it is', () => {
    expect(resolved({ a: { $value: { $from: 'fetch' } } })).toEqual({ ok: true, value: { a: { $from: 'fetch' } } })
    expect(resolved({ $value: { $value: 1 } as never })).toEqual({ ok: true, value: { $value: 1 } })
    expect(resolved({ $value: null })).toEqual({ ok: true, value: null })
  })

  it('shares nothing with the template or the values', () => {
    const literal = { list: [1] }
    const template: Template = { value: { $from: 'fetch', path: 'items' }, raw: { $value: literal }, own: literal }
    const result = resolved(template)
    const made = (result.ok ? result.value : {}) as {
      value: unknown[]
      raw: { list: number[] }
      own: { list: number[] }
    }
    made.value.push('more')
    made.raw.list.push(2)
    made.own.list.push(3)
    expect(values.fetch.items).toHaveLength(2)
    expect(literal).toEqual({ list: [1] })
  })

  it('says what was wanted, where, and what came', () => {
    expect(said({ $from: 'gone' })).toBe('Cannot take step "gone": the step has no value')
    expect(said({ $from: 'fetch', path: 'rows' })).toBe(
      'Cannot take "rows" of step "fetch": expected "rows" in it, got an object with "items", "total", "none"',
    )
    expect(said({ $from: 'fetch', path: 'items.5.url' })).toBe(
      'Cannot take "items.5.url" of step "fetch": expected "5" at "items", got a list of 2',
    )
    expect(said({ $from: 'fetch', path: 'none.x' })).toBe(
      'Cannot take "none.x" of step "fetch": expected "x" at "none", got null',
    )
    expect(said({ $from: 'a', path: 'x' }, { values: { a: {} } })).toContain('got an object without keys')
    expect(resolved([{ $from: 'text' }, { $from: 'gone', path: 'x' }, { $from: 'also' }])).toMatchObject({
      ok: false,
      reference: { $from: 'gone', path: 'x' },
    })
  })

  it('finds nothing that is inherited', () => {
    for (const key of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(said({ $from: key })).toBe(`Cannot take step "${key}": the step has no value`)
      expect(said({ $from: 'fetch', path: key })).toContain(`expected "${key}" in it`)
      expect(said({ $from: 'fetch', path: `items.${key}` })).toContain(`expected "${key}" at "items"`)
      expect(said({ $from: 'text', path: key })).toContain('got a value of type string')
    }
    expect(said({ $from: 'a', path: 'x' }, { values: { a: Object.create({ x: 1 }) } })).toContain('expected "x"')
  })

  it('knows only places in lists and nothing in texts', () => {
    for (const key of ['length', '-1', '01', '1e0', '', ' 1']) {
      expect(said({ $from: 'fetch', path: `items.${key}` })).toContain('got a list of 2')
    }
    expect(said({ $from: 'text', path: '0' })).toContain('got a value of type string')
    expect(said({ $from: 'text', path: 'length' })).toContain('got a value of type string')
  })

  it('keeps __proto__ as data, in templates and in values', () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":1}}') as Template
    const scope = { values: { a: hostile } }
    expect(JSON.stringify(resolved({ mine: hostile, theirs: { $from: 'a' } }, scope))).toBe(
      '{"ok":true,"value":{"mine":{"__proto__":{"polluted":1}},"theirs":{"__proto__":{"polluted":1}}}}',
    )
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined)
  })

  it('makes JSON of values that tools made otherwise, and refuses those that are none', () => {
    const circle: unknown[] = []
    circle.push(circle)
    expect(said({ $from: 'a' }, { values: { a: { at: new Date(0), gone: undefined } } })).toBe(
      'gave {"at":"1970-01-01T00:00:00.000Z"}',
    )
    expect(said({ $from: 'a' }, { values: { a: circle } })).toBe(
      'Cannot take step "a": expected JSON, got a value of type array',
    )
    expect(said({ $from: 'a', path: 'f' }, { values: { a: { f: () => 1 } } })).toContain('a value of type function')
  })
})

describe('resolveReference()', () => {
  it('gives the list that forEach refers to', () => {
    expect(resolveReference({ $from: 'fetch', path: 'items' }, { values })).toEqual({
      ok: true,
      value: values.fetch.items,
    })
  })
})
