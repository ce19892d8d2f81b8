import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { mcpHandler } from '../../src/serve.ts'
import { tool } from '../../src/tool/valibot-tool.ts'
import { settle, testHost } from '../host.ts'
import { ask, begin, call, heard, post, request, shop, stateless, until, url } from './client.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('a body', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['a text', '"x"'],
    ['null', 'null'],
    ['a number', '7'],
    ['an object without anything', '{}'],
    ['another protocol', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['a fraction for an id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}'],
    ['a long id', JSON.stringify({ ...ping, id: 'x'.repeat(2000) })],
    ['a method that is none', '{"jsonrpc":"2.0","id":1,"method":7}'],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'],
    ['all in a prototype', '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}'],
    ['deep nesting', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`],
  ])('of %s is refused with 400 and no words of the engine', async (_, body) => {
    const { status, messages } = await post(shop().handler(), body)
    expect(status).toBe(400)
    expect(messages[0].error.message).toMatch(/^(Wanted|Unsupported)/)
  })

  it('that is no UTF-8 is refused', async () => {
    const { status } = await heard(
      await shop().handler()(request('', {}, { body: new Uint8Array([0x22, 0xff, 0x22]) })),
    )
    expect(status).toBe(400)
  })

  it('that is too large is refused while it is read, and its sender stopped', async () => {
    let pulled = 0
    let stopped = false
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20))
      },
      cancel: () => void (stopped = true),
    })
    const { status } = await heard(await shop().handler()(request('', {}, { body, duplex: 'half' } as RequestInit)))
    expect(status).toBe(413)
    expect(pulled).toBeLessThan(30)
    expect(stopped).toBe(true)
    expect((await post(shop().handler({ maxBodyBytes: 10 }), ping)).status).toBe(413)
    expect((await post(shop().handler(), ping, { 'content-length': '99999999' })).status).toBe(413)
  })

  it('is held to the same size where requests have no stream of it, as in Firefox', async () => {
    const without = (body: string): Request => {
      const given = request(body)
      const bare = new Proxy(given, {
        get(target, key) {
          const value: unknown = key === 'body' ? undefined : Reflect.get(target, key, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      return bare
    }
    const serve = shop().handler({ maxBodyBytes: 100 })
    expect((await serve(without(JSON.stringify(ping)))).status).toBe(200)
    expect((await serve(without('x'.repeat(101)))).status).toBe(413)
  })

  it('that never ends is given up after half a minute', async () => {
    const host = testHost()
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array([0x7b])) })
    const answer = shop().handler({ host })(request('', {}, { body, duplex: 'half' } as RequestInit))
    await settle()
    await host.advance(30_001)
    expect((await answer).status).toBe(408)
  })
})

describe('a request', () => {
  it.each(['GET', 'PUT', 'PATCH', 'HEAD', 'DELETE'])(
    'by %s is answered 405, and told what is allowed',
    async (method) => {
      const response = await shop().handler()(new Request(url, { method }))
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      if (method === 'DELETE') return
      const withSessions = await shop().handler({ sessions: true })(new Request(url, { method }))
      expect([withSessions.status, withSessions.headers.get('allow')]).toEqual([405, 'POST, DELETE'])
    },
  )

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    'of the type "%s" is answered 415: no form of a foreign page gets in',
    async (type) => {
      expect((await post(shop().handler(), ping, { 'content-type': type })).status).toBe(415)
    },
  )

  it.each([
    ['text/html', 406],
    ['image/*', 406],
    ['application/json', 200],
    ['text/event-stream', 200],
    ['*/*', 200],
    ['application/json;q=0.9, text/event-stream;q=0.1', 200],
    ['APPLICATION/JSON', 200],
  ])('that takes %s is answered %i', async (accept, status) => {
    expect((await post(shop().handler(), ping, { accept })).status).toBe(status)
  })

  it('of a page comes in only from an origin of the list', async () => {
    const handler = shop().handler({ cors: ['https://app.example'] })
    const from = async (origin: string) => {
      const { status, headers } = await post(handler, ping, { origin })
      return [status, headers.get('access-control-allow-origin'), headers.get('vary')]
    }
    expect(await from('https://app.example')).toEqual([200, 'https://app.example', 'Origin'])
    expect(await from('http://127.0.0.1')).toEqual([200, 'http://127.0.0.1', 'Origin'])
    for (const origin of [
      'https://evil.example',
      'https://app.example.evil.example',
      'https://app.example:444',
      'http://app.example',
      'http://127.0.0.1:8080',
      'http://localhost',
      'null',
      '*',
      '',
    ])
      expect(await from(origin)).toEqual([403, null, 'Origin'])
  })

  it('of a page whose name was rebound to this machine is refused', async () => {
    const rebound = request(ping, { origin: 'http://evil.example' })
    const asked = new Request('http://evil.example/mcp', rebound)
    expect((await shop().handler()(asked)).status).toBe(403)
    const plain = new Request('http://evil.example/mcp', request(ping))
    expect((await shop().handler({ hosts: ['127.0.0.1', 'localhost'] })(plain)).status).toBe(421)
    expect((await post(shop().handler({ hosts: ['127.0.0.1'] }), ping)).status).toBe(200)
    expect((await post(shop().handler({ hosts: ['127.0.0.1:80'] }), ping)).status).toBe(421)
  })

  it('is asked about beforehand by a browser, and told an explicit list', async () => {
    const ask = (origin: string) =>
      shop().handler({ cors: ['https://app.example'], sessions: true })(
        new Request(url, { method: 'OPTIONS', headers: { origin } }),
      )
    const allowed = await ask('https://app.example')
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-methods')).toBe('POST, DELETE')
    expect(allowed.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version')
    expect(allowed.headers.get('access-control-allow-headers')).not.toContain('*')
    expect((await ask('https://evil.example')).status).toBe(403)
  })

  it('is let in by `auth` alone, whose refusal is the answer', async () => {
    const { sent, registry } = shop()
    const handler = mcpHandler(registry, {
      approve: () => 'approve',
      auth: ({ headers }) =>
        headers.get('authorization') === 'Bearer good'
          ? {}
          : new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } }),
    })
    const run = (authorization: string) =>
      ask(handler, 'tools/call', { name: 'send', arguments: { text: 'x' } }, { headers: { authorization } })
    const refused = await run('Bearer bad')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(sent).toEqual([])
    expect((await run('Bearer good')).status).toBe(200)
  })

  it('whose authorization fails is not let in, and tells nothing', async () => {
    const told: unknown[] = []
    const failure = new Error('the password of the database')
    const handler = shop().handler({ auth: () => Promise.reject(failure), onError: (thrown) => told.push(thrown) })
    const { status, messages } = await ask(handler, 'tools/list')
    expect([status, messages[0].error]).toEqual([500, { code: -32603, message: 'The request failed' }])
    expect(told).toEqual([failure])
  })

  it('is kept out of caches, and of what a browser may sniff', async () => {
    for (const answer of [await post(shop().handler(), ping), await post(shop().handler(), '{')])
      expect([answer.headers.get('cache-control'), answer.headers.get('x-content-type-options')]).toEqual([
        'no-store',
        'nosniff',
      ])
  })
})

describe('a call', () => {
  it.each([
    ['no name', {}],
    ['a number for a name', { name: 7 }],
    ['a list of arguments', { name: 'add', arguments: [] }],
    ['a text for arguments', { name: 'add', arguments: '{"a":1,"b":2}' }],
    ['a name of every object', { name: 'toString' }],
    ['the name of a prototype', { name: '__proto__' }],
    ['a URI', { name: 'fn://add' }],
  ])('with %s is refused as wrong parameters', async (_, params) => {
    const { messages } = await post(shop().handler(), { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect(messages[0].error.code).toBe(-32602)
  })

  it.each([[{ toString: 1 }], [['x']], [7], [null]])(
    'with a state of %j is refused as wrong parameters',
    async (state) => {
      const params = { name: 'add', arguments: { a: 1, b: 2 }, requestState: state }
      const { messages } = await ask(shop().handler(), 'tools/call', params)
      expect(messages[0].error.code).toBe(-32602)
    },
  )

  it('with a prototype in its arguments changes nothing of ours', async () => {
    const echo = tool({ name: 'echo', description: 'Echoes.', execute: (input) => Object.keys(input) })
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"polluted":1}}}}'
    await post(mcpHandler(toolRegistry().register(echo)), body)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('beyond the cap is refused, and takes no room', async () => {
    const finish: (() => void)[] = []
    const work = tool({
      name: 'work',
      description: 'Works.',
      execute: () => new Promise<string>((resolve) => void finish.push(() => resolve('done'))),
    })
    const handler = mcpHandler(toolRegistry().register(work), { maxCalls: 1 })
    const first = ask(handler, 'tools/call', { name: 'work' })
    await until(() => finish.length === 1)
    expect((await ask(handler, 'tools/call', { name: 'work' })).messages[0].error.message).toContain('takes no more')
    finish[0]?.()
    await first
    const third = ask(handler, 'tools/call', { name: 'work' })
    await until(() => finish.length === 2)
    finish[1]?.()
    expect((await third).messages[0].result.content[0].text).toBe('done')
  })

  it('whose tool throws tells the model the words of its author, and none of the engine', async () => {
    const failing = (name: string, thrown: unknown) =>
      tool({
        name,
        description: 'Fails.',
        execute() {
          throw thrown
        },
      })
    const registry = toolRegistry().register([
      failing('ours', new Error('The shop is closed')),
      failing('engine', new TypeError('undefined is not a function at secret.ts')),
    ])
    const text = async (name: string) =>
      (await ask(mcpHandler(registry), 'tools/call', { name })).messages[0].result.content[0].text
    expect(await text('ours')).toBe('The shop is closed')
    expect(await text('engine')).toBe('TypeError')
  })

  it('of a result that is too large to send says so', async () => {
    const large = tool({
      name: 'large',
      description: 'Is large.',
      maxOutputChars: Infinity,
      execute: () => 'x'.repeat(9 * 2 ** 20),
    })
    const { messages } = await ask(mcpHandler(toolRegistry().register(large)), 'tools/call', { name: 'large' })
    expect(messages[0].result).toMatchObject({ isError: true })
    expect(messages[0].result.content[0].text).toContain('at most')
  })
})

describe('many at once', () => {
  it('get each their own answer, with the same ids in different sessions', async () => {
    const serve = shop().handler({ sessions: true })
    const sessions = await Promise.all(Array.from({ length: 50 }, () => begin(serve)))
    const sums = await Promise.all(
      sessions.map(async (session, a) => {
        const { messages } = await post(serve, call(1, 'add', { a, b: 1000 }), session as never)
        return messages[0].result.structuredContent.sum
      }),
    )
    expect(sums).toEqual(sessions.map((_, a) => a + 1000))
  })

  it('leave nothing behind: no timer and no listener', async () => {
    const host = testHost()
    const handler = shop().handler({ host })
    for (let index = 0; index < 20; index++)
      await heard(await handler(stateless('tools/call', { name: 'add', arguments: { a: 1, b: index } })))
    expect(host.timers).toBe(0)
  })
})

it('what cannot be used is refused when the handler is made', () => {
  const { handler } = shop()
  for (const origins of [['*'], ['example.com'], ['https://example.com/path'], ['']])
    expect(() => handler({ cors: origins })).toThrow(/Cannot allow the origin/)
  for (const pageSize of [0, -1, Number.NaN]) expect(() => handler({ pageSize })).toThrow(/pageSize/)
})
