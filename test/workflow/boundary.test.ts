import { describe, expect, it } from 'vitest'
import { boundary } from '../../src/workflow/boundary.ts'
import { errorOf } from './kit.ts'

const person = {
  type: 'object',
  properties: { age: { type: 'integer' }, name: { type: 'string' } },
  required: ['age'],
}

describe('boundary()', () => {
  it('mends what coercion can mend, and says so', () => {
    expect(boundary(person)({ age: '50', name: 'Ada' })).toEqual({
      ok: true,
      value: { age: 50, name: 'Ada' },
      coercions: [{ path: '/age', from: 'string', to: 'number' }],
    })
  })

  it('says what does not fit', () => {
    const message = '/age: expected integer, received 50.5'
    expect(boundary(person)({ age: 50.5 })).toEqual({ ok: false, message })
    expect(boundary(person)(undefined)).toEqual({ ok: false, message: 'The value: expected object, received null' })
  })

  it('lets any JSON pass where there is no schema', () => {
    const check = boundary(undefined)
    expect(check({ a: [1] })).toEqual({ ok: true, value: { a: [1] }, coercions: [] })
    expect(check(undefined)).toEqual({ ok: true, value: null, coercions: [] })
    expect(check(1n)).toEqual({ ok: false, message: 'The value: expected JSON' })
    expect(check(() => 1)).toEqual({ ok: false, message: 'The value: expected JSON' })
  })

  it('gives a copy without keys named __proto__, of bounded depth', () => {
    const value = JSON.parse('{"a": {"__proto__": {"x": 1}, "b": 2}}') as { a: { b: number } }
    const passed = boundary(undefined)(value)
    value.a.b = 3
    expect(passed).toEqual({ ok: true, value: { a: { b: 2 } }, coercions: [] })
    let deep: unknown = 1
    for (let level = 0; level < 200; level++) deep = [deep]
    expect(boundary(undefined)(deep)).toMatchObject({ ok: false })
  })

  it('does not change a schema that is frozen, and refuses a bad one at once', () => {
    const frozen = Object.freeze({
      type: 'array',
      items: Object.freeze({ $ref: '#/$defs/n' }),
      $defs: { n: { type: 'number' } },
    })
    expect(boundary(frozen)(['1', 2])).toMatchObject({ ok: true, value: [1, 2] })
    expect(errorOf(() => boundary({ type: 7 })).code).toBe('schema-invalid')
  })
})
