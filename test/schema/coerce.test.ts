import { describe, expect, it } from 'vitest'
import { settle } from '../../src/schema/coerce.ts'
import type { Coercing, Settled } from '../../src/schema/coerce.ts'
import { findProblems } from '../../src/schema/keywords.ts'
import type { JsonSchema, Schema } from '../../src/schema/schema.ts'

/** A schema whose validator is the keyword check itself, so that only coercion is under test. */
function schemaOf(json: JsonSchema): Schema {
  return {
    json,
    check: (value) => {
      const issues = findProblems(json, value)
      return issues.length === 0 ? { ok: true, value } : { ok: false, issues }
    },
  }
}

const run = (json: JsonSchema, value: unknown, coerce?: Coercing): Settled => settle(schemaOf(json), value, coerce)

function jsonOf(settled: Settled): unknown {
  if (!settled.ok) throw new Error(JSON.stringify(settled.issues))
  return settled.json
}

const object = (properties: object, required: string[] = []): JsonSchema => ({ type: 'object', properties, required })

describe('settle()', () => {
  it('leaves a value that fits as it is, and the same object', () => {
    const value = { a: 1, more: [null] }
    const settled = run(object({ a: { type: 'number' } }), value)
    expect(settled).toEqual({ ok: true, json: value, value, coercions: [], dropped: [] })
    expect(jsonOf(settled)).toBe(value)
  })

  it('makes numbers of numeric strings and says so', () => {
    const settled = run(object({ n: { type: 'number' }, i: { type: 'integer' } }), { n: ' 50.0 ', i: '50' })
    expect(settled).toMatchObject({
      ok: true,
      json: { n: 50, i: 50 },
      coercions: [
        { path: '/n', from: 'string', to: 'number' },
        { path: '/i', from: 'string', to: 'number' },
      ],
    })
    expect(jsonOf(run({ type: 'integer' }, '50.0'))).toBe(50)
    expect(jsonOf(run({ type: 'number' }, '-1.5e-3'))).toBe(-0.0015)
    expect(Object.is(jsonOf(run({ type: 'number' }, '-0')), 0)).toBe(true)
  })

  it('makes no number of other strings', () => {
    for (const text of [
      '',
      ' ',
      '0x10',
      '1e999',
      '9007199254740993',
      '1_000',
      '1,000',
      '007',
      '+5',
      '.5',
      'NaN',
      'Infinity',
      '5 apples',
    ]) {
      expect(run({ type: 'number' }, text).ok, text).toBe(false)
    }
  })

  it('never rounds a fraction to an integer', () => {
    expect(run({ type: 'integer' }, 50.5).ok).toBe(false)
    expect(run({ type: 'integer' }, '50.5').ok).toBe(false)
  })

  it('makes booleans of true, false, 1 and 0 only where a boolean is wanted', () => {
    const flag = { type: 'boolean' }
    expect(['true', 'false', 1, 0].map((value) => jsonOf(run(flag, value)))).toEqual([true, false, true, false])
    for (const value of ['yes', 'TRUE', '1', 2, null, '']) expect(run(flag, value).ok).toBe(false)
    expect(jsonOf(run({ type: ['boolean', 'number'] }, 1))).toBe(1)
    expect(jsonOf(run({ type: 'string' }, 'true'))).toBe('true')
  })

  it('reads JSON out of a string only where an object or a list is wanted', () => {
    expect(jsonOf(run(object({ list: { type: 'array' } }), { list: '[1, 2]' }))).toEqual({ list: [1, 2] })
    expect(jsonOf(run(object({ a: { type: 'number' } }), '{"a":"1"}'))).toEqual({ a: 1 })
    expect(jsonOf(run({ type: 'string' }, '{"a":1}'))).toBe('{"a":1}')
    expect(run({ type: 'array' }, '{"a":1}').ok).toBe(false)
    expect(run({ type: 'object' }, '{"a":').ok).toBe(false)
    expect(run({ type: 'object' }, 'plain').ok).toBe(false)
  })

  it('leaves out a null where the property is optional and forbids it', () => {
    const json = object({ a: { type: 'string' }, b: { type: ['string', 'null'] }, c: { type: 'string' } }, ['c'])
    expect(run(json, { a: null, b: null, c: 'x' })).toMatchObject({
      ok: true,
      json: { b: null, c: 'x' },
      coercions: [{ path: '/a', from: 'null', to: 'omitted' }],
    })
    expect(run(json, { c: null })).toMatchObject({ ok: false, coercions: [] })
  })

  it('keeps what is omitted omitted', () => {
    expect(jsonOf(run(object({ a: { type: 'string', default: 'x' } }), {}))).toEqual({})
  })

  it('makes strings of numbers and lists of single values only when loose', () => {
    const json = object({ s: { type: 'string' }, l: { type: 'array', items: { type: 'number' } } })
    expect(run(json, { s: 5 }).ok).toBe(false)
    expect(run(json, { l: 1 }).ok).toBe(false)
    expect(jsonOf(run(json, { s: 5, l: '1' }, 'loose'))).toEqual({ s: '5', l: [1] })
    expect(run(json, { l: null, s: true }, 'loose').ok).toBe(false)
  })

  it('changes nothing when strict', () => {
    expect(run({ type: 'number' }, '5', 'strict')).toMatchObject({ ok: false, coercions: [] })
  })

  it('leaves a union alone when a branch takes the value as it is', () => {
    expect(jsonOf(run({ anyOf: [{ type: 'number' }, { type: 'string' }] }, '50'))).toBe('50')
    expect(jsonOf(run({ type: ['number', 'string'] }, '50'))).toBe('50')
    const json = object({ either: { anyOf: [{ type: 'number' }, { type: 'string' }] }, n: { type: 'number' } })
    expect(jsonOf(run(json, { either: '50', n: '1' }))).toEqual({ either: '50', n: 1 })
  })

  it('takes the first branch of a union that accepts after coercion', () => {
    expect(jsonOf(run({ anyOf: [{ type: 'number' }, { type: 'null' }] }, '50'))).toBe(50)
    const shapes = {
      oneOf: [
        object({ kind: { const: 'circle' }, r: { type: 'number' } }, ['kind', 'r']),
        object({ kind: { const: 'square' }, side: { type: 'number' } }, ['kind', 'side']),
      ],
    }
    expect(run(shapes, { kind: 'square', side: '2' })).toMatchObject({
      ok: true,
      json: { kind: 'square', side: 2 },
      coercions: [{ path: '/side', from: 'string', to: 'number' }],
    })
    expect(run(shapes, { kind: 'oval', side: '2' })).toMatchObject({ ok: false, coercions: [] })
  })

  it('goes into items, tuples, additional properties, allOf and references', () => {
    const json = {
      ...object({
        list: { type: 'array', items: { $ref: '#/$defs/count' } },
        pair: { type: 'array', prefixItems: [{ type: 'boolean' }], items: { type: 'number' } },
        map: { type: 'object', additionalProperties: { type: 'number' } },
        both: { allOf: [object({ x: { type: 'number' } }), object({ y: { type: 'number' } })] },
      }),
      $defs: { count: { type: 'integer' } },
    }
    expect(
      jsonOf(run(json, { list: ['1', 2], pair: ['true', '1'], map: { k: '3' }, both: { x: '1', y: '2' } })),
    ).toEqual({
      list: [1, 2],
      pair: [true, 1],
      map: { k: 3 },
      both: { x: 1, y: 2 },
    })
  })

  it('coerces towards a choice of numbers without a type', () => {
    expect(jsonOf(run({ enum: [1, 2] }, '2'))).toBe(2)
    expect(jsonOf(run({ const: 5 }, '5'))).toBe(5)
    expect(run({ enum: [1, 2] }, '3').ok).toBe(false)
  })

  it('touches only what failed', () => {
    const json = object({ a: { type: 'number' }, b: { type: 'string' } })
    expect(run(json, { a: '1', b: '1' })).toMatchObject({ json: { a: 1, b: '1' }, coercions: [{ path: '/a' }] })
  })

  it('does not look at a value the validator takes, whatever its JSON Schema says', () => {
    const schema: Schema = { json: { type: 'number' }, check: (value) => ({ ok: true, value: Number(value) }) }
    expect(settle(schema, '5')).toEqual({ ok: true, json: '5', value: 5, coercions: [], dropped: [] })
  })

  it('gives the issues of the second check, with what was coerced', () => {
    const settled = run(object({ a: { type: 'number' }, b: { type: 'number' } }), { a: '1', b: 'x' })
    expect(settled).toEqual({
      ok: false,
      issues: [{ path: ['b'], message: 'Expected number' }],
      coercions: [{ path: '/a', from: 'string', to: 'number' }],
    })
  })

  it('never changes the value it was given', () => {
    const value = Object.freeze({ a: '1', b: Object.freeze(['2']), c: null })
    const json = object({
      a: { type: 'number' },
      b: { type: 'array', items: { type: 'number' } },
      c: { type: 'string' },
    })
    expect(jsonOf(run(json, value))).toEqual({ a: 1, b: [2] })
    expect(value).toEqual({ a: '1', b: ['2'], c: null })
  })

  it('drops __proto__ at any depth, reports it, and pollutes nothing', () => {
    const value = JSON.parse(
      '{"__proto__":{"x":1},"a":{"__proto__":{"y":1},"k":1},"l":[{"__proto__":2}],"constructor":{"prototype":{"z":1}}}',
    )
    const settled = run({ type: 'object' }, value)
    expect(settled).toMatchObject({ ok: true, dropped: ['/__proto__', '/a/__proto__', '/l/0/__proto__'] })
    const json = jsonOf(settled) as Record<string, Record<string, unknown>>
    expect(JSON.stringify(json)).toBe('{"a":{"k":1},"l":[{}],"constructor":{"prototype":{"z":1}}}')
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(json['a'])).toBe(Object.prototype)
    expect(['x', 'y', 'z'].some((key) => key in {})).toBe(false)
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
  })

  it('drops __proto__ also from JSON inside a string, and when strict', () => {
    const inner = run(object({ o: { type: 'object' } }), { o: '{"__proto__":{"x":1},"a":1}' })
    expect(inner).toMatchObject({ json: { o: { a: 1 } }, dropped: ['/o/__proto__'] })
    expect(run({}, JSON.parse('{"__proto__":1}'), 'strict')).toMatchObject({ dropped: ['/__proto__'] })
  })

  it('reports top-level keys that the validator left out and the JSON Schema does not name', () => {
    const schema: Schema = {
      json: object({ a: {}, gone: {} }),
      check: (value) => ({ ok: true, value: { a: (value as { a: unknown }).a } }),
    }
    expect(settle(schema, { a: 1, gone: 2, 'ex/tra': 3 })).toMatchObject({
      dropped: ['/ex~1tra'],
      json: { a: 1, gone: 2, 'ex/tra': 3 },
    })
  })

  it('coerces an output towards what its schema takes, not what it gives', () => {
    const schema: Schema = {
      json: { type: 'string' },
      accepts: { type: 'number' },
      check: (value) => (typeof value === 'number' ? { ok: true, value: `${value}!` } : { ok: false, issues: [] }),
    }
    expect(settle(schema, '5')).toMatchObject({ ok: true, json: 5, value: '5!' })
  })

  it('refuses nesting without end and circular values', () => {
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)
    expect(run({}, deep)).toMatchObject({
      ok: false,
      issues: [{ path: [], message: 'Expected at most 100 levels of nesting' }],
    })
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(run({}, circle).ok).toBe(false)
    expect(run({}, JSON.parse(`${'['.repeat(90)}${']'.repeat(90)}`)).ok).toBe(true)
  })

  it('takes what nests as deep as it may, nulls at the bottom included', () => {
    const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}null${'}'.repeat(levels)}`)
    const value = nested(101)
    expect(run({}, value)).toEqual({ ok: true, json: value, value, coercions: [], dropped: [] })
    expect(run({}, nested(102))).toMatchObject({ ok: false, coercions: [] })
    expect(run(object({ o: { type: 'object' } }), { o: JSON.stringify(nested(100)) }).ok).toBe(true)
    expect(run(object({ o: { type: 'object' } }), { o: JSON.stringify(nested(101)) }).ok).toBe(false)
  })

  it('ends on schemas that refer to themselves or branch without end', () => {
    expect(run({ $ref: '#' }, { a: 1 }).ok).toBe(true)
    const wide: JsonSchema = { anyOf: [{ $ref: '#' }, { $ref: '#' }, { type: 'number' }] }
    expect(() => run(wide, 'x')).not.toThrow()
    const grown = {
      type: 'object',
      properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] }, n: { type: 'number' } },
    }
    expect(jsonOf(run(grown, { n: '1', next: { n: '2', next: null } }))).toEqual({ n: 1, next: { n: 2, next: null } })
  })

  it('gives up on a schema that doubles its work at each level', () => {
    const doubling: JsonSchema = { allOf: [{ $ref: '#' }, { $ref: '#' }] }
    const refusing: Schema = { json: doubling, check: () => ({ ok: false, issues: [] }) }
    expect(settle(refusing, 'x')).toMatchObject({ ok: false, coercions: [] })
    expect(findProblems(doubling, 'x')).toEqual([])
  })

  it('names the properties there are where one is unknown, and never more than eight problems', () => {
    const closed: JsonSchema = { properties: { url: {}, json: {} }, additionalProperties: false }
    expect(findProblems(closed, { url: 1, body: 2 })).toEqual([
      { path: ['body'], message: 'Expected no property but url, json' },
    ])
    expect(findProblems({ additionalProperties: false }, { body: 2 })).toEqual([
      { path: ['body'], message: 'Expected no property' },
    ])
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, 1]))
    expect(findProblems(closed, many)).toHaveLength(8)
  })

  it('reads schemas with names of Object.prototype', () => {
    const json = object({ constructor: { type: 'number' }, toString: { type: 'string' } })
    expect(jsonOf(run(json, { constructor: '1', hasOwnProperty: 'x' }))).toEqual({
      constructor: 1,
      hasOwnProperty: 'x',
    })
    expect(run(object({}, ['toString']), {}).ok).toBe(false)
  })

  it('coerces a long list', () => {
    const list = Array.from({ length: 20_000 }, (_, index) => String(index))
    expect((jsonOf(run({ type: 'array', items: { type: 'integer' } }, list)) as number[])[19_999]).toBe(19_999)
  })
})
