import { describe, expect, it } from 'vitest'
import * as v from 'valibot'
import { z } from 'zod'
import { isSameloopError } from '../../src/error/error.ts'
import { settle } from '../../src/schema/coerce.ts'
import type { StandardSchema } from '../../src/schema/schema.ts'
import { toSchema, wrapInput } from '../../src/schema/standard.ts'
import { withJsonSchema } from '../../src/schema/valibot.ts'

function thrown(work: () => unknown): { code: string; message: string } {
  try {
    work()
  } catch (error) {
    if (isSameloopError(error)) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('Nothing was thrown')
}

describe('toSchema()', () => {
  it('takes any Standard Schema that gives its JSON Schema', () => {
    const schema = toSchema(z.object({ count: z.number() }) as unknown as StandardSchema, 'input')
    expect(schema.json).toMatchObject({ type: 'object', properties: { count: { type: 'number' } } })
    expect(schema.json['$schema']).toBeUndefined()
    expect(schema.check({ count: 'x' })).toMatchObject({ ok: false, issues: [{ path: ['count'] }] })
  })

  it('names both ways out for a schema without JSON Schema', () => {
    const error = thrown(() => toSchema(v.string(), 'input'))
    expect(error.code).toBe('config-schema-without-json-schema')
    expect(error.message).toContain('sameloop/valibot')
    expect(error.message).toContain('jsonSchema(')
    for (const wrong of [undefined, null, {}, 'x', { type: 'object' }]) {
      expect(thrown(() => toSchema(wrong as unknown as StandardSchema, 'input')).code).toBe(
        'config-schema-without-json-schema',
      )
    }
  })

  it('falls back to draft-07 where the converter does not know 2020-12', () => {
    const asked: string[] = []
    const source: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => ({ value }),
        jsonSchema: {
          input: ({ target }) => {
            asked.push(target)
            if (target !== 'draft-07') throw new Error('no')
            return { type: 'string' }
          },
          output: () => ({}),
        },
      },
    }
    expect(toSchema(source, 'input').json).toEqual({ type: 'string' })
    expect(asked).toEqual(['draft-2020-12', 'draft-07'])
  })

  it('says so where a converter cannot convert', () => {
    const error = thrown(() => toSchema(z.object({ at: z.date() }) as unknown as StandardSchema, 'input'))
    expect(error.code).toBe('schema-unsupported')
    expect(error.message).toContain('Cannot convert this schema to JSON Schema: ')
  })

  it('refuses an asynchronous validator when it is used, without an unhandled rejection', () => {
    const source: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => Promise.reject(new Error('late')),
        jsonSchema: { input: () => ({}), output: () => ({}) },
      },
    }
    expect(thrown(() => toSchema(source, 'input').check(1))).toEqual({
      code: 'schema-unsupported',
      message: 'Wanted a synchronous schema, got an asynchronous one',
    })
  })

  it('turns a validator that throws into an issue without the words of the engine', () => {
    const source = withJsonSchema(
      v.pipe(
        v.string(),
        v.transform((text) => JSON.parse(text) as unknown),
      ),
    )
    expect(toSchema(source, 'input').check('{')).toEqual({
      ok: false,
      issues: [{ path: [], message: 'The validator failed: SyntaxError' }],
    })
  })

  it('normalises paths of names, indexes and segments', () => {
    const check = toSchema(withJsonSchema(v.object({ list: v.array(v.number()) })), 'input').check({ list: [1, 'x'] })
    expect(check).toMatchObject({ ok: false, issues: [{ path: ['list', 1] }] })
  })

  it('shows an output by what comes out, and coerces it by what goes in', () => {
    const source = withJsonSchema(v.object({ n: v.pipe(v.number(), v.transform(String), v.string()) }))
    const schema = toSchema(source, 'output')
    expect(schema.json).toMatchObject({ properties: { n: { type: 'string' } } })
    expect(settle(schema, { n: '5' })).toMatchObject({ ok: true, json: { n: 5 }, value: { n: '5' } })
  })
})

describe('withJsonSchema()', () => {
  it('gives the same schema with its JSON Schema, still usable by valibot', () => {
    const schema = withJsonSchema(
      v.object({ city: v.pipe(v.string(), v.description('City')), days: v.optional(v.number()) }),
    )
    expect(v.parse(schema, { city: 'Oslo' })).toEqual({ city: 'Oslo' })
    expect(toSchema(schema, 'input').json).toEqual({
      type: 'object',
      properties: { city: { type: 'string', description: 'City' }, days: { type: 'number' } },
      required: ['city'],
    })
  })

  it('converts once', () => {
    const { jsonSchema } = withJsonSchema(v.string())['~standard']
    expect(jsonSchema?.input({ target: 'draft-07' })).toBe(jsonSchema?.input({ target: 'draft-07' }))
  })

  it('leaves out what JSON Schema cannot say and still checks it', () => {
    const even = v.pipe(
      v.number(),
      v.check((n) => n % 2 === 0, 'Expected an even number'),
    )
    const schema = toSchema(withJsonSchema(even), 'input')
    expect(schema.json).toEqual({ type: 'number' })
    expect(schema.check(3)).toEqual({ ok: false, issues: [{ path: [], message: 'Expected an even number' }] })
  })

  it('separates what goes in from what comes out', () => {
    const schema = withJsonSchema(v.pipe(v.string(), v.transform(Number), v.number()))
    expect(toSchema(schema, 'input').json).toEqual({ type: 'string' })
    expect(toSchema(schema, 'output').json).toEqual({ type: 'number' })
  })

  it('settles with transforms: json before them, value after', () => {
    const schema = withJsonSchema(
      v.object({
        n: v.number(),
        at: v.pipe(
          v.string(),
          v.transform((s) => new Date(s)),
        ),
      }),
    )
    const settled = settle(toSchema(schema, 'input'), { n: '4', at: '2026-01-02', extra: 1 })
    expect(settled).toMatchObject({
      ok: true,
      json: { n: 4, at: '2026-01-02', extra: 1 },
      value: { n: 4, at: new Date('2026-01-02') },
      coercions: [{ path: '/n', from: 'string', to: 'number' }],
      dropped: ['/extra'],
    })
  })

  it('reaches through lazy schemas, variants and nullish fields', () => {
    type Tree = { n: number; kids?: Tree[] | undefined }
    const tree: v.GenericSchema<Tree> = v.object({ n: v.number(), kids: v.optional(v.array(v.lazy(() => tree))) })
    const schema = toSchema(withJsonSchema(tree), 'input')
    expect(settle(schema, { n: '1', kids: [{ n: '2', kids: null }] })).toMatchObject({
      ok: true,
      json: { n: 1, kids: [{ n: 2 }] },
    })
    const shape = withJsonSchema(
      v.variant('kind', [
        v.object({ kind: v.literal('a'), n: v.number() }),
        v.object({ kind: v.literal('b'), on: v.nullish(v.boolean()) }),
      ]),
    )
    expect(settle(toSchema(shape, 'input'), { kind: 'b', on: 'true' })).toMatchObject({ json: { kind: 'b', on: true } })
  })
})

describe('a schema by hand', () => {
  const byHand = (validate: (value: unknown) => unknown, json: object = {}): StandardSchema =>
    ({
      '~standard': { version: 1, vendor: 'me', validate, jsonSchema: { input: () => json, output: () => json } },
    }) as never

  it.each([
    ['nothing', () => undefined, 'The validator failed: TypeError'],
    ['neither value nor issues', () => ({}), 'The validator failed: it gave no answer'],
    ['issues that are no list', () => ({ issues: 'bad' }), 'The validator failed: TypeError'],
    ['an issue that is null', () => ({ issues: [null] }), 'The validator failed: TypeError'],
    ['an issue without words', () => ({ issues: [{}] }), 'Does not fit'],
    ['a path with null', () => ({ issues: [{ message: 'x', path: [null] }] }), 'The validator failed: TypeError'],
  ])('that answers with %s says that the value does not fit', (_, validate, message) => {
    expect(toSchema(byHand(validate), 'input').check(1)).toEqual({ ok: false, issues: [{ path: [], message }] })
  })

  it('may give the value undefined', () => {
    const { check } = toSchema(
      byHand(() => ({ value: undefined })),
      'input',
    )
    expect(check(1)).toEqual({ ok: true, value: undefined })
  })

  it('with a circular JSON Schema is refused', () => {
    const json: { self?: object } = {}
    json.self = json
    expect(
      thrown(() =>
        toSchema(
          byHand(() => ({ value: 1 }), json),
          'input',
        ),
      ),
    ).toEqual({
      code: 'schema-unsupported',
      message: 'Cannot convert this schema to JSON Schema: it is no JSON',
    })
  })
})

describe('wrapInput()', () => {
  it('leaves an object alone', () => {
    const json = { type: 'object', properties: {} }
    expect(wrapInput(json)).toEqual({ json, wrapped: false })
  })

  it('puts anything else into one property', () => {
    expect(wrapInput({ type: 'string', minLength: 1 })).toEqual({
      json: { type: 'object', properties: { input: { type: 'string', minLength: 1 } }, required: ['input'] },
      wrapped: true,
    })
    expect(wrapInput({ anyOf: [{ type: 'object' }, { type: 'null' }] }).wrapped).toBe(true)
  })

  it('keeps references leading where they led', () => {
    const json = {
      type: 'array',
      items: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/a' }] },
      $defs: { a: { type: 'number' } },
    }
    expect(wrapInput(json).json).toEqual({
      type: 'object',
      properties: {
        input: { type: 'array', items: { anyOf: [{ $ref: '#/properties/input' }, { $ref: '#/$defs/a' }] } },
      },
      required: ['input'],
      $defs: { a: { type: 'number' } },
    })
  })
})
