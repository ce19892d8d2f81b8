// What a hostile server, and a careless description of one, can do.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { Fetch } from '../../src/host/host.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { policy } from '../../src/policy/policy.ts'
import { restServer } from '../../src/rest/rest-server.ts'
import type { RestServerOptions } from '../../src/rest/rest-server.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { eventsOf } from '../agent/rig.ts'

const input = (properties: object, required = Object.keys(properties)) =>
  jsonSchema({ type: 'object', properties, required } as never) as never

function rig(fetch: Fetch, options: Partial<RestServerOptions> = {}, tool: object = {}) {
  const server = restServer({ name: 'shop', url: 'https://api.example/v1', fetch, ...options })
  server.tool({ name: 'get', description: 'Gets.', path: '/x', ...tool } as never)
  return toolRegistry().addSource(server)
}

/** All that a model or a reader of events sees of one call. */
async function seen(registry: ReturnType<typeof rig>, given: object = {}): Promise<string> {
  const model = scriptedModel([{ calls: [{ name: 'shop_get', input: given as never }] }, 'done'])
  const run = agent({ model, registry }).run('x')
  const events = await eventsOf(run)
  const { snapshot, messages } = await run.result
  return JSON.stringify([events, snapshot, messages, model.requests.map((r) => r.messages)])
}

/** Everything in an error, its causes included. */
function depths(error: unknown): string {
  const { message, stack, cause, data } = error as Error & { data?: unknown }
  return `${message}${stack}${JSON.stringify(data)}${cause === undefined ? '' : depths(cause)}`
}

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('secrets of a REST server', () => {
  it('are found without the scheme before them, in headers that are given as texts', async () => {
    const basic = btoa('anna:open-sesame')
    const fetch: Fetch = async () => Response.json({ a: 'the token abcdefgh', b: 'anna:open-sesame', c: 'open-sesame' })
    for (const authorization of ['Bearer abcdefgh', `Basic ${basic}`])
      expect(await seen(rig(fetch, { headers: { authorization } }))).not.toContain(
        authorization.startsWith('Basic') ? 'open-sesame' : 'abcdefgh',
      )
    const auth = { type: 'basic', username: 'anna', password: 'x' } as const
    const echo: Fetch = async () => Response.json('anna:x')
    expect(await seen(rig(echo, { auth }))).not.toContain('anna:x')
  })

  it('are found behind JSON escapes', async () => {
    const token = 'sk/abc+def/ghi'
    const echo: Fetch = async () =>
      new Response('{"a":"sk\\/abc+def\\/ghi","b":"\\u0073k/abc+def/ghi","sk\\/abc+def\\/ghi":1}', {
        headers: { 'content-type': 'application/json' },
      })
    const text = await seen(rig(echo, { auth: { type: 'bearer', token } }))
    expect(text).not.toContain(token)
  })
  it('that are numbers leave JSON whole', async () => {
    const echo: Fetch = async () => Response.json({ a: 12345, b: 'x12345', c: 1 })
    const registry = rig(echo, { auth: { type: 'bearer', token: '12345' } })
    expect(await registry.call('rest://shop.get', {})).toEqual({ result: { a: '…', b: 'x…', c: 1 } })
  })
  it('are found as a query writes them', async () => {
    const value = "pa(ss)w'ord! ~x"
    const echo: Fetch = async (url) => new Response(`no such page: ${String(url)}`, { status: 404 })
    const text = await seen(rig(echo, { auth: { type: 'query', name: 'key', value } }))
    expect(text).not.toContain(new URLSearchParams({ k: value }).toString().slice(2))
  })
  it('are found in lower-case escapes', async () => {
    const token = 'ab/cd=ef+gh'
    const echo: Fetch = async () => new Response('saw ab%2fcd%3def%2bgh', { headers: { 'content-type': 'text/plain' } })
    expect(await seen(rig(echo, { auth: { type: 'bearer', token } }))).not.toContain('ab%2fcd%3def%2bgh')
  })
  it('are found without the line break that a file gave them', async () => {
    const echo: Fetch = async (_, init) => new Response(new Headers(init?.headers).get('authorization'))
    const text = await seen(rig(echo, { auth: { type: 'bearer', token: () => 'tok-123456\n' } }))
    expect(text).not.toContain('tok-123456')
    const basic: Fetch = async () => new Response('password is hunter22')
    expect(await seen(rig(basic, { auth: { type: 'basic', username: 'a', password: 'hunter22\n' } }))).not.toContain(
      'hunter22',
    )
  })
  it('are taken out of a content type', async () => {
    const echo: Fetch = async () =>
      new Response(new Uint8Array([1, 2]), { headers: { 'content-type': 'image/tok-123456' } })
    expect(await seen(rig(echo, { auth: { type: 'bearer', token: 'tok-123456' } }))).not.toContain('tok-123456')
  })
  it('keep bytes from the model that hold one', async () => {
    const echo: Fetch = async () =>
      new Response('xtok-123456', { headers: { 'content-type': 'application/octet-stream' } })
    const text = await seen(rig(echo, { auth: { type: 'bearer', token: 'tok-123456' } }))
    expect(text).not.toContain(btoa('xtok-123456'))
  })
  it('that no header can carry are not in the error', async () => {
    const echo: Fetch = async () => new Response('x')
    const registry = rig(echo, { auth: { type: 'bearer', token: 'tok-12\n3456' } })
    const error = await caught(registry.call('rest://shop.get', {}))
    expect(error).toBeDefined()
    expect(depths(error)).not.toContain('3456')
  })
  it('are not in what a fetch failed with', async () => {
    const fails: Fetch = async (url) => {
      throw new TypeError(`error sending request for url (${String(url)})`, { cause: new Error(`no ${String(url)}`) })
    }
    const registry = rig(fails, { auth: { type: 'query', name: 'key', value: 'tok-123456' } })
    expect(depths(await caught(registry.call('rest://shop.get', {})))).not.toContain('tok-123456')
  })
  it('are not in what a function that signs failed with', async () => {
    const auth = () => {
      throw new Error('Cannot refresh tok-123456')
    }
    expect(await seen(rig(async () => new Response('x'), { auth }))).not.toContain('tok-123456')
  })
  it('are not in what a redirect was refused with', async () => {
    const env = {
      fetch: (async () => new Response(null, { status: 302, headers: { location: 'http://[tok-123456' } })) as Fetch,
    }
    const server = restServer({
      name: 'shop',
      url: 'https://api.example/v1',
      auth: { type: 'bearer', token: 'tok-123456' },
    })
    server.tool({ name: 'get', description: 'Gets.', path: '/x' })
    const registry = toolRegistry({ env, policy: policy() } as never).addSource(server)
    const error = await caught(registry.call('rest://shop.get', {}))
    expect((error as Error).message).not.toContain('tok-123456')
  })
  it('do not travel to another origin', async () => {
    const asked: [string, Headers][] = []
    // As a runtime's own fetch does: it keeps all headers but Authorization and Cookie.
    const follows: Fetch = async (url, init) => {
      asked.push([String(url), new Headers(init?.headers)])
      const isFirst = String(url).startsWith('https://api.example')
      if (isFirst && init?.redirect !== 'manual') return follows('https://evil.example/', init)
      return isFirst
        ? new Response(null, { status: 302, headers: { location: 'https://evil.example/' } })
        : new Response('ok')
    }
    await rig(follows, { headers: { 'x-api-key': () => 'tok-123456' } }).call('rest://shop.get', {})
    expect(asked.at(-1)?.[0]).toContain('evil')
    expect(asked.at(-1)?.[1].get('x-api-key')).toBeNull()
  })
  it('made by a function leave a date and a scheme in answers alone', async () => {
    const auth = () => ({ date: 'Tue, 01 Dec 2026 05:00:00 GMT', authorization: 'Bearer tok-123456' })
    const answer: Fetch = async () => Response.json({ year: 2026, type: 'Bearer', t: 'tok-123456' })
    expect(await rig(answer, { auth }).call('rest://shop.get', {})).toEqual({
      result: { year: 2026, type: 'Bearer', t: '…' },
    })
  })
  it('may be a user name without a password', async () => {
    const answer: Fetch = async (_, init) =>
      new Response(`for sk_live_123 ${new Headers(init?.headers).get('authorization')}`)
    const text = await seen(rig(answer, { auth: { type: 'basic', username: () => 'sk_live_123', password: '' } }))
    expect(text).toContain('for … Basic …')
  })
})

describe('values of a REST call', () => {
  it('that are half a character are said in our words', async () => {
    const registry = rig(
      async () => new Response('x'),
      {},
      { path: '/x/{id}', input: input({ id: { type: 'string' } }) },
    )
    const outcome = await registry.invoke('rest://shop.get', { id: '\ud800' })
    expect(JSON.stringify(outcome)).not.toMatch(/URI/)
    expect(outcome.ok).toBe(false)
  })
  it('have a place each', () => {
    const params = { a: { in: 'query', name: 'x' }, b: { in: 'query', name: 'x' } }
    const properties = { a: { type: 'string' }, b: { type: 'string' } }
    expect(() => rig(async () => new Response('x'), {}, { params, input: input(properties) })).toThrow(/same place/)
  })
  it('go into a path alone, without a query or dots', () => {
    expect(() => rig(async () => new Response('x'), {}, { path: '/x?kind=a' })).toThrow(/Cannot use the REST path/)
    expect(() => rig(async () => new Response('x'), {}, { path: '/x/../y' })).toThrow(/Cannot use the REST path/)
  })
  it('travel in headers that can have the name', () => {
    const params = { a: { in: 'header', name: 'x y' } }
    expect(() => rig(async () => new Response('x'), {}, { params, input: input({ a: { type: 'string' } }) })).toThrow(
      /Cannot use the REST path/,
    )
  })
})

describe('an answer', () => {
  it('is read in its charset', async () => {
    const answer: Fetch = async () =>
      new Response(new Uint8Array([0x63, 0x61, 0x66, 0xe9]), {
        headers: { 'content-type': 'text/plain; charset=iso-8859-1' },
      })
    expect(await rig(answer).call('rest://shop.get', {})).toEqual({ result: 'café' })
    const odd: Fetch = async () => new Response('café', { headers: { 'content-type': 'text/plain; charset=nonsense' } })
    expect(await rig(odd).call('rest://shop.get', {})).toEqual({ result: 'café' })
  })
  it('may have a byte order mark, or nothing', async () => {
    const bom: Fetch = async () => new Response('\ufeff{"a":1}', { headers: { 'content-type': 'application/json' } })
    expect(await rig(bom).call('rest://shop.get', {})).toEqual({ result: { a: 1 } })
    const none: Fetch = async () => new Response(null, { status: 204 })
    expect((await rig(none).invoke('rest://shop.get', {})).ok).toBe(true)
  })
  it('that breaks off is a failure of ours', async () => {
    const broken: Fetch = async () =>
      new Response(new ReadableStream({ pull: (c) => c.error(new Error('engine words')) }), {
        headers: { 'content-type': 'application/json' },
      })
    const outcome = await rig(broken).invoke('rest://shop.get', {})
    expect(outcome.ok).toBe(false)
    expect(JSON.stringify({ ...outcome, cause: 0 })).not.toContain('engine words')
  })
  it('that nests deep is a failure, and one with a prototype is data', async () => {
    const deep: Fetch = async () =>
      new Response('['.repeat(1e5) + ']'.repeat(1e5), { headers: { 'content-type': 'application/json' } })
    expect((await rig(deep).invoke('rest://shop.get', {})).ok).toBe(false)
    const proto: Fetch = async () =>
      new Response('{"__proto__":{"isAdmin":true}}', { headers: { 'content-type': 'application/json' } })
    const value = (await rig(proto).call('rest://shop.get', {})) as { result: { isAdmin?: boolean } }
    expect(value.result.isAdmin).toBeUndefined()
  })
})
