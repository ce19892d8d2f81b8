// What a call sends, and what becomes of the answer.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { policy } from '../../src/policy/policy.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { eventsOf } from '../agent/rig.ts'
import { document, rig } from './rig.ts'
import type { Rig } from './rig.ts'

type RigOptions = NonNullable<Parameters<typeof rig>[1]>

const posting = (
  content: object,
  { required = true, ...options }: RigOptions & { readonly required?: boolean } = {},
): Rig => rig(document({ '/x': { post: { operationId: 'post', requestBody: { required, content } } } }), options)

const object = (properties: object, more: object = {}) => ({ schema: { type: 'object', properties, ...more } })
const anything = { a: {}, b: {}, c: {} }

describe('a body', () => {
  it('of JSON has the fields that were filled in, under the names that the server knows', async () => {
    const { asked, call } = posting({ 'application/json': object({ 'a b': {}, list: {}, n: {} }) })
    await call('post', { a_b: { deep: [1, null] }, n: null })
    await call('post')
    expect(asked.map(({ body }) => body)).toEqual(['{"a b":{"deep":[1,null]},"n":null}', '{}'])
    expect(asked[0]?.headers['content-type']).toBe('application/json')
  })

  it('that is not required is left out where nothing is filled in', async () => {
    const { asked, call } = posting({ 'application/json': object(anything) }, { required: false })
    await call('post')
    await call('post', { a: 1 })
    expect(asked.map(({ body }) => body)).toEqual([null, '{"a":1}'])
    expect(asked[0]?.headers).not.toHaveProperty('content-type')
  })

  it('that is one value is sent as it is', async () => {
    const { asked, call } = posting({ 'application/vnd.api+json; charset=utf-8': { schema: { type: 'array' } } })
    await call('post', { body: [1, 'x'] })
    expect(asked[0]).toMatchObject({
      body: '[1,"x"]',
      headers: { 'content-type': 'application/vnd.api+json; charset=utf-8' },
    })
  })

  it.each([
    [['text/plain', 'application/json', 'multipart/form-data'], 'application/json'],
    [['application/xml', 'application/problem+json'], 'application/problem+json'],
    [
      ['application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data'],
      'application/x-www-form-urlencoded',
    ],
    [['application/octet-stream', 'text/csv'], 'text/csv'],
    [['application/pdf', 'text/*'], 'text/plain'],
    [['*/*'], 'application/json'],
    [['image/*'], 'application/octet-stream'],
  ])('of one of %o is %s', async (types, wanted) => {
    const { asked, registry, source } = posting(Object.fromEntries(types.map((type) => [type, {}])))
    await registry.connect()
    expect(source.problems).toEqual([])
    const value = wanted === 'application/octet-stream' ? { text: 'x' } : 'x'
    await registry.call('openapi://api.post', { body: value })
    expect(asked[0]?.headers['content-type']).toBe(wanted)
  })

  it('of a form has pairs, lists repeated, objects as JSON or as their encoding says', async () => {
    const encoding = { c: { style: 'deepObject', explode: true }, d: { style: 'form', explode: false } }
    const { asked, call } = posting({
      'application/x-www-form-urlencoded': { ...object({ ...anything, d: {}, e: {} }), encoding },
    })
    await call('post', { a: 'x y&z=ü', b: [1, { k: 1 }], c: { k: 'v' }, d: ['p', 'q'], e: null })
    expect(asked[0]).toMatchObject({
      body: 'a=x%20y%26z%3D%C3%BC&b=1&b=%7B%22k%22%3A1%7D&c%5Bk%5D=v&d=p,q',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  })

  it('of text is text', async () => {
    const { asked, call } = posting({ 'text/plain': {} })
    await call('post', { body: 'héllo' })
    expect(asked[0]).toMatchObject({ body: 'héllo', headers: { 'content-type': 'text/plain' } })
  })

  it('of bytes comes as text, base64 or a file of the agent, and in no other way', async () => {
    const fs = memoryFiles()
    await fs.write('/a.bin', new Uint8Array([1, 2, 255]))
    const { asked, call, failure } = posting({ 'application/octet-stream': {} }, { env: { fs } })
    await call('post', { body: { text: 'hi' } })
    await call('post', { body: { base64: 'AQL/' } })
    await call('post', { body: { path: '/a.bin' } })
    expect(asked.map(({ body }) => [...(body as Uint8Array)])).toEqual([
      [104, 105],
      [1, 2, 255],
      [1, 2, 255],
    ])
    expect(asked[0]?.headers['content-type']).toBe('application/octet-stream')
    expect(await failure('post', { body: { base64: '%' } })).toContain('Property "body": wanted base64')
    expect(await failure('post', { body: {} })).toContain('wanted one of "text", "base64" and "path"')
    expect(await failure('post', { body: { text: 'a', path: '/a.bin' } })).toContain('wanted one of')
    expect(await failure('post', { body: { path: '/none' } })).toContain('there is no file "/none"')
    expect(asked).toHaveLength(3)
  })

  it('is no file of more than 16 MiB', async () => {
    const stat = async (path: string) => ({ path, type: 'file', size: 2 ** 24 + 1, mtime: 0 }) as const
    const fs = { ...memoryFiles(), stat }
    const { failure } = posting({ 'application/octet-stream': {} }, { env: { fs } })
    expect(await failure('post', { body: { path: '/a' } })).toContain('"/a" has more than 16777216 bytes')
  })

  it('takes no file that the policy protects, and none where there are no files', async () => {
    const fs = memoryFiles()
    await fs.write('/.env', new Uint8Array([1]))
    const { asked, registry } = posting({ 'application/octet-stream': {} })
    for (const env of [{ fs }, {}]) {
      const model = scriptedModel([{ calls: [{ name: 'api_post', input: { body: { path: '/.env' } } }] }, 'done'])
      const run = agent({ model, registry, env, policy: policy({ protectedPaths: ['.env'] }) }).run('x')
      const events = await eventsOf(run)
      expect(events.find(({ type }) => type === 'tool-end')).toMatchObject({ outcome: { ok: false } })
    }
    expect(asked).toEqual([])
  })

  it('of several parts has values, JSON and files, read back by the runtime itself', async () => {
    const fs = memoryFiles()
    await fs.write('/dir/pic.png', new Uint8Array([0, 1, 13, 10, 255]), { parents: true })
    const file = { type: 'string', format: 'binary' }
    const properties = {
      name: {},
      data: {},
      list: {},
      one: file,
      many: { type: 'array', items: file },
      typed: { type: 'string' },
    }
    const encoding = { one: { contentType: 'image/png, image/jpeg' }, typed: { contentType: 'application/pdf' } }
    const { asked, call } = posting({ 'multipart/form-data': { ...object(properties), encoding } }, { env: { fs } })
    await call('post', {
      name: 'a "quoted"\r\n name',
      data: { path: '/dir/pic.png', n: 1 },
      list: [1, 2],
      one: { path: 'dir/pic.png' },
      many: [{ text: 'x' }, { base64: 'AQ==', filename: 'b".bin' }],
      typed: { text: 'pdf' },
    })
    const { headers, body } = asked[0]!
    const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData()
    expect(form.get('name')).toBe('a "quoted"\r\n name')
    expect(form.get('list')).toBe('1')
    expect(form.getAll('list')).toEqual(['1', '2'])
    const one = form.get('one') as File
    expect([one.name, one.type, [...new Uint8Array(await one.arrayBuffer())]]).toEqual([
      'pic.png',
      'image/png',
      [0, 1, 13, 10, 255],
    ])
    // A file is only what the document calls one.
    expect(new TextDecoder().decode(body as Uint8Array)).toContain('{"path":"/dir/pic.png","n":1}')
    expect(form.getAll('many').map((part) => [(part as File).name, (part as File).type])).toEqual([
      ['file', 'application/octet-stream'],
      ['b".bin', 'application/octet-stream'],
    ])
    expect((form.get('typed') as File).type).toBe('application/pdf')
  })

  it('of several parts is divided by a line that stands in none of them', async () => {
    const { asked, source } = posting({ 'multipart/form-data': object(anything) })
    await source.connect?.()
    const [tool] = await source.list()
    const context = { callId: 'call_7', idempotencyKey: 'k', signal: new AbortController().signal } as never
    await tool?.execute?.({ a: 'x' }, context)
    await tool?.execute?.({ a: 'sameloop-call7-0', b: 'sameloop-call7-1' }, context)
    expect(asked.map(({ headers }) => headers['content-type'])).toEqual([
      'multipart/form-data; boundary=sameloop-call7-0',
      'multipart/form-data; boundary=sameloop-call7-2',
    ])
    const { headers, body } = asked[1]!
    const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData()
    expect([form.get('a'), form.get('b')]).toEqual(['sameloop-call7-0', 'sameloop-call7-1'])
  })
})

describe('a call', () => {
  it('sends no header, parameter or body that was not given', async () => {
    const at = (place: string) => ({ name: place[0], in: place, schema: {} })
    const { asked, call } = rig(
      document({ '/x': { get: { operationId: 'get', parameters: ['query', 'header', 'cookie'].map(at) } } }),
    )
    await call('get')
    expect(asked).toEqual([
      {
        method: 'GET',
        url: 'https://api.example/v1/x',
        headers: { accept: 'application/json, text/*;q=0.9, */*;q=0.8' },
        body: null,
      },
    ])
  })

  it('fills in the idempotency key by itself where the document has a header for it', async () => {
    const parameters = [{ name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string' } }]
    const { asked, call, registry } = rig(document({ '/x': { post: { operationId: 'post', parameters } } }))
    await call('post')
    expect(asked[0]?.headers['idempotency-key']).toMatch(/./)
    expect(registry.definitions()[0]?.inputSchema['properties']).toEqual({})
  })

  it('has the effect of its method, and shows who decides what would be asked', async () => {
    const operations = Object.fromEntries(
      ['get', 'head', 'put', 'delete', 'post', 'patch'].map((method) => [method, { operationId: method }]),
    )
    const parameters = [
      { name: 'id', in: 'path', required: true, schema: {} },
      { name: 'q', in: 'query', schema: {} },
    ]
    const { source, registry } = rig(document({ '/x/{id}': { parameters, ...operations } }))
    await registry.connect()
    const tools = await source.list()
    expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
      ['get', 'read'],
      ['head', 'read'],
      ['put', 'idempotent'],
      ['delete', 'idempotent'],
      ['post', 'unsafe'],
      ['patch', 'unsafe'],
    ])
    expect(tools[3]?.describeCall?.({ id: 'a/b', q: ['1', '2'] }, {} as never)).toEqual({
      summary: 'DELETE /v1/x/a%2Fb?q=1&q=2',
      host: 'api.example',
    })
    expect(tools[3]?.describeCall?.({}, {} as never)).toMatchObject({ summary: 'DELETE /v1/x/{id}' })
  })
})

describe('an answer', () => {
  const pet = {
    type: 'object',
    properties: { id: { type: 'integer' }, tag: { type: 'string', nullable: true } },
    required: ['id'],
  }
  const responding = (responses: object, answer: () => Response, options: RigOptions = {}): Rig =>
    rig(document({ '/x': { get: { operationId: 'get', responses } } }), { checkResponses: true, answer, ...options })
  const json = (schema: object) => ({ content: { 'application/json': { schema } } })
  const empty = () => new Response(null, { status: 204 })

  it('has to fit the schema of its document', async () => {
    const good = responding({ 200: json(pet) }, () => Response.json({ id: 1, tag: null, more: true }))
    expect(await good.call('get')).toEqual({ id: 1, tag: null, more: true })
    const bad = responding({ 200: json(pet) }, () => Response.json({ tag: 'x' }))
    expect(await bad.failure('get')).toMatch(/^invalid-output: .*id/)
    const trusted = responding({ 200: json(pet) }, () => Response.json({ tag: 'x' }), { checkResponses: false })
    expect(await trusted.call('get')).toEqual({ result: { tag: 'x' } })
  })

  it('fits one of several, or the default where the document has no success', async () => {
    const both = { 200: json(pet), '2XX': json({ type: 'array' }), default: json({ type: 'string' }) }
    expect(await responding(both, () => Response.json([])).call('get')).toEqual({ result: [] })
    expect(await responding(both, () => Response.json({ id: 1 })).call('get')).toEqual({ result: { id: 1 } })
    expect(await responding(both, () => Response.json('x')).failure('get')).toMatch(/^invalid-output/)
    const other = { 404: json(pet), default: json({ type: 'string' }) }
    expect(await responding(other, () => Response.json('x')).call('get')).toEqual({ result: 'x' })
    expect(await responding(other, () => Response.json(5)).failure('get')).toMatch(/^invalid-output/)
    const overlapping = { 200: json({ oneOf: [{ type: 'number' }, { type: 'integer' }] }) }
    expect(await responding(overlapping, () => Response.json(1)).call('get')).toEqual({ result: 1 })
  })

  it('may be empty where the document says so, and only there', async () => {
    expect(await responding({ 200: json(pet), 204: { description: 'Gone' } }, empty).call('get')).toBeUndefined()
    expect(await responding({ 200: json(pet) }, empty).failure('get')).toContain('Expected a body, got an empty one')
    expect(await responding({}, empty).call('get')).toEqual({ result: null })
  })

  it('of another content type is a failure, unless the document has that type too', async () => {
    const page = () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })
    expect(await responding({ 200: json(pet) }, page).failure('get')).toMatch(/^invalid-output/)
    const both = { 200: { content: { 'application/json': { schema: pet }, 'text/html': {} } } }
    expect(await responding(both, page).call('get')).toBe('<html>Sign in</html>')
    const broken = () => new Response('{', { headers: { 'content-type': 'application/json' } })
    expect(await responding({ 200: json(pet) }, broken).failure('get')).toContain(
      'announced JSON and sent something else',
    )
    const image = () => new Response(new Uint8Array([1]), { headers: { 'content-type': 'image/png' } })
    expect(await responding({ 200: { content: { 'image/png': {} } } }, image).call('get')).toMatchObject({
      result: [{ type: 'file', mediaType: 'image/png', data: 'AQ==' }],
    })
  })

  it('that is an error or too large is a failure in words', async () => {
    const error = () => Response.json({ message: 'no such pet' }, { status: 404 })
    expect(await responding({ 404: json(pet) }, error).failure('get')).toBe(
      'failed: The server answered with status 404: {"message":"no such pet"}',
    )
    const large = () => Response.json('x'.repeat(500))
    expect(await responding({}, large, { maxResponseBytes: 100 }).failure('get')).toContain('more than 100 bytes')
  })

  it('whose schema cannot be used is not checked, and that is said', async () => {
    const lost = responding({ 200: json({ $ref: '#/components/schemas/Lost' }) }, () => Response.json(1))
    expect(await lost.call('get')).toEqual({ result: 1 })
    expect(lost.source.problems).toEqual([
      {
        operation: 'GET /x',
        problem: 'its answers are not checked: the reference "#/components/schemas/Lost" leads nowhere',
      },
    ])
  })

  it('is described to programs, references and all', async () => {
    const schemas = { Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } } }
    const list = json({ type: 'array', items: { $ref: '#/components/schemas/Node' } })
    const one = json({ $ref: '#/components/schemas/Node' })
    const { registry } = rig(
      document(
        { '/l': { get: { responses: { 200: list } } }, '/o': { get: { responses: { 200: one } } } },
        { components: { schemas } },
      ),
      { checkResponses: true },
    )
    const $defs = { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } }
    expect((await registry.describe()).map(({ outputSchema }) => outputSchema)).toEqual([
      {
        type: 'object',
        properties: { result: { type: 'array', items: { $ref: '#/$defs/Node' } } },
        required: ['result'],
        $defs,
      },
      { ...$defs.Node, $defs },
    ])
  })
})
