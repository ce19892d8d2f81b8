// What a tool's schema says to the model and what it checks are one thing: each validator both ways.
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { jsonSchema } from '../../src/schema/check.ts'
import { toSchema } from '../../src/schema/standard.ts'
import type { StandardResult } from '../../src/schema/schema.ts'
import { withJsonSchema } from '../../src/schema/valibot.ts'

const numRuns = process.env['SAMELOOP_LONG'] ? 2000 : 150
const number = fc.oneof(fc.integer({ min: -12, max: 12 }), fc.double({ min: -12, max: 12, noNaN: true }))
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '1', ' ', 'é', '😀'), maxLength: 8 })
const list = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 6 })
const looksLike = (...good: string[]) => fc.oneof(fc.constantFrom(...good), text)

type Pipe = Parameters<typeof withJsonSchema>[0]

const validators: readonly [string, Pipe, object, fc.Arbitrary<unknown>][] = [
  ['minValue and maxValue', v.pipe(v.number(), v.minValue(-3), v.maxValue(4)), { minimum: -3, maximum: 4 }, number],
  ['gtValue and ltValue', v.pipe(v.number(), v.gtValue(-3), v.ltValue(4)), { exclusiveMinimum: -3 }, number],
  ['integer', v.pipe(v.number(), v.integer()), { type: 'integer' }, number],
  ['multipleOf', v.pipe(v.number(), v.integer(), v.multipleOf(3)), { multipleOf: 3 }, number],
  [
    'minLength and maxLength of arrays',
    v.pipe(v.array(v.number()), v.minLength(1), v.maxLength(3)),
    { minItems: 1, maxItems: 3 },
    list,
  ],
  ['nonEmpty', v.pipe(v.array(v.number()), v.nonEmpty()), { minItems: 1 }, list],
  ['regex', v.pipe(v.string(), v.regex(/^a+b?$/)), { pattern: '^a+b?$' }, text],
  ['picklist', v.picklist(['a', 'b', 3]), { enum: ['a', 'b', 3] }, fc.oneof(text, number)],
  ['literal', v.literal('a'), { const: 'a' }, text],
  [
    'email',
    v.pipe(v.string(), v.email()),
    { format: 'email' },
    looksLike('a@b.co', 'a.b@c-d.example', 'a@b', 'a b@c.de'),
  ],
  [
    'uuid',
    v.pipe(v.string(), v.uuid()),
    { format: 'uuid' },
    looksLike('4b1c3f2e-0d5a-4f6b-8c7d-1234567890ab', '4b1c3f2e'),
  ],
  ['isoDate', v.pipe(v.string(), v.isoDate()), { format: 'date' }, looksLike('2026-12-01', '2026-13-01', '26-1-1')],
  ['ipv4', v.pipe(v.string(), v.ipv4()), { format: 'ipv4' }, looksLike('10.0.0.1', '256.1.1.1', '1.2.3')],
  ['boolean', v.boolean(), { type: 'boolean' }, fc.oneof(fc.boolean(), text)],
  [
    'nullable',
    v.nullable(v.number()),
    { anyOf: [{ type: 'number' }, { type: 'null' }] },
    fc.oneof(number, fc.constant(null)),
  ],
]

describe('a validator is a keyword that the model sees and a check that holds', () => {
  it.each(validators)('%s', (name, schema, keywords, values) => {
    const { json, check } = toSchema(withJsonSchema(schema), 'input')
    expect(json).toMatchObject(keywords)
    const told = jsonSchema(json)
    fc.assert(
      fc.property(values, (value) => {
        const { issues } = told['~standard'].validate(value) as StandardResult<unknown>
        const isFine = issues === undefined
        // RFC 5321 knows more addresses than valibot takes: what it takes, the keyword does.
        if (name === 'email' && !check(value).ok) return
        expect(check(value).ok).toBe(isFine)
      }),
      { seed: 7, numRuns },
    )
  })

  it('counts the length of a text in UTF-16 units where the keyword counts characters: never laxer than it says', () => {
    const { json, check } = toSchema(withJsonSchema(v.pipe(v.string(), v.minLength(2), v.maxLength(4))), 'input')
    expect(json).toMatchObject({ minLength: 2, maxLength: 4 })
    for (const [value, fits] of [
      ['a', false],
      ['ab', true],
      ['abcd', true],
      ['abcde', false],
    ] as const)
      expect(check(value).ok).toBe(fits)
  })

  it('is optional, described, and has its default', () => {
    const schema = v.object({ n: v.optional(v.pipe(v.number(), v.description('How many')), 3) })
    const { json, check } = toSchema(withJsonSchema(schema), 'input')
    expect(json).toEqual({
      type: 'object',
      properties: { n: { type: 'number', description: 'How many', default: 3 } },
      required: [],
    })
    expect(check({})).toEqual({ ok: true, value: { n: 3 } })
  })
})
