import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { mcpServer } from '../../src/mcp/mcp-server.ts'
import type { McpServerOptions } from '../../src/mcp/mcp-server.ts'
import { echoTool, failure, fakeServer, json, result, says, statelessFacts } from './fake-server.ts'
import type { Answering, FakeServer } from './fake-server.ts'

const url = 'https://mcp.example/mcp'

const serverOf = (fake: FakeServer, more: Partial<McpServerOptions> = {}) =>
  mcpServer({ name: 'git', url, fetch: fake.fetch, ...more })

const registryOf = (fake: FakeServer, more?: Partial<McpServerOptions>) =>
  toolRegistry().addSource(serverOf(fake, more))

const echoes: Answering = ({ message: { method, params } }) =>
  method === 'tools/call' ? says(`echo: ${params?.['arguments']?.['text']}`) : undefined

describe('mcpServer()', () => {
  it('does nothing when it is registered, and connects when a tool is called', async () => {
    const fake = fakeServer(echoes, [echoTool])
    const registry = registryOf(fake)
    expect(fake.asked).toEqual([])
    expect(await registry.call('mcp://git.echo', { text: 'a' })).toEqual({ result: 'echo: a' })
    expect(fake.methods()).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ])
    await registry.connect()
    expect(fake.asked.length).toBe(5)
  })

  it('speaks the stateless protocol with a server that knows it, and says the same in headers and body', async () => {
    const fake = fakeServer((asked, count) => {
      const { method } = asked.message
      if (method === 'server/discover') return statelessFacts()
      return method === 'tools/list' ? { tools: [echoTool] } : echoes(asked, count)
    })
    const server = serverOf(fake)
    const registry = toolRegistry().addSource(server)
    expect(await registry.call('mcp://git.echo', { text: 'ä' })).toEqual({ result: 'echo: ä' })
    expect(fake.methods()).toEqual(['server/discover', 'tools/list', 'tools/call'])
    const { headers, message } = fake.asked[2]!
    expect([headers['mcp-protocol-version'], headers['mcp-method'], headers['mcp-name']]).toEqual([
      '2026-07-28',
      'tools/call',
      'echo',
    ])
    expect(message.params?.['_meta']).toMatchObject({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    })
    expect(server.info).toMatchObject({ protocolVersion: '2026-07-28', server: { name: 'fake', version: '2' } })
  })

  it.each([
    ['no url', { url: undefined as unknown as string }, 'wanted an http or https url'],
    ['a url that is none', { url: 'nowhere' }, '"nowhere"'],
    ['another protocol', { url: 'ftp://mcp.example' }, '"ftp:"'],
    ['a password in the url', { url: 'https://a:b@mcp.example' }, 'use auth'],
  ])('fails at connect with %s', async (_, options, words) => {
    const fake = fakeServer()
    const server = serverOf(fake, options)
    await expect(server.connect()).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining(words),
    })
    expect(fake.asked).toEqual([])
  })

  it('fails at connect where nobody answers, without the words of the engine, and may be tried again', async () => {
    const server = mcpServer({ name: 'git', url, fetch: () => Promise.reject(new TypeError('getaddrinfo ENOTFOUND')) })
    await expect(server.connect()).rejects.toMatchObject({
      code: 'source-failed',
      message: 'The MCP server "git" cannot be reached',
      retryable: true,
    })
  })

  it('connects once for all who ask at the same time', async () => {
    const fake = fakeServer()
    const server = serverOf(fake)
    await Promise.all([server.connect(), server.connect(), server.list()])
    expect(fake.methods().filter((method) => method === 'initialize').length).toBe(1)
  })

  it('opens again after it was closed', async () => {
    const fake = fakeServer(echoes, [echoTool])
    const registry = registryOf(fake)
    await registry.call('git_echo', { text: 'a' }).catch(() => undefined)
    await registry.call('mcp://git.echo', { text: 'a' })
    await registry.close()
    expect(registry.list()).toEqual([])
    expect(await registry.call('mcp://git.echo', { text: 'b' })).toEqual({ result: 'echo: b' })
  })

  it('ends what is under way when it is closed', async () => {
    const fake = fakeServer(
      ({ message: { method } }) => (method === 'tools/call' ? new Promise(() => undefined) : undefined),
      [echoTool],
    )
    const server = serverOf(fake)
    const registry = toolRegistry().addSource(server)
    const call = registry.invoke('mcp://git.echo', { text: 'a' })
    while (!fake.methods().includes('tools/call')) await new Promise((resolve) => setTimeout(resolve))
    await server.close()
    expect(await call).toMatchObject({ ok: false, reason: 'failed' })
    expect(fake.asked.at(-1)?.signal?.aborted).toBe(true)
  })
})

describe('negotiation', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])('takes %s where the server wants it', async (version) => {
    const fake = fakeServer(({ message: { method } }) =>
      method === 'initialize' ? { protocolVersion: version, capabilities: { tools: {} } } : undefined,
    )
    const server = serverOf(fake)
    await server.list()
    expect(server.info?.protocolVersion).toBe(version)
    expect(fake.asked.at(-1)?.headers['mcp-protocol-version']).toBe(version)
    expect(fake.asked[1]?.headers['mcp-protocol-version']).toBeUndefined()
  })

  it('refuses a revision that nobody here speaks', async () => {
    const fake = fakeServer(({ message: { method } }) =>
      method === 'initialize' ? { protocolVersion: '2024-01-01', capabilities: {} } : undefined,
    )
    await expect(serverOf(fake).connect()).rejects.toMatchObject({ message: expect.stringContaining('"2024-01-01"') })
  })

  it('falls back to a session where the stateless question is refused by a page, a status or an error', async () => {
    for (const answer of [
      () => new Response('<h1>Bad request</h1>', { status: 400, headers: { 'content-type': 'text/html' } }),
      () => new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } }),
      () => new Response(null, { status: 405 }),
      (id: number | undefined) => failure(id, -32000, 'No session', { status: 400 }),
      (id: number | undefined) => failure(id, -32602, 'Invalid params'),
      () => ({ anything: 'else' }),
      () =>
        json(
          { jsonrpc: '2.0', error: { code: -32022, message: 'x', data: { supported: ['2025-11-25'] } } },
          { status: 400 },
        ),
    ]) {
      const fake = fakeServer(({ message: { id, method } }) => (method === 'server/discover' ? answer(id) : undefined))
      const server = serverOf(fake)
      await server.connect()
      expect(server.info?.protocolVersion).toBe('2025-11-25')
    }
  })

  it('asks no more where a stateless server speaks nothing that is known', async () => {
    const fake = fakeServer(() =>
      json(
        { jsonrpc: '2.0', error: { code: -32022, message: 'x', data: { supported: ['2030-01-01'] } } },
        { status: 400 },
      ),
    )
    await expect(serverOf(fake).connect()).rejects.toMatchObject({ message: expect.stringContaining('"2030-01-01"') })
    expect(fake.methods()).toEqual(['server/discover'])
  })

  it('spares the question where the revision is given', async () => {
    const fake = fakeServer()
    await serverOf(fake, { protocolVersion: '2025-06-18' }).connect()
    expect(fake.methods()[0]).toBe('initialize')
    const stateless = serverOf(fakeServer(), { protocolVersion: '2026-07-28' })
    await expect(stateless.connect()).rejects.toMatchObject({
      message: expect.stringContaining('does not speak "2026-07-28"'),
    })
  })
})

describe('a session', () => {
  const sessions = (lost: (count: number) => boolean): FakeServer => {
    let calls = 0
    return fakeServer(
      ({ method, message, headers }) => {
        if (method === 'DELETE') return new Response(null, { status: 200 })
        if (message.method === 'initialize')
          return json(
            { jsonrpc: '2.0', id: message.id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} } } },
            { headers: { 'mcp-session-id': `session-of-${++calls}-and-a-long-name` } },
          )
        if (message.method !== 'tools/call') return undefined
        return lost(calls) ? new Response(null, { status: 404 }) : says(`in ${headers['mcp-session-id']}`)
      },
      [echoTool],
    )
  }

  it('is named in every request, ended when the source is closed, and never shown', async () => {
    const fake = sessions(() => false)
    const registry = registryOf(fake)
    // What the server says again of it is taken out.
    expect(await registry.call('mcp://git.echo', { text: 'a' })).toEqual({ result: 'in …' })
    await registry.close()
    expect(fake.asked.map(({ headers }) => headers['mcp-session-id'])).toEqual([
      undefined,
      undefined,
      'session-of-1-and-a-long-name',
      'session-of-1-and-a-long-name',
      'session-of-1-and-a-long-name',
      'session-of-1-and-a-long-name',
    ])
    expect(fake.methods().at(-1)).toBe('DELETE')
  })

  it('that is lost is begun anew once, and the call made again in it', async () => {
    const fake = sessions((count) => count === 1)
    expect(await registryOf(fake).call('mcp://git.echo', { text: 'a' })).toEqual({ result: 'in …' })
    expect(fake.methods().filter((method) => method === 'initialize').length).toBe(2)
    // It is known by then what the server speaks.
    expect(fake.methods().filter((method) => method === 'server/discover').length).toBe(1)
  })

  it('that is lost again fails the call', async () => {
    const fake = sessions(() => true)
    const outcome = await registryOf(fake).invoke('mcp://git.echo', { text: 'a' })
    expect(outcome).toMatchObject({ ok: false, reason: 'failed' })
    expect(fake.methods().filter((method) => method === 'tools/call').length).toBe(2)
  })
})

describe('credentials', () => {
  const guardedServer = (token: string): FakeServer =>
    fakeServer(
      (asked, count) => {
        if (asked.headers['authorization'] !== `Bearer ${token}`)
          return new Response('no', { status: 401, headers: { 'www-authenticate': 'Bearer realm="x"' } })
        return echoes(asked, count)
      },
      [echoTool],
    )

  it('are renewed once after a 401, by a function that is told of it', async () => {
    const fake = guardedServer('new-token')
    const refusals: unknown[] = []
    let token = 'old-token'
    const auth: McpServerOptions['auth'] = ({ refused }) => {
      if (refused !== undefined) {
        refusals.push(refused)
        token = 'new-token'
      }
      return { authorization: `Bearer ${token}` }
    }
    expect(await registryOf(fake, { auth }).call('mcp://git.echo', { text: 'a' })).toEqual({ result: 'echo: a' })
    expect(refusals).toEqual(['Bearer realm="x"'])
  })

  it('that are refused again fail, at connect already, and never show', async () => {
    const fake = guardedServer('another')
    const server = serverOf(fake, { auth: { type: 'bearer', token: () => 'very-secret' } })
    const thrown: unknown = await server.connect().catch((error: unknown) => error)
    expect(thrown).toMatchObject({
      message: 'The MCP server "git" answered with status 401: no',
      data: { status: 401 },
    })
    expect(JSON.stringify(thrown)).not.toContain('very-secret')
    expect(fake.asked.length).toBe(2)
  })

  it('that are a text are not sent twice', async () => {
    const fake = guardedServer('another')
    await serverOf(fake, { auth: { type: 'bearer', token: 'fixed-token' } })
      .connect()
      .catch(() => undefined)
    expect(fake.asked.length).toBe(1)
  })

  it('go to no address that the server redirects to', async () => {
    const fake = fakeServer(() => new Response(null, { status: 307, headers: { location: 'https://evil.example' } }))
    await expect(serverOf(fake).connect()).rejects.toMatchObject({ message: expect.stringContaining('redirects') })
    // The first question is refused like any other by a status; the second says why.
    expect(fake.methods()).toEqual(['server/discover', 'initialize'])
  })
})

it('lists of results are read as a batch', async () => {
  const fake = fakeServer(
    ({ message: { id, method } }) =>
      method === 'tools/call'
        ? json([
            { jsonrpc: '2.0', method: 'notifications/x' },
            { jsonrpc: '2.0', id, result: says('b') },
          ])
        : undefined,
    [echoTool],
  )
  expect(await registryOf(fake).call('mcp://git.echo', { text: 'a' })).toEqual({ result: 'b' })
  expect(result(1, {}).status).toBe(200)
})
