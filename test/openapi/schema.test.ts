// What a model is shown of an operation: its real schema, in one object.
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/schema/schema.ts'
import { toSchema } from '../../src/schema/standard.ts'
import { toolsOf } from './documents.ts'
import { document } from './rig.ts'
import type { Extra } from './rig.ts'

async function inputOf(operation: object, extra: Extra = {}, path = '/x'): Promise<JsonSchema | undefined> {
  const { tools, source } = await toolsOf(document({ [path]: { post: { operationId: 'op', ...operation } } }, extra))
  expect(source.problems).toEqual([])
  return tools[0]?.input && toSchema(tools[0].input, 'input').json
}

const body = (schema: object, more: object = {}, type = 'application/json') => ({
  requestBody: { required: true, content: { [type]: { schema } }, ...more },
})

/** The schema of one property of a body. */
async function propertyOf(schema: object, extra: Extra = {}): Promise<unknown> {
  const json = await inputOf(body({ type: 'object', properties: { it: schema } }), extra)
  return (json?.['properties'] as { readonly it?: unknown } | undefined)?.it
}

describe('the input of an operation', () => {
  it('has the parameters of the path and of the operation, which come first, and the fields of the body', async () => {
    const { tools } = await toolsOf(
      document({
        '/pets/{id}': {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'lang', in: 'query', schema: { type: 'string' }, description: 'of the path' },
          ],
          put: {
            parameters: [
              {
                name: 'lang',
                in: 'query',
                required: true,
                schema: { enum: ['de', 'en'] },
                description: 'of the operation',
              },
              { name: 'X-Trace', in: 'header', schema: { type: 'string', default: 'none' } },
              { name: 'Accept', in: 'header', schema: { type: 'string' } },
              { name: 'seen', in: 'cookie', schema: { type: 'integer' } },
            ],
            ...body({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }),
          },
        },
      }),
    )
    expect(tools[0]?.name).toBe('put_pets_id')
    expect(toSchema(tools[0]!.input!, 'input').json).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        lang: { enum: ['de', 'en'], description: 'of the operation' },
        'X-Trace': { type: 'string', default: 'none' },
        seen: { type: 'integer' },
        name: { type: 'string' },
      },
      required: ['id', 'lang', 'name'],
      additionalProperties: false,
    })
  })

  it('names by its place what has the name of another, and cleans what no provider takes', async () => {
    const at = (place: string, name: string) => ({ in: place, name, required: place === 'path', schema: {} })
    const json = await inputOf(
      {
        parameters: [
          at('query', 'id'),
          at('path', 'id'),
          at('query', 'filter[a]'),
          at('query', 'filter a '),
          at('header', 'id'),
        ],
        ...body({ type: 'object', properties: { id: {}, query_id: {}, $top: {}, [`n${'x'.repeat(80)}`]: {} } }),
      },
      {},
      '/x/{id}',
    )
    expect(Object.keys(json?.['properties'] as object)).toEqual([
      'id',
      'query_id',
      'filter_a_',
      'query_filter_a_',
      'header_id',
      'body_id',
      'body_query_id',
      '_top',
      `n${'x'.repeat(63)}`,
    ])
  })

  it('has the body as a whole where its fields do not say it all', async () => {
    const wholes = [
      { type: 'array', items: { type: 'string' } },
      { type: 'object', additionalProperties: { type: 'string' }, properties: { a: {} } },
      { allOf: [{ type: 'object' }], properties: { a: {} } },
      { type: 'object' },
      { type: 'object', properties: { a: {} }, minProperties: 1 },
      { type: 'object', properties: { a: {} }, nullable: true },
      {},
    ]
    for (const schema of wholes) {
      const json = await inputOf(body(schema, { description: 'All of it' }))
      expect(json).toMatchObject({ properties: { body: { description: 'All of it' } }, required: ['body'] })
    }
    const optional = await inputOf(body({ properties: { a: {} }, required: ['a'] }, { required: false }))
    expect(optional).toMatchObject({ properties: { body: { required: ['a'] } } })
    expect(optional).not.toHaveProperty('required')
    const free = await inputOf(body({ properties: { a: {} } }, { required: false }))
    expect(free).toMatchObject({ properties: { a: {} } })
  })

  it('has a text for what the path names and nobody describes, and nothing for what the path does not name', async () => {
    const parameters = [{ name: 'lost', in: 'path', required: true, schema: {} }]
    expect(await inputOf({ parameters }, {}, '/x/{id}')).toMatchObject({
      properties: { id: { type: 'string' } },
      required: ['id'],
    })
  })

  it('is not there where an operation takes nothing', async () => {
    expect(await inputOf({})).toBeUndefined()
  })
})

describe('a schema of version 3.0', () => {
  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [{ allOf: [{ type: 'string' }], nullable: true }, { anyOf: [{ allOf: [{ type: 'string' }] }, { type: 'null' }] }],
    [{ nullable: true }, {}],
    [
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 1 },
    ],
    [
      { type: 'number', maximum: 1, exclusiveMaximum: false },
      { type: 'number', maximum: 1 },
    ],
    [
      { type: 'number', exclusiveMaximum: true, maximum: 9 },
      { type: 'number', exclusiveMaximum: 9 },
    ],
    [
      { type: 'string', example: 'x', xml: {}, externalDocs: {}, 'x-y': 1 },
      { type: 'string', examples: ['x'] },
    ],
    [{ type: 'string', example: 'x'.repeat(300) }, { type: 'string' }],
    [{ type: 'any', required: true, enum: [], properties: [] }, {}],
    [{ type: 'string', maxLength: '5', pattern: 7 }, { type: 'string' }],
    [{ oneOf: [{ type: 'string' }, 5] }, { oneOf: [{ type: 'string' }] }],
    [{ patternProperties: { '^a': {} }, additionalProperties: false }, { patternProperties: { '^a': {} } }],
  ])('%o is %o', async (given, wanted) => {
    expect(await propertyOf(given)).toEqual(wanted)
  })

  it('keeps what says something about a value', async () => {
    const schema = {
      type: 'object',
      properties: {
        a: {
          type: 'string',
          format: 'date',
          pattern: '^x',
          minLength: 1,
          maxLength: 2,
          default: 'x',
          deprecated: true,
        },
        b: { type: 'array', items: { type: 'integer', multipleOf: 2 }, minItems: 1, maxItems: 3, uniqueItems: true },
        c: { not: { type: 'string' } },
        d: { type: 'object', additionalProperties: { type: 'number', minimum: 0, maximum: 1 }, minProperties: 1 },
      },
      required: ['a'],
      description: 'An object',
    }
    expect(await propertyOf(schema)).toEqual(schema)
  })
})

describe('a schema of version 3.1', () => {
  const extra = { openapi: '3.1.0' }

  it.each([
    { type: ['string', 'null'] },
    { exclusiveMinimum: 0 },
    { const: 'x', examples: ['x'] },
    { type: 'array', prefixItems: [{ type: 'string' }], items: false },
    { if: { required: ['a'] }, then: { required: ['b'] }, dependentRequired: { a: ['b'] } },
    { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
  ])('%o stays as it is', async (schema) => {
    expect(await propertyOf(schema, extra)).toEqual(schema)
  })

  it('may say more beside a reference', async () => {
    const components = { schemas: { Name: { type: 'string' } } }
    const given = { $ref: '#/components/schemas/Name', description: 'Of a pet', minLength: 1 }
    expect(await propertyOf(given, { ...extra, components })).toEqual({ ...given, $ref: '#/$defs/Name' })
  })
})

describe('a reference', () => {
  const components = {
    schemas: {
      Tree: {
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
      },
      'odd/name~%': { type: 'integer' },
      Outer: { $defs: { Inner: { type: 'boolean' } }, properties: { deep: { type: 'null' } } },
      Again: { $ref: '#/components/schemas/Tree' },
    },
    parameters: { Limit: { name: 'limit', in: 'query', schema: { $ref: '#/components/schemas/odd~1name~0%25' } } },
    requestBodies: {
      Body: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Again' } } } },
    },
    pathItems: { Item: { get: { operationId: 'get', parameters: [{ $ref: '#/components/parameters/Limit' }] } } },
  }

  it('stays a reference, so that a schema that holds itself has an end', async () => {
    const json = await inputOf({ requestBody: { $ref: '#/components/requestBodies/Body' } }, { components })
    expect(json).toEqual({
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
      additionalProperties: false,
      $defs: { Tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree' } } } } },
    })
  })

  it('is followed in path items and parameters, with escapes, into and through definitions', async () => {
    const { tools, source } = await toolsOf(document({ '/x': { $ref: '#/components/pathItems/Item' } }, { components }))
    expect(source.problems).toEqual([])
    expect(toSchema(tools[0]!.input!, 'input').json).toMatchObject({
      properties: { limit: { $ref: '#/$defs/odd_1name_0_25' } },
      $defs: { odd_1name_0_25: { type: 'integer' } },
    })
    const inner = await propertyOf({ $ref: '#/components/schemas/Outer/$defs/Inner' }, { components })
    const deep = await propertyOf({ $ref: '#/components/schemas/Outer/properties/deep' }, { components })
    expect([inner, deep]).toEqual([{ $ref: '#/$defs/Inner' }, { $ref: '#/$defs/deep' }])
  })

  it('to two schemas whose names look alike keeps them apart', async () => {
    const schemas = { 'a b': { type: 'string' }, 'a+b': { type: 'integer' } }
    const refs = { x: { $ref: '#/components/schemas/a b' }, y: { $ref: '#/components/schemas/a+b' } }
    expect(await inputOf(body({ properties: refs }), { components: { schemas } })).toMatchObject({
      properties: { x: { $ref: '#/$defs/a_b' }, y: { $ref: '#/$defs/a_b_2' } },
      $defs: { a_b: { type: 'string' }, a_b_2: { type: 'integer' } },
    })
  })
})

describe('what is only read or only written', () => {
  const schemas = {
    Id: { type: 'string', readOnly: true },
    Pet: {
      type: 'object',
      properties: {
        id: { $ref: '#/components/schemas/Id' },
        made: { allOf: [{ type: 'string' }, { readOnly: true }] },
        name: { type: 'string' },
        secret: { type: 'string', writeOnly: true },
      },
      required: ['id', 'made', 'name', 'secret'],
    },
    Dog: {
      allOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'object', required: ['id', 'name'], properties: {} }],
    },
  }
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

  it('is not asked of a model, nor wanted from a server', async () => {
    const responses = { 200: { description: 'x', content: { 'application/json': { schema: ref('Pet') } } } }
    const operation = { operationId: 'op', ...body(ref('Pet')), responses }
    const { tools } = await toolsOf(document({ '/x': { post: operation } }, { components: { schemas } }))
    const sent = toSchema(tools[0]!.input!, 'input').json
    const got = toSchema(tools[0]!.output!, 'output').json
    expect([Object.keys(sent['properties'] as object), sent['required']]).toEqual([
      ['name', 'secret'],
      ['name', 'secret'],
    ])
    expect([Object.keys(got['properties'] as object), got['required']]).toEqual([
      ['id', 'made', 'name'],
      ['id', 'made', 'name'],
    ])
  })

  it('is not wanted by a neighbour in an allOf either', async () => {
    const json = await inputOf(body(ref('Dog')), { components: { schemas } })
    expect(json).toMatchObject({ $defs: { Dog: { allOf: [{ $ref: '#/$defs/Pet' }, { required: ['name'] }] } } })
  })
})

describe('a choice of schemas', () => {
  it('keeps its discriminator, with the names that its branches have here', async () => {
    const schemas = { Cat: { type: 'object' }, Dog: { type: 'object' }, Cow: {} }
    const mapping = { miau: 'Cat', wuff: '#/components/schemas/Dog', muh: 'Cow' }
    const oneOf = [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
    const given = { oneOf, discriminator: { propertyName: 'kind', mapping } }
    expect(await propertyOf(given, { components: { schemas } })).toEqual({
      oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }],
      discriminator: { propertyName: 'kind', mapping: { miau: '#/$defs/Cat', wuff: '#/$defs/Dog' } },
    })
  })
})

describe('examples and descriptions', () => {
  it('of a parameter stand in its schema', async () => {
    const examples = {
      one: { value: 'a' },
      two: { value: 'b'.repeat(300) },
      three: { $ref: '#/components/examples/c' },
    }
    const parameters = [
      { name: 'a', in: 'query', schema: { type: 'string', description: 'inner' }, examples },
      { name: 'b', in: 'query', schema: { type: 'string', description: 'inner' }, description: 'outer', example: 1 },
    ]
    expect(await inputOf({ parameters }, { components: { examples: { c: { value: 'c' } } } })).toMatchObject({
      properties: {
        a: { description: 'inner', examples: ['a', 'c'] },
        b: { description: 'outer', examples: [1] },
      },
    })
  })

  it('of an operation are its summary and its description, or where it goes', async () => {
    const get = (operation: object) => ({ get: operation, responses: {} })
    const { tools } = await toolsOf(
      document({
        '/a': get({ summary: 'Short', description: 'Long' }),
        '/b': get({ summary: 'Same', description: 'Same' }),
        '/c': get({}),
        '/d': get({ description: 'x'.repeat(5000) }),
      }),
    )
    expect(tools.slice(0, 3).map(({ description }) => description)).toEqual(['Short\nLong', 'Same', 'GET /c'])
    expect(tools[3]?.description.length).toBeLessThan(1100)
  })
})
