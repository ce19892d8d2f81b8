import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { mcpHandler } from '../../src/serve.ts'
import { tool } from '../../src/tool/valibot-tool.ts'
import { ask, begin, call, newest, post, shop } from './client.ts'

const info = { 'io.modelcontextprotocol/serverInfo': { name: 'sameloop', version: '0' } }

describe('the newest revision', () => {
  it('is discovered without a handshake', async () => {
    const { messages } = await ask(shop().handler({ instructions: 'Add first.' }), 'server/discover')
    expect(messages).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
          capabilities: { tools: {} },
          instructions: 'Add first.',
          ttlMs: 0,
          cacheScope: 'private',
          _meta: info,
        },
      },
    ])
  })

  it('lists tools with schemas of both sides and hints of their effects', async () => {
    const { messages } = await ask(shop().handler(), 'tools/list')
    const [{ result }] = messages
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta: info })
    expect(result.nextCursor).toBeUndefined()
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['add', 'send', 'count'])
    expect(result.tools[0]).toEqual({
      name: 'add',
      description: 'Adds two numbers.',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      annotations: { readOnlyHint: true },
    })
    expect(result.tools[1].annotations).toEqual({ readOnlyHint: false })
    expect(result.tools[1].outputSchema).toBeUndefined()
  })

  it('answers a call with content for the model and the value for code', async () => {
    const { messages, isStream } = await ask(shop().handler(), 'tools/call', {
      name: 'add',
      arguments: { a: 1, b: '2' },
    })
    expect(isStream).toBe(false)
    expect(messages[0].result).toEqual({
      resultType: 'complete',
      content: [{ type: 'text', text: '{"sum":3}' }],
      structuredContent: { sum: 3 },
      _meta: info,
    })
  })

  it('tells the model of wrong input in band, and the program of an unknown tool', async () => {
    const handler = shop().handler()
    const wrong = await ask(handler, 'tools/call', { name: 'add', arguments: { a: 'x', b: 2 } })
    expect(wrong.messages[0].result).toMatchObject({ isError: true })
    expect(wrong.messages[0].result.content[0].text).toContain('Invalid input for tool "add"')
    const unknown = await ask(handler, 'tools/call', { name: 'ad', arguments: {} })
    expect(unknown.messages[0].error).toEqual({ code: -32602, message: 'Unknown tool: "ad"' })
  })

  it.each([
    ['no version in the header', { 'mcp-protocol-version': '' }, {}, -32020],
    ['another version in the header', { 'mcp-protocol-version': '2025-11-25' }, {}, -32020],
    ['another method in the header', { 'mcp-method': 'tools/list' }, {}, -32020],
    ['another name in the header', { 'mcp-name': 'send' }, {}, -32020],
    ['no capabilities', {}, { 'io.modelcontextprotocol/clientCapabilities': undefined }, -32602],
    ['no version in the body', {}, { 'io.modelcontextprotocol/protocolVersion': undefined }, -32602],
    [
      'a version of tomorrow',
      { 'mcp-protocol-version': '2027-01-01' },
      { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' },
      -32022,
    ],
  ])('is refused with %s', async (_, headers, meta, code) => {
    const { status, messages } = await ask(
      shop().handler(),
      'tools/call',
      { name: 'add', arguments: { a: 1, b: 2 } },
      { headers, meta },
    )
    expect(status).toBe(400)
    expect(messages[0]).toMatchObject({ id: 1, error: { code } })
  })

  it('compares a name that a header cannot hold as it is', async () => {
    const headers = { 'mcp-name': '=?base64?YWRk?=' }
    const { status } = await ask(
      shop().handler(),
      'tools/call',
      { name: 'add', arguments: { a: 1, b: 2 } },
      { headers },
    )
    expect(status).toBe(200)
  })

  it.each(['initialize', 'ping', 'resources/list', 'constructor', '__proto__', 'toString'])(
    'has no method %s',
    async (method) => {
      const { status, messages } = await ask(shop().handler({ sessions: true }), method)
      expect([status, messages[0].error.code]).toEqual([404, -32601])
    },
  )

  it('lists what depends on who asks, and calls nothing else', async () => {
    const { registry } = shop()
    registry.allow(({ name }, { deps }) => name === 'add' || deps === 'boss')
    const handler = mcpHandler(registry, {
      auth: ({ headers }) => ({ deps: headers.get('authorization') ?? 'nobody' }),
    })
    const names = async (authorization: string) =>
      (await ask(handler, 'tools/list', {}, { headers: { authorization } })).messages[0].result.tools.length
    expect([await names('boss'), await names('clerk')]).toEqual([3, 1])
    const { messages } = await ask(handler, 'tools/call', { name: 'count' }, { headers: { authorization: 'clerk' } })
    expect(messages[0].error.message).toBe('Unknown tool: "count"')
  })
})

describe('the revisions with a handshake', () => {
  const initialize = (protocolVersion: unknown): object => ({
    jsonrpc: '2.0',
    id: 'a',
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })

  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['nonsense', '2025-11-25'],
  ])('%s is answered with %s', async (asked, version) => {
    const { status, headers, messages } = await post(shop().handler(), initialize(asked))
    expect(status).toBe(200)
    expect(headers.get('mcp-session-id')).toBeNull()
    expect(messages[0]).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: {
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'sameloop', version: '0' },
      },
    })
  })

  it('work without sessions: every request is served alone', async () => {
    const handler = shop().handler()
    const headers = { 'mcp-protocol-version': '2025-06-18' }
    expect((await post(handler, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202)
    expect((await post(handler, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).messages[0].result).toEqual({})
    const { messages } = await post(handler, call(2, 'add', { a: 1, b: 2 }), headers)
    expect(messages[0]).toMatchObject({ id: 2, result: { structuredContent: { sum: 3 } } })
    expect(messages[0].result.resultType).toBeUndefined()
  })

  it('refuse a version that is not known', async () => {
    for (const version of ['2024-11-05', '1', newest.slice(0, 9)]) {
      const { status, messages } = await post(shop().handler(), call(1, 'add'), { 'mcp-protocol-version': version })
      expect([status, messages[0].error.data.requested]).toEqual([400, version])
    }
  })

  it('hold to what the handshake agreed on, whatever a header says later', async () => {
    const handler = shop().handler({ sessions: true })
    const session = await begin(handler)
    const headers = { ...session, 'mcp-protocol-version': '2025-03-26' }
    expect((await post(handler, call(1, 'add', { a: 1, b: 2 }), headers)).status).toBe(200)
    expect((await post(handler, [call(1, 'add', { a: 1, b: 2 })], headers)).status).toBe(400)
  })

  it('take several messages at once in the oldest of them only', async () => {
    const batch = [
      call(1, 'add', { a: 1, b: 2 }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { nonsense: true },
      call(2, 'add', { a: 3, b: 4 }),
    ]
    const { messages } = await post(shop().handler(), batch)
    expect(messages).toMatchObject([{ id: 1 }, { error: { code: -32600 } }, { id: 2 }])
    for (const version of ['2025-06-18', '2025-11-25', newest])
      expect((await post(shop().handler(), batch, { 'mcp-protocol-version': version })).status).toBe(400)
    for (const size of [0, 51]) {
      const many = Array.from({ length: size }, (_, id) => call(id, 'add'))
      expect((await post(shop().handler(), many)).status).toBe(400)
    }
    expect((await post(shop().handler(), [{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status).toBe(202)
  })
})

describe('a list of tools', () => {
  it('of ten thousand comes in pages, complete and in order, also when a tool goes between two of them', async () => {
    const registry = toolRegistry().register(
      Array.from({ length: 10_000 }, (_, index) =>
        tool({ name: `tool_${index}`, description: `Number ${index}.`, execute: () => index }),
      ),
    )
    const handler = mcpHandler(registry, { pageSize: 700 })
    const names: string[] = []
    let cursor: string | undefined
    do {
      const { messages } = await ask(handler, 'tools/list', cursor === undefined ? {} : { cursor })
      const { tools, nextCursor } = messages[0].result
      names.push(...tools.map(({ name }: { name: string }) => name))
      // Neither the last one listed nor one before it moves the next page by more than its own place.
      if (cursor === undefined) registry.unregister('tool_0')
      cursor = nextCursor
    } while (cursor !== undefined)
    expect(names).toEqual(Array.from({ length: 10_000 }, (_, index) => `tool_${index}`))
    const { messages } = await ask(handler, 'tools/call', { name: 'tool_9999' })
    expect(messages[0].result.content).toEqual([{ type: 'text', text: '9999' }])
  })

  it.each(['', 'x', '1', '-1.add', '99999999999.add', 7, null, { a: 1 }])(
    'does not begin at a cursor that it did not give: %j',
    async (cursor) => {
      const { messages } = await ask(shop().handler(), 'tools/list', { cursor })
      expect(messages[0].error.code).toBe(-32602)
    },
  )

  it('calls the tool that it listed, also where names were made safe', async () => {
    const named = (name: string) => tool({ name, description: name, execute: () => `I am ${name}` })
    const registry = toolRegistry().register([named('a.b'), named('a_b')])
    const { messages } = await ask(mcpHandler(registry), 'tools/list')
    const names = messages[0].result.tools.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['a_b', 'a_b_2'])
    const said = async (name: string) =>
      (await ask(mcpHandler(registry), 'tools/call', { name })).messages[0].result.content[0].text
    expect([await said('a_b'), await said('a_b_2')]).toEqual(['I am a.b', 'I am a_b'])
  })

  it('shows the tools of sources that connect, and tells the program of those that do not', async () => {
    const told: unknown[] = []
    const registry = shop().registry.addSource({
      scheme: 'rest',
      name: 'broken',
      list: () => Promise.reject(new Error('down')),
    })
    registry.addSource({
      scheme: 'rest',
      name: 'fine',
      list: () => [tool({ name: 'get', description: 'Gets.', execute: () => 'got' })],
    })
    const handler = mcpHandler(registry, { onError: (thrown) => told.push(thrown) })
    const { messages } = await ask(handler, 'tools/list')
    expect(messages[0].result.tools.map(({ name }: { name: string }) => name)).toContain('fine_get')
    expect(told).toMatchObject([{ code: 'source-failed' }])
    const called = await ask(handler, 'tools/call', { name: 'fine_get' })
    expect(called.messages[0].result.content[0].text).toBe('got')
  })
})
