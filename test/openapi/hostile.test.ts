// Documents and values that mean harm, or were made by a machine that had a bad day.
import { describe, expect, it, vi } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { openApi } from '../../src/openapi/open-api.ts'
import type { OpenApi } from '../../src/openapi/open-api.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { toSchema } from '../../src/schema/standard.ts'
import { toolsOf } from './documents.ts'
import { document, rig } from './rig.ts'

const body = (schema: unknown) => ({ requestBody: { required: true, content: { 'application/json': { schema } } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const post = (schema: unknown) => ({ post: { operationId: 'op', ...body(schema) } })

/** The problem of the one operation that takes this schema; none where it is a tool. */
async function problemOf(schema: unknown, schemas: object = {}): Promise<string | undefined> {
  const given = document({ '/x': post(schema), '/good': { get: {} } }, { components: { schemas } })
  const { source, tools } = await toolsOf(given)
  expect(tools.map(({ name }) => name)).toContain('get_good')
  return source.problems[0]?.problem
}

describe('a schema', () => {
  it('that refers to itself without an end is refused, and one that holds itself is not', async () => {
    expect(await problemOf(ref('A'), { A: ref('B'), B: ref('A') })).toMatch(/leads back to itself/)
    expect(await problemOf({ properties: { x: ref('A') } }, { A: { allOf: [ref('A')] } })).toMatch(
      /leads back to itself/,
    )
    expect(
      await problemOf(ref('A'), { A: { properties: { a: ref('A'), list: { type: 'array', items: ref('A') } } } }),
    ).toBe(undefined)
  })

  it('whose references multiply is refused before anything is checked with it, and is never expanded', async () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [`L${level}`, { allOf: [ref(`L${level + 1}`), ref(`L${level + 1}`)] }]),
    )
    expect(await problemOf({ allOf: [ref('L0')] }, { ...doubling, L40: {} })).toMatch(/multiply too often/)
    const wide = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [
        `L${level}`,
        { properties: { a: ref(`L${level + 1}`), b: ref(`L${level + 1}`) } },
      ]),
    )
    const { tools } = await toolsOf(
      document({ '/x': post({ allOf: [ref('L0')] }) }, { components: { schemas: { ...wide, L40: {} } } }),
    )
    expect(JSON.stringify(toSchema(tools[0]!.input!, 'input').json).length).toBeLessThan(10_000)
  })

  it('with a chain of ten thousand references needs no stack', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`C${index}`, { properties: { next: ref(`C${index + 1}`) } }]),
    )
    expect(await problemOf(ref('C0'), { ...chain, C10000: {} })).toMatch(
      /too many references|more than|too large|at most/,
    )
  })

  it('that is too large or too deep is refused', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 60_000 }, (_, index) => [
        `property_${index}`,
        { type: 'string', description: 'x'.repeat(60) },
      ]),
    )
    const large = { type: 'object', properties }
    expect(JSON.stringify(large).length).toBeGreaterThan(5 * 2 ** 20)
    expect(await problemOf(large)).toMatch(/too large/)
    expect(await problemOf({ properties: { a: ref('Large') } }, { Large: large })).toMatch(/too large/)
    let deep: object = { type: 'string' }
    for (let level = 0; level < 5_000; level++) deep = { type: 'array', items: deep }
    expect(await problemOf(deep)).toMatch(/nested more than 64 levels/)
    expect(await problemOf({ enum: [Array.from({ length: 30_000 }, () => [1])] })).toMatch(/at most 20000 values/)
  })

  it('that is shared or circular, as others parse documents, has an end', async () => {
    let shared: object = { type: 'string' }
    for (let level = 0; level < 50; level++) shared = { allOf: [shared, shared] }
    expect(await problemOf(shared)).toMatch(/too large/)
    const circular: { properties?: object } = {}
    circular.properties = { a: circular, b: circular }
    expect(await problemOf(circular)).toMatch(/too large|nested/)
    const value: { self?: unknown } = {}
    value.self = value
    expect(await problemOf({ default: value, enum: [value], example: value })).toBeUndefined()
  })

  it('takes along no more than its operation with what cannot be a text', async () => {
    const odd = { toString: 1, valueOf: 1 }
    for (const operation of [
      { parameters: [{ in: odd, name: 'x' }] },
      { parameters: [{ in: 'query', name: odd }] },
      { parameters: [{ in: 'query', name: 'x', style: odd, schema: { type: odd, $ref: odd, format: odd } }] },
      { security: [{ key: [odd] }] },
      { operationId: odd, tags: [odd], summary: odd, description: odd, servers: odd },
      { servers: [{ url: odd }] },
      { servers: [{ url: 'https://{a}.example', variables: { a: { default: odd } } }] },
      body({ oneOf: [{ $ref: '#/x' }], discriminator: { propertyName: 'a', mapping: { a: odd } } }),
      { requestBody: { content: odd } },
      { responses: { 200: { content: { 'application/json': { schema: { enum: odd, required: [odd] } } } } } },
    ]) {
      const components = { securitySchemes: { key: { type: odd, in: odd, name: odd, scheme: odd } } }
      const given = document({ '/x': { post: operation, $ref: odd }, '/good': { get: {} } }, { components })
      const { source, tools } = await toolsOf(given)
      expect(tools.map(({ name }) => name)).toContain('get_good')
      for (const { problem } of source.problems) expect(problem).not.toMatch(/primitive|TypeError/)
    }
  })

  it('that is no schema at all says nothing', async () => {
    for (const schema of [null, 5, 'x', [], true]) expect(await problemOf(schema)).toBeUndefined()
  })

  it.each([
    ['', 'leads out of the document'],
    ['https://evil.example/s.json', 'leads out of the document'],
    ['../s.json', 'leads out of the document'],
    ['#x', 'is no JSON Pointer'],
    ['#/%zz', 'is no JSON Pointer'],
    ['#/components/schemas/__proto__', 'leads nowhere'],
    ['#/constructor', 'leads nowhere'],
  ])('that refers to %j takes its operation along', async ($ref, problem) => {
    expect(await problemOf({ allOf: [{ $ref }] })).toBe(`the reference "${$ref}" ${problem}`)
  })

  it('that refers to what is no schema in the document says nothing', async () => {
    for (const $ref of ['#', '#/paths/~1x']) expect(await problemOf({ allOf: [{ $ref }] }), $ref).toBeUndefined()
  })

  it('cannot hold up the check of an answer or an input by its patterns', async () => {
    const evil = { type: 'string', pattern: '^(a+)+$' }
    const responses = { 200: { content: { 'application/json': { schema: evil } } } }
    const text = `${'a'.repeat(50_000)}!`
    const { call } = rig(
      document({ '/x': { post: { operationId: 'op', ...body({ properties: { it: evil } }), responses } } }),
      {
        checkResponses: true,
        answer: () => Response.json(text),
      },
    )
    expect(await call('op', { it: text })).toEqual({ result: text })
    const named = { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } } }
    const keyed = { 200: { content: { 'application/json': { schema: named } } } }
    const other = rig(document({ '/x': { get: { operationId: 'op', responses: keyed } } }), {
      checkResponses: true,
      answer: () => Response.json({ [text]: 1 }),
    })
    expect(await other.call('op')).toEqual({ [text]: 1 })
  })
})

describe('names of prototypes', () => {
  it('are names like any other', async () => {
    const odd = JSON.parse(
      JSON.stringify(
        document(
          {
            '/__proto__': { get: { operationId: '__proto__' } },
            '/constructor/{constructor}': {
              post: {
                operationId: 'constructor',
                parameters: [
                  {
                    name: 'constructor',
                    in: 'path',
                    required: true,
                    schema: { $ref: '#/components/schemas/constructor' },
                  },
                  { name: 'PROTO', in: 'query', schema: { type: 'string' } },
                  { name: 'toString', in: 'header', schema: { type: 'string' } },
                ],
                ...body({
                  type: 'object',
                  properties: { PROTO: { type: 'string' }, hasOwnProperty: { type: 'string' } },
                  required: ['PROTO'],
                }),
              },
            },
          },
          { components: { schemas: { constructor: { type: 'string' }, PROTO: { type: 'string' } } } },
        ),
      ).replaceAll('PROTO', '__proto__'),
    ) as object
    const { asked, registry, call } = rig(odd)
    await registry.connect()
    expect(registry.list()).toEqual(['openapi://api.proto', 'openapi://api.constructor'])
    const { properties } = await registry.inputSchema('openapi://api.constructor')
    expect(Object.keys(properties as object)).toEqual(['constructor', 'proto', 'toString', 'hasOwnProperty'])
    await call('constructor', { constructor: 'a', proto: 'b', toString: 'c', hasOwnProperty: 'd' } as never)
    expect(asked[0]).toMatchObject({
      url: 'https://api.example/v1/constructor/a?__proto__=b',
      body: '{"hasOwnProperty":"d"}',
    })
    expect(asked[0]?.headers['tostring']).toBe('c')
    expect(({} as Record<string, unknown>)['b']).toBeUndefined()
  })

  it('find nothing where the document has nothing', async () => {
    const security = [{ constructor: [] }]
    const { failure } = rig(document({ '/x': { get: { operationId: 'op', security } } }), { auth: {} })
    expect(await failure('op')).toContain('it needs "constructor"')
    const variables = { ['constructor']: 'x' }
    const source = openApi({ name: 'api', document: document({}), serverVariables: variables })
    await expect(source.connect?.()).rejects.toThrow('no server of the document has it')
  })
})

describe('a document', () => {
  const many = (count: number, operation: (index: number) => object): object =>
    document(Object.fromEntries(Array.from({ length: count }, (_, index) => [`/p${index}`, { get: operation(index) }])))

  it('with 20,000 operations is refused unless some are chosen', async () => {
    const large = many(20_000, (index) => ({ operationId: `op${index}`, tags: [index < 3 ? 'few' : 'rest'] }))
    const failing = toolsOf(large)
    await expect(failing).rejects.toThrow('it has 20000 operations, and at most 5000 can be tools: use include')
    expect((await toolsOf(large, { include: { tags: ['few'] } })).tools).toHaveLength(3)
  })

  it('whose names are all alike after cleaning gives each its own', async () => {
    const { tools } = await toolsOf(
      many(5_000, (index) => ({ operationId: index % 2 ? '!'.repeat(index + 1) : 'x'.repeat(70 + index) })),
    )
    expect(new Set(tools.map(({ name }) => name)).size).toBe(5_000)
    for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })

  it('whose schemas are too large together is refused operation by operation', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    )
    const parameters = [{ name: 'q', in: 'query', schema: ref('Big') }]
    const { paths } = many(300, () => ({ parameters })) as { readonly paths: object }
    const given = document({ ...paths, '/last': { get: {} } }, { components: { schemas: { Big: { properties } } } })
    const { source, tools } = await toolsOf(given)
    expect(source.problems.at(-1)?.problem).toBe('the schemas of all tools are too large together: use include')
    expect(tools.length).toBeLessThan(40)
    expect(tools.at(-1)?.name).toBe('get_last')
  })

  it.each<[string, unknown]>([
    ['paths that are a list', { paths: [1, 2] }],
    [
      'path items that are nothing',
      { paths: { '/a': null, '/b': 1, '/c': [], '/d': { get: null, post: [], put: 'x' } } },
    ],
    ['parameters that are nothing', { paths: { '/a': { parameters: 5, get: { parameters: 'x' } } } }],
    ['servers that are nothing', { servers: 'x', paths: { '/a': { servers: [null], get: { servers: [] } } } }],
    ['security that is nothing', { security: 7, paths: { '/a': { get: { security: [null, 5] } } } }],
    ['components that are nothing', { components: [], paths: { '/a': { get: {} } } }],
    [
      'responses that are nothing',
      { paths: { '/a': { get: { responses: [null], tags: 5, summary: {}, operationId: 9 } } } },
    ],
    [
      'bodies that are nothing',
      { paths: { '/a': { post: { requestBody: { content: { 'application/json': null, '': 1 } } } } } },
    ],
    [
      'schemes that are nothing',
      { components: { securitySchemes: { a: null, b: { type: 5, in: [] } } }, paths: { '/a': { get: {} } } },
    ],
  ])('with %s is taken for what there is of it', async (_, given) => {
    const { source } = await toolsOf({ openapi: '3.0.0', ...(given as object) })
    for (const { problem } of source.problems) expect(problem).not.toMatch(/Error|undefined|reading/)
  })

  it('may refer in a circle wherever it may refer', async () => {
    const circle = (kind: string) => ({
      [kind]: { A: { $ref: `#/components/${kind}/B` }, B: { $ref: `#/components/${kind}/A` } },
    })
    const at = (kind: string) => ({ $ref: `#/components/${kind}/A` })
    const components = {
      ...circle('parameters'),
      ...circle('requestBodies'),
      ...circle('responses'),
      ...circle('securitySchemes'),
    }
    const { source, tools } = await toolsOf(
      document(
        {
          '/p': { get: { parameters: [at('parameters')] } },
          '/b': { post: { requestBody: at('requestBodies') } },
          '/r': { get: { responses: { 200: at('responses') } } },
          '/good': { get: {} },
        },
        { components: { ...components, securitySchemes: undefined } },
      ),
    )
    expect(tools.map(({ name }) => name)).toEqual(['get_r', 'get_good'])
    expect(source.problems.map(({ problem }) => problem)).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/leads back to itself$/)),
    )
    await expect(toolsOf(document({ '/x': { get: {} } }, { components }))).rejects.toThrow('leads back to itself')
  })

  it('cannot reach into the run: what it describes is text, cut where it is long', async () => {
    const long = 'x'.repeat(100_000)
    const parameters = [
      { name: 'a', in: 'query', description: long, schema: { description: long, default: long, enum: [long] } },
    ]
    const { tools } = await toolsOf(document({ '/x': { get: { summary: long, description: long, parameters } } }))
    expect(tools[0]?.description.length).toBeLessThan(1_100)
    const schema = toSchema(tools[0]!.input!, 'input').json as { properties: { a: { description: string } } }
    expect(schema.properties.a.description.length).toBeLessThan(1_100)
  })
})

describe('a value', () => {
  const parameters = ['path', 'query', 'header', 'cookie'].map((place) => ({
    name: place,
    in: place,
    required: place === 'path',
    schema: {},
  }))

  it('leads nowhere but into its place, whatever it is', async () => {
    const { asked, registry } = rig(document({ '/x/{path}/y': { get: { operationId: 'op', parameters } } }))
    const values = [
      '..',
      '.',
      '../..',
      '..%2f..',
      '%2e%2e',
      '/',
      '\\',
      '..\\..',
      '?a=b',
      '#f',
      '//evil.example',
      'a&b=c',
      ';x=1',
      '\r\nx: y',
      '\0',
      ' ',
      '🙂',
      '@evil.example',
      ':80',
      ['..'],
      ['.', '.'],
      { '..': '' },
      { a: '../' },
    ]
    for (const value of values)
      for (const place of ['path', 'query', 'cookie', 'header'])
        await registry.invoke('openapi://api.op', { path: 'p', [place]: value } as never)
    expect(asked.length).toBeGreaterThan(50)
    for (const { url, headers } of asked) {
      expect(url).toMatch(/^https:\/\/api\.example\/v1\/x\/[^/?#\\]+\/y(?:\?[^#]*)?$/)
      expect(new URL(url).pathname.split('/')).toHaveLength(5)
      for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/)
      const sent = url.split('?')[1]
      expect([...new URLSearchParams(sent).keys()].length).toBeLessThanOrEqual(2)
    }
  })

  it('in two places of one segment cannot climb together', async () => {
    const both = ['a', 'b'].map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
    const { asked, failure } = rig(document({ '/x/{a}{b}/y': { get: { operationId: 'op', parameters: both } } }))
    expect(await failure('op', { a: '.', b: '.' })).toContain('lead out of it')
    expect(asked).toEqual([])
  })

  it('cannot write headers or parts of its own into a form', async () => {
    const content = {
      'multipart/form-data': { schema: { properties: { a: {}, f: { type: 'string', format: 'binary' } } } },
    }
    const { asked, call } = rig(document({ '/x': { post: { operationId: 'op', requestBody: { content } } } }))
    await call('op', { a: '\r\n--sameloop--\r\nx', f: { text: 't', filename: 'a"\r\nContent-Type: evil/x\r\n\r\n' } })
    const { headers, body: sent } = asked[0]!
    const form = await new Response(sent as Uint8Array<ArrayBuffer>, { headers }).formData()
    expect([...form.keys()]).toEqual(['a', 'f'])
    expect((form.get('f') as File).type).toBe('application/octet-stream')
  })
})

describe('a registry of many', () => {
  it('keeps two sources with the same operations apart', async () => {
    const given = document({ '/x': { get: { operationId: 'op' } } })
    const sources = ['one', 'two'].map((name): OpenApi => openApi({ name, document: given }))
    const registry = toolRegistry()
    for (const source of sources) registry.addSource(source)
    await registry.connect()
    expect(registry.definitions().map(({ name }) => name)).toEqual(['one_op', 'two_op'])
    const lists: (readonly Tool[])[] = await Promise.all(sources.map(async (source) => source.list()))
    expect(lists.map((list) => list.length)).toEqual([1, 1])
  })
})

describe('a document that does not come', () => {
  it('is given up after a minute', async () => {
    vi.useFakeTimers()
    try {
      let cancelled = false
      const stream = new ReadableStream({ cancel: () => void (cancelled = true) })
      const fetch = async () => new Response(stream)
      const source = openApi({ name: 'api', document: 'https://api.example/openapi.json', fetch })
      const connected = expect(source.connect?.()).rejects.toMatchObject({
        code: 'source-failed',
        retryable: true,
        message: expect.stringContaining('did not come within 60000 ms'),
      })
      await vi.advanceTimersByTimeAsync(61_000)
      await connected
      expect(cancelled).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })
})
