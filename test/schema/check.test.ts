import { describe, expect, it } from 'vitest'
import { isSameloopError } from '../../src/error/error.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import type { JsonSchemaOptions } from '../../src/schema/check.ts'
import { settle } from '../../src/schema/coerce.ts'
import type { JsonSchema, StandardResult } from '../../src/schema/schema.ts'
import { toSchema } from '../../src/schema/standard.ts'

const check = (schema: JsonSchema, value: unknown, options?: JsonSchemaOptions): StandardResult<unknown> =>
  jsonSchema(schema, options)['~standard'].validate(value) as StandardResult<unknown>
const fits = (schema: JsonSchema, value: unknown, options?: JsonSchemaOptions): boolean =>
  check(schema, value, options).issues === undefined

function refusal(schema: unknown, options?: JsonSchemaOptions): { code: string; message: string } {
  try {
    jsonSchema(schema as JsonSchema, options)
  } catch (error) {
    if (isSameloopError(error)) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('The schema was taken')
}

describe('jsonSchema()', () => {
  it('validates and gives the value back unchanged', () => {
    const schema = jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    })
    const value = { city: 'Oslo', more: 1 }
    const result = schema['~standard'].validate(value) as StandardResult<{ city: string }>
    expect(result.issues === undefined && result.value).toBe(value)
  })

  it('says where a value fails, with indexes as numbers and keys as they are', () => {
    const schema = { properties: { 'a/b c%#': { items: { type: 'number' } } } }
    expect(check(schema, { 'a/b c%#': [1, 'x'] })).toEqual({
      issues: [{ path: ['a/b c%#', 1], message: 'Expected "number"' }],
    })
  })

  it('says what was wanted, not what a validator saw', () => {
    const schema = {
      type: 'object',
      properties: { name: { type: ['string', 'null'] }, size: { minimum: 3 }, unit: { enum: ['m', 'km'] } },
      required: ['name'],
      additionalProperties: false,
    }
    const told = (value: unknown) => check(schema, value).issues?.map(({ path, message }) => [path?.join(), message])
    expect(told([])).toEqual([['', 'Expected "object"']])
    expect(told({ size: 2, unit: 'cm', colour: 'red' })).toEqual([
      ['', 'Expected the property "name"'],
      ['size', '2 is less than 3'],
      ['unit', 'Expected one of ["m","km"]'],
      ['colour', 'Expected no property of this name'],
    ])
    expect(told({ name: 1 })).toEqual([['name', 'Expected "string", "null"']])
  })

  it('gives its JSON Schema as it was written', () => {
    const json = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { $ref: '#/$defs/x' } },
      $defs: { x: {} },
    }
    const before = JSON.stringify(json)
    const { $schema: _, ...rest } = json
    expect(toSchema(jsonSchema(json), 'input').json).toEqual(rest)
    expect(JSON.stringify(json)).toBe(before)
    expect(Object.getOwnPropertyNames(json)).toEqual(['$schema', 'type', 'properties', '$defs'])
  })

  it('works with coercion', () => {
    const schema = toSchema(jsonSchema({ type: 'object', properties: { n: { type: 'integer', minimum: 3 } } }), 'input')
    expect(settle(schema, { n: '4' })).toMatchObject({ ok: true, value: { n: 4 } })
    expect(settle(schema, { n: '2' })).toMatchObject({ ok: false, issues: [{ path: ['n'] }] })
  })

  it('reads tuples by the draft it is told', () => {
    expect(fits({ prefixItems: [{ type: 'number' }] }, ['x'])).toBe(false)
    expect(fits({ items: [{ type: 'number' }] }, ['x'], { draft: '7' })).toBe(false)
  })

  it('survives names of Object.prototype in schema and value', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"number"},"constructor":{"type":"number"},"toString":{"type":"number"}},"required":["constructor"]}',
    ) as JsonSchema
    expect(fits(schema, {})).toBe(false)
    expect(fits(schema, { constructor: 1 })).toBe(true)
    expect(fits(schema, { constructor: 'x' })).toBe(false)
    expect(fits(schema, JSON.parse('{"constructor":1,"__proto__":"x"}'))).toBe(false)
    expect(fits(JSON.parse('{"__proto__":{"type":"number"},"type":"string"}') as JsonSchema, 'x')).toBe(true)
    expect('type' in {}).toBe(false)
  })

  it('does not check formats it does not know, even those named like methods', () => {
    for (const format of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'made-up']) {
      expect(fits({ type: 'string', format }, 'x')).toBe(true)
    }
    expect(fits({ type: 'string', format: 'email' }, 'x')).toBe(false)
  })

  it('follows references inside and refuses those that leave', () => {
    const list: JsonSchema = {
      $ref: '#/$defs/list',
      $defs: { list: { type: 'object', properties: { next: { $ref: '#/$defs/list' } } } },
    }
    expect(fits(list, { next: { next: {} } })).toBe(true)
    expect(fits(list, { next: { next: 1 } })).toBe(false)
    for (const $ref of ['https://example.com/schema.json', 'other.json#/x', '#/$defs/missing', '#nowhere']) {
      expect(refusal({ $ref })).toMatchObject({
        code: 'schema-unsupported',
        message: expect.stringContaining(JSON.stringify($ref)),
      })
    }
  })

  it('refuses references in a circle and references that multiply', () => {
    expect(refusal({ $ref: '#' })).toMatchObject({
      code: 'schema-invalid',
      message: expect.stringContaining('leads back to itself'),
    })
    expect(refusal({ $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } } }).code).toBe(
      'schema-invalid',
    )
    const $defs: Record<string, unknown> = { d0: { type: 'number' } }
    for (let n = 1; n <= 30; n++)
      $defs[`d${n}`] = { allOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] }
    expect(refusal({ $ref: '#/$defs/d30', $defs })).toMatchObject({
      code: 'schema-unsupported',
      message: expect.stringContaining('multiply'),
    })
  })

  it('says what is wrong with a schema, and where', () => {
    expect(refusal({ properties: { a: { type: 'strin' } } })).toEqual({
      code: 'schema-invalid',
      message:
        'Cannot use the JSON Schema at "/properties/a/type": expected a type (string, number, integer, boolean, object, array, null), got "strin"',
    })
    const wrong = [
      null,
      'x',
      [],
      { properties: [] },
      { required: 'a' },
      { anyOf: {} },
      { items: 5 },
      { minimum: '3' },
      { enum: 'a' },
      { $id: {} },
    ]
    for (const schema of wrong) expect(refusal(schema).code).toBe('schema-invalid')
    expect(refusal({ pattern: '(' }).message).toBe(
      'Cannot use the JSON Schema at "/pattern": expected a regular expression, got "("',
    )
    expect(refusal({ $dynamicRef: '#x' }).code).toBe('schema-unsupported')
  })

  it('is bounded in depth, size, references and length of patterns', () => {
    let deep: JsonSchema = {}
    for (let n = 0; n < 200; n++) deep = { not: deep }
    expect(refusal(deep).code).toBe('schema-unsupported')
    expect(refusal({ enum: Array(30_000).fill(1) }).code).toBe('schema-unsupported')
    expect(refusal({ anyOf: Array(1_100).fill({ $ref: '#/$defs/a' }), $defs: { a: {} } }).code).toBe(
      'schema-unsupported',
    )
    expect(refusal({ pattern: 'a'.repeat(1_001) }).code).toBe('schema-unsupported')
    expect(refusal({ a: { b: { c: 1 } } }, { depth: 1 }).code).toBe('schema-unsupported')
  })

  it('can leave patterns out for schemas that are not trusted', () => {
    const schema = { type: 'string', pattern: '^(a+)+$' }
    expect(fits(schema, 'b'.repeat(40), { patterns: 'ignore' })).toBe(true)
    expect(fits({ patternProperties: { '^x': { type: 'number' } } }, { xa: 'no' }, { patterns: 'ignore' })).toBe(true)
  })

  it('reads patterns that were not written for Unicode mode', () => {
    const slug = { type: 'string', pattern: '^[\\w-]+\\-\\_[.-]$' }
    expect(fits(slug, 'a-b-_.')).toBe(true)
    expect(fits(slug, 'a b-_.')).toBe(false)
    expect(fits({ pattern: '^\\\\-$' }, '\\-')).toBe(true)
    expect(fits({ pattern: '^[\\w-.]$' }, '-')).toBe(true)
  })

  it('gives an issue, not a crash, for a value nested without end', () => {
    const tree: JsonSchema = { items: { $ref: '#' } }
    const value = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown
    expect(check(tree, value)).toEqual({ issues: [{ message: 'Expected a JSON value that is not nested too deeply' }] })
  })
})
