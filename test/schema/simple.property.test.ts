// The check without the validator against the validator itself.
import { validate } from '@cfworker/json-schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonSchema } from '../../src/schema/check.ts'
import { isSimple, simpleCheck } from '../../src/schema/simple.ts'
import type { JsonSchema } from '../../src/schema/schema.ts'

const numRuns = process.env['SAMELOOP_LONG'] ? 50_000 : 3_000

const name = fc.constantFrom('a', 'b', 'c', 'toString', 'constructor', '0')
const typeName = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null')
const scalar = fc.constantFrom<unknown>('', 'a', 'b', 0, -0, 1, 1.5, -1, 2 ** 53, true, false, null)

const { node: simple } = fc.letrec<{ node: JsonSchema | boolean }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.boolean(),
    fc.record(
      {
        type: fc.oneof(typeName, fc.array(typeName, { maxLength: 3 })),
        enum: fc.array(fc.oneof(scalar, fc.constant([1]), fc.constant({ a: 1 })), { maxLength: 4 }),
        description: fc.constant('words'),
        default: fc.constant([{ $ref: '#/nowhere' }]),
      },
      { requiredKeys: [] },
    ),
    fc.record({ const: fc.oneof(scalar, fc.constant([1])), type: typeName }, { requiredKeys: ['const'] }),
    fc.record(
      {
        type: fc.constantFrom('object', 'array', ['object', 'array']),
        properties: fc.dictionary(name, tie('node'), { maxKeys: 3 }),
        required: fc.array(name, { maxLength: 2 }),
        additionalProperties: tie('node'),
        items: tie('node'),
      },
      { requiredKeys: [] },
    ),
  ),
}))

const odd = fc.constantFrom<unknown>(
  undefined,
  NaN,
  Infinity,
  1n,
  Symbol('s'),
  () => 1,
  Object.create({ a: '' }),
  Array(2),
)

const valueOf = (leaf: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  })).value

/** What the validator says; a value it cannot take does not fit. */
function isValid(schema: JsonSchema | boolean, value: unknown): boolean {
  try {
    return validate(value, structuredClone(schema) as never, '2020-12').valid
  } catch {
    return false
  }
}

const hasObjectChoice = (schema: JsonSchema | boolean): boolean =>
  /"(enum|const)":\[*[^\]]*[[{]/.test(JSON.stringify(schema))

describe('simpleCheck()', () => {
  it('says yes to nothing that the validator refuses, whatever the value', () => {
    fc.assert(
      fc.property(simple, valueOf(fc.oneof(scalar, odd)), (schema, value) => {
        expect(isSimple(schema)).toBe(true)
        if (simpleCheck(schema)(value)) expect(isValid(schema, value)).toBe(true)
      }),
      { numRuns },
    )
  })

  it('says yes to every JSON value that the validator takes', () => {
    fc.assert(
      fc.property(simple, valueOf(scalar), (schema, value) => {
        fc.pre(!hasObjectChoice(schema))
        expect(simpleCheck(schema)(value)).toBe(isValid(schema, value))
      }),
      { numRuns },
    )
  })
})

describe('isSimple()', () => {
  it.each([
    { $ref: '#' },
    { $id: 'https://a.example/' },
    { $defs: {} },
    { anyOf: [{}] },
    { minimum: 1 },
    { pattern: 'a' },
    { format: 'email' },
    { items: [{}] },
    { enum: [1], const: 1 },
    { title: { $id: ':' } },
    { properties: { a: { not: {} } } },
    { additionalProperties: { minLength: 1 } },
    { items: { maxItems: 1 } },
    { made: 'up' },
  ])('is false for %j', (schema) => {
    expect(isSimple(schema)).toBe(false)
  })
})

describe('jsonSchema() with a simple schema', () => {
  it('is not moved by later changes of what it was given', () => {
    const schema = { type: 'object', properties: { a: { enum: [1] } } }
    const { validate: check } = jsonSchema(schema)['~standard']
    schema.properties.a.enum.push(2)
    expect(check({ a: 1 })).toEqual({ value: { a: 1 } })
    expect(check({ a: 2 })).toMatchObject({ issues: [{ path: ['a'] }] })
  })

  it('takes choices that are objects', () => {
    const { validate: check } = jsonSchema({ enum: [{ a: 1 }] })['~standard']
    expect(check({ a: 1 })).toEqual({ value: { a: 1 } })
    expect(check({ a: 2 })).toMatchObject({ issues: [{ path: [] }] })
  })
})
