import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import type { Fetch } from '../../src/host/host.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { policy } from '../../src/policy/policy.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { restServer } from '../../src/rest/rest-server.ts'
import type { RestServerOptions } from '../../src/rest/rest-server.ts'
import { withJsonSchema } from '../../src/schema/valibot.ts'

interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: unknown
}

const json = (value: unknown, status = 200) => Response.json(value, { status })

/** A registry with one REST tool, and what its server was asked. */
function rig(
  tool: object,
  { answer = () => json({ ok: true }), ...options }: Partial<RestServerOptions> & { answer?: () => Response } = {},
) {
  const asked: Asked[] = []
  const fetch: Fetch = async (url, { method = 'GET', headers, body } = {}) => {
    asked.push({
      method,
      url: String(url),
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? JSON.parse(body) : body,
    })
    return answer()
  }
  const server = restServer({ name: 'shop', url: 'https://api.example/v1/', fetch, ...options })
  server.tool({ name: 'get_order', description: 'Gets an order.', ...tool } as never)
  const registry = toolRegistry().addSource(server)
  return { asked, registry, call: (input: object = {}) => registry.call('rest://shop.get_order', input as never) }
}

const object = (entries: Record<string, unknown>) => withJsonSchema(v.object(entries as never))

describe('a REST tool', () => {
  it('is called by its URI, by code and by a model', async () => {
    const { registry, asked } = rig({ path: '/orders/{id}', input: object({ id: v.number() }) })
    expect(await registry.call('rest://shop.get_order', { id: '7' })).toEqual({ result: { ok: true } })
    const model = scriptedModel([{ calls: [{ name: 'shop_get_order', input: { id: 8 } }] }, 'done'])
    await agent({ model, registry }).run('x').result
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET https://api.example/v1/orders/7',
      'GET https://api.example/v1/orders/8',
    ])
    expect(model.requests[0]?.tools).toMatchObject([{ name: 'shop_get_order', description: 'Gets an order.' }])
  })

  it('puts what is not said where it belongs: path, then query or body', async () => {
    const input = object({ id: v.string(), tags: v.array(v.string()), deep: v.object({ a: v.number() }) })
    const get = rig({ path: '/o/{id}', input })
    await get.call({ id: 'a b', tags: ['x', 'y&z'], deep: { a: 1 } })
    expect(get.asked[0]?.url).toBe('https://api.example/v1/o/a%20b?tags=x&tags=y%26z&deep=%7B%22a%22%3A1%7D')
    expect(get.asked[0]?.body).toBeNull()
    const post = rig({ method: 'POST', path: '/o/{id}', input })
    await post.call({ id: '1', tags: [], deep: { a: 1 } })
    expect(post.asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://api.example/v1/o/1',
      body: { tags: [], deep: { a: 1 } },
      headers: { 'content-type': 'application/json' },
    })
  })

  it('maps each parameter to its place and name, and the body as a whole', async () => {
    const input = object({
      id: v.string(),
      dry: v.optional(v.boolean()),
      trace: v.string(),
      order: v.object({ n: v.number() }),
    })
    const { asked, call } = rig({
      method: 'PUT',
      path: '/o/{order_id}',
      input,
      params: {
        id: { in: 'path', name: 'order_id' },
        dry: { in: 'query', name: 'dry-run' },
        trace: { in: 'header', name: 'X-Trace' },
        order: 'json',
      },
    })
    await call({ id: '1', dry: true, trace: 't1', order: { n: 1 } })
    expect(asked[0]).toMatchObject({
      url: 'https://api.example/v1/o/1?dry-run=true',
      headers: { 'x-trace': 't1' },
      body: { n: 1 },
    })
    await call({ id: '1', trace: 't1', order: { n: 1 } })
    expect(asked[1]?.url).toBe('https://api.example/v1/o/1')
  })

  it.each([['../../admin'], ['a/b'], ['a?x=1#y'], ['%2e%2e'], ['ü']])('encodes %s as one segment', async (id) => {
    const { asked, call } = rig({ path: '/o/{id}/x', input: object({ id: v.string() }) })
    await call({ id })
    expect(asked[0]?.url).toBe(`https://api.example/v1/o/${encodeURIComponent(id)}/x`)
  })

  it.each(['', '.', '..'])('refuses "%s" as a part of the path, which would lead elsewhere', async (id) => {
    const { asked, call } = rig({ path: '/o/{id}', input: object({ id: v.string() }) })
    await expect(call({ id })).rejects.toMatchObject({ code: 'tool-failed' })
    expect(asked).toEqual([])
  })

  it('refuses line breaks in a header', async () => {
    const { asked, call } = rig({ input: object({ h: v.string() }), params: { h: 'header' } })
    await expect(call({ h: 'a\r\nx: y' })).rejects.toThrow('wanted printable ASCII')
    expect(asked).toEqual([])
  })

  it('checks input and output by their schemas', async () => {
    const output = object({ total: v.number() })
    const good = rig({ input: object({ id: v.number() }), output }, { answer: () => json({ total: '5' }) })
    expect(await good.call({ id: 1 })).toEqual({ total: 5 })
    await expect(good.call({ id: 'many' })).rejects.toMatchObject({ code: 'tool-invalid-input' })
    expect(good.asked).toHaveLength(1)
    await expect(rig({ output }, { answer: () => json({}) }).call()).rejects.toMatchObject({
      code: 'tool-invalid-output',
    })
  })

  it('has the effect its method has, unless it says otherwise', async () => {
    const server = restServer({ name: 's', url: 'https://a.example' })
    for (const method of ['GET', 'PUT', 'DELETE', 'POST', 'PATCH'] as const)
      server.tool({ name: method, description: 'x', method })
    server.tool({ name: 'search', description: 'x', method: 'POST', effect: 'read' })
    const effects = (await server.list()).map(({ effect }) => effect)
    expect(effects).toEqual(['read', 'idempotent', 'idempotent', 'unsafe', 'unsafe', 'read'])
  })

  it('sends the idempotency key where it is asked to', async () => {
    const { asked, call } = rig({ method: 'POST', idempotencyHeader: 'Idempotency-Key' })
    await call()
    expect(asked[0]?.headers['idempotency-key']).toMatch(/^code\/call_/)
  })

  it('shows the host and the path to the person who is asked', async () => {
    const { registry } = rig({ method: 'POST', path: '/o/{id}', input: object({ id: v.string() }), approval: true })
    const model = scriptedModel([{ calls: [{ name: 'shop_get_order', input: { id: 'a b' } }] }])
    const { pending } = await agent({ model, registry }).run('x').result
    expect(pending).toMatchObject([{ preview: { summary: 'POST /v1/o/a%20b', host: 'api.example' } }])
  })

  it('stays within the policy: the guarded fetch of the call is the default', async () => {
    const { registry } = rig({}, { fetch: undefined, url: 'https://10.0.0.1/' })
    const confined = registry.fork({ policy: policy() })
    await expect(confined.call('rest://shop.get_order')).rejects.toThrow('not on the public internet')
    await expect(registry.call('rest://shop.get_order')).rejects.toThrow('The env has no fetch')
  })
})

describe('an answer', () => {
  const call = (answer: () => Response, options: Partial<RestServerOptions> = {}, method = 'GET') =>
    rig({ method }, { answer, ...options }).call()
  const typed = (body: BodyInit, type: string) => () => new Response(body, { headers: { 'content-type': type } })

  it.each([
    ['JSON as its value', () => json([1, 2]), [1, 2]],
    ['JSON of a vendor', typed('{"a":1}', 'application/problem+json'), { a: 1 }],
    ['text as text', typed('plain', 'text/plain; charset=utf-8'), 'plain'],
    ['XML as text', typed('<a/>', 'application/xml'), '<a/>'],
    ['nothing as null', () => new Response(null, { status: 204 }), null],
  ])('gives %s', async (_, answer, expected) => {
    expect(await call(answer)).toEqual({ result: expected })
  })

  it('of other bytes is a file', async () => {
    expect(await call(typed(new Uint8Array([1, 2, 3]), 'image/png'))).toEqual({
      result: [{ type: 'file', mediaType: 'image/png', data: 'AQID' }],
    })
  })

  it('to HEAD is its status', async () => {
    expect(await call(() => new Response(null, { status: 200 }), {}, 'HEAD')).toEqual({ result: { status: 200 } })
  })

  it.each([
    [404, 'status 404: {"error":"no such order"}'],
    [500, 'status 500'],
  ])('of status %i is a failure that the model reads', async (status, words) => {
    const answer = () => (status === 500 ? new Response('', { status }) : json({ error: 'no such order' }, status))
    await expect(call(answer)).rejects.toMatchObject({ code: 'tool-failed', message: expect.stringContaining(words) })
  })

  it('that is no JSON although it says so, or larger than allowed, is a failure', async () => {
    await expect(call(typed('<html>', 'application/json'))).rejects.toThrow('announced JSON and sent something else')
    const large = () => new Response('x'.repeat(2000))
    await expect(call(large, { maxResponseBytes: 1000 })).rejects.toThrow('more than 1000 bytes')
  })

  it('that never comes has our words', async () => {
    const fetch = () => Promise.reject(new TypeError('connect ECONNREFUSED 10.1.2.3'))
    await expect(rig({}, { fetch }).call()).rejects.toMatchObject({
      code: 'tool-failed',
      message: 'Cannot reach the REST server "shop"',
    })
  })

  it('has its status in the details that people see', async () => {
    const { registry } = rig({ path: '/o/{id}', input: object({ id: v.string() }) }, { answer: () => json({}, 404) })
    expect(await registry.invoke('rest://shop.get_order', { id: 'a' })).toMatchObject({
      details: { method: 'GET', path: '/o/a', status: 404 },
    })
  })
})

describe('secrets', () => {
  const secret = 'sk-very"secret/1'
  const auths: readonly [string, RestServerOptions['auth'], (asked: Asked) => unknown, string][] = [
    ['bearer', { type: 'bearer', token: () => secret }, ({ headers }) => headers['authorization'], `Bearer ${secret}`],
    [
      'basic',
      { type: 'basic', username: 'ann', password: async () => secret },
      ({ headers }) => headers['authorization'],
      `Basic ${btoa(`ann:${secret}`)}`,
    ],
    ['header', { type: 'header', name: 'X-Key', value: secret }, ({ headers }) => headers['x-key'], secret],
    ['query', { type: 'query', name: 'key', value: secret }, ({ url }) => new URL(url).searchParams.get('key'), secret],
    ['cookie', { type: 'cookie', name: 'sid', value: secret }, ({ headers }) => headers['cookie'], `sid=${secret}`],
    [
      'function',
      ({ method }) => ({ 'x-sign': `${method} ${secret}` }),
      ({ headers }) => headers['x-sign'],
      `GET ${secret}`,
    ],
  ]

  it.each(auths)('of kind %s reach the server and nobody else', async (_, auth, sent, expected) => {
    const echo = (status: number) => () =>
      json({ said: [secret, btoa(`ann:${secret}`), encodeURIComponent(secret)], status }, status)
    for (const status of [200, 401]) {
      const { asked, registry } = rig({}, { auth, answer: echo(status) })
      const model = scriptedModel([{ calls: [{ name: 'shop_get_order' }] }, 'done'])
      const run = agent({ model, registry }).run('x')
      const seen = []
      for await (const event of run) seen.push(event)
      const { messages, snapshot } = await run.result
      expect(sent(asked[0] as Asked)).toBe(expected)
      const shown = JSON.stringify([seen, messages, snapshot])
      expect(shown).toContain('said')
      for (const text of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
        expect(shown).not.toContain(text)
    }
  })

  it('in headers are taken out of answers with and without their scheme', async () => {
    const answer = () => json({ all: 'Bearer s3cret-t0ken', token: 's3cret-t0ken' })
    const { call } = rig({}, { answer, headers: { authorization: async () => 'Bearer s3cret-t0ken' } })
    expect(await call()).toEqual({ result: { all: '…', token: '…' } })
  })

  it('of headers are asked for each time, and never overruled by a model', async () => {
    let count = 0
    const { asked, call } = rig(
      { input: object({ authorization: v.string() }), params: { authorization: 'header' } },
      { headers: { Authorization: () => `token-${++count}`, 'X-Version': '2' } },
    )
    await call({ authorization: 'mine' })
    await call({ authorization: 'mine' })
    expect(asked.map(({ headers }) => [headers['authorization'], headers['x-version']])).toEqual([
      ['token-2', '2'],
      ['token-3', '2'],
    ])
  })

  it('that cannot be had fail when the source connects, with the name of what is missing', async () => {
    const broken = [() => '', () => undefined as never, () => Promise.reject(new Error('vault of acme is sealed'))]
    for (const value of broken) {
      const { registry } = rig({}, { headers: { 'X-Key': value } })
      const error = await registry.connect().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'source-failed', message: expect.stringContaining('the header "X-Key"') })
      expect(String(error)).not.toContain('acme')
    }
  })
})

describe('what cannot work', () => {
  const make =
    (options: object, server: Partial<RestServerOptions> = {}) =>
    () =>
      restServer({ name: 's', url: 'https://a.example', ...server }).tool({
        name: 't',
        description: 'x',
        ...options,
      } as never)
  const id = object({ id: v.string() })

  it.each([
    ['{id} without a property', { path: '/{id}' }, 'the input has no property for "{id}"'],
    ['a relative path', { path: 'x' }, 'wanted a path that begins with "/"'],
    ['an optional part of the path', { path: '/{id}', input: object({ id: v.optional(v.string()) }) }, 'be required'],
    ['a part that the path lacks', { path: '/x', input: id, params: { id: 'path' } }, 'it has no "{id}"'],
    ['a place for nothing', { params: { nope: 'query' } }, 'params names "nope"'],
    ['a body of GET', { input: id, params: { id: 'body' } }, 'GET has no body for "id"'],
    [
      'two kinds of body',
      { method: 'POST', input: object({ a: v.string(), b: v.string() }), params: { a: 'json' } },
      'one whole value or of fields',
    ],
    ['an input that is no object', { input: jsonSchema({ type: 'array' }) }, 'wanted an object as input'],
  ])('is refused when it is written: %s', (_, options, words) => {
    const refusal = { code: 'config-invalid', message: expect.stringContaining(words) }
    expect(make(options)).toThrow(expect.objectContaining(refusal))
  })

  it.each([
    [{ url: 'nope' }, 'its url is "nope", wanted an http or https url'],
    [{ url: 'ftp://a.example' }, 'wanted an http or https url'],
    [{ url: 'https://me:pass@a.example' }, 'user name or password'],
    [{ url: 'https://a.example/?key=1' }, 'ends in a query'],
    [{ name: 'a.b' }, 'wanted a name of letters'],
  ])('is refused as a server: %j', (server, words) => {
    expect(make({}, server)).toThrow(words)
  })

  it('is a second tool of the same name', () => {
    const server = restServer({ name: 's', url: 'https://a.example' }).tool({ name: 't', description: 'x' })
    expect(() => server.tool({ name: 't', description: 'x' })).toThrow('has a tool "t" already')
  })
})
