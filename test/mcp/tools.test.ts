import { describe, expect, it } from 'vitest'
import { agent } from '../../src/index.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { mcpServer } from '../../src/mcp/mcp-server.ts'
import type { McpServerOptions } from '../../src/mcp.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { echoTool, events, fakeServer, says, statelessFacts } from './fake-server.ts'
import type { Answering } from './fake-server.ts'

const url = 'https://mcp.example/mcp'

const made = (answering: Answering, tools: readonly object[], more: Partial<McpServerOptions> = {}) => {
  const fake = fakeServer(answering, tools)
  const warnings: string[] = []
  const onWarning = (text: string): void => void warnings.push(text)
  const server = mcpServer({ name: 'git', url, fetch: fake.fetch, protocolVersion: '2025-11-25', onWarning, ...more })
  return { fake, server, warnings, registry: toolRegistry().addSource(server) }
}

const answers =
  (value: object): Answering =>
  ({ message: { method } }) =>
    method === 'tools/call' ? value : undefined

const plain = { name: 'act', inputSchema: { type: 'object' } }

const invoke = (value: object, tool: object = plain) =>
  made(answers(value), [tool]).registry.invoke('mcp://git.act', {})

describe('a tool of an MCP server', () => {
  it('is shown with its whole schema, checked and coerced by it, and sent without what was left out', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        count: { type: 'integer', minimum: 1 },
        place: { $ref: '#/$defs/place' },
        note: { type: 'string' },
      },
      required: ['count'],
      $defs: { place: { type: 'object', properties: { city: { enum: ['Rome', 'Oslo'] } }, required: ['city'] } },
    }
    const { registry, fake } = made(answers(says('done')), [{ name: 'act', title: 'Acts', inputSchema }])
    const { inputSchema: shown, description } = await registry.definition('mcp://git.act')
    expect([shown, description]).toEqual([inputSchema, 'Acts'])
    expect(await registry.invoke('mcp://git.act', { count: 0 })).toMatchObject({ reason: 'invalid-input' })
    expect(await registry.invoke('mcp://git.act', { count: 1, place: { city: 'Bonn' } })).toMatchObject({
      reason: 'invalid-input',
    })
    await registry.invoke('mcp://git.act', { count: '3', place: { city: 'Rome' } })
    const sent = fake.asked.filter(({ message }) => message.method === 'tools/call')
    expect(sent.map(({ message }) => message.params?.['arguments'])).toEqual([{ count: 3, place: { city: 'Rome' } }])
  })

  it.each([
    [
      'text',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      [{ type: 'text', text: 'a\nb' }],
    ],
    [
      'an image and audio',
      [
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'audio', data: 'aGk=', mimeType: 'audio/wav; codecs=1' },
      ],
      [
        { type: 'file', mediaType: 'image/png', data: 'aGk=' },
        { type: 'file', mediaType: 'audio/wav', data: 'aGk=' },
      ],
    ],
    [
      'resources within',
      [
        { type: 'resource', resource: { uri: 'file:///a', text: 'whole' } },
        { type: 'resource', resource: { uri: 'file:///b', blob: 'aGk=' } },
      ],
      [
        { type: 'text', text: 'whole' },
        { type: 'file', mediaType: 'application/octet-stream', data: 'aGk=', name: 'file:///b' },
      ],
    ],
    [
      'a link',
      [{ type: 'resource_link', uri: 'file:///a', name: 'A', description: 'first' }],
      [{ type: 'text', text: '[Resource "A": file:///a (first)]' }],
    ],
    [
      'what cannot be read',
      [
        { type: 'hologram' },
        7,
        { type: 'text' },
        { type: 'image', data: '<script>', mimeType: 'image/png' },
        { type: 'image', data: 'aGk=', mimeType: 'x' },
      ],
      [
        {
          type: 'text',
          text: ['"hologram"', 'nothing', '"text"', '"image"', '"image"']
            .map((it) => `[${it}: not readable here]`)
            .join('\n'),
        },
      ],
    ],
    ['nothing', [], [{ type: 'text', text: '' }]],
    ['no list', 'text', [{ type: 'text', text: '[nothing: not readable here]' }]],
  ])('gives %s as parts', async (_, content, parts) => {
    expect(await invoke({ content })).toMatchObject({ ok: true, parts })
  })

  it('gives a typed value that fits its output schema, and what is no text beside it', async () => {
    const outputSchema = { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] }
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
    const outcome = await invoke(
      { structuredContent: { celsius: '21' }, content: [{ type: 'text', text: '{"celsius":21}' }, image] },
      { ...plain, outputSchema },
    )
    expect(outcome).toMatchObject({
      ok: true,
      value: { celsius: 21 },
      parts: [
        { type: 'json', value: { celsius: 21 } },
        { type: 'file', mediaType: 'image/png' },
      ],
    })
  })

  it.each([
    ['another value', { structuredContent: { celsius: 'hot' }, content: [] }],
    ['no value', { content: [{ type: 'text', text: '{"celsius":21}' }] }],
    ['a list', { structuredContent: [1] }],
  ])('that lies about its output with %s is invalid-output, in band', async (_, value) => {
    const outputSchema = { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] }
    expect(await invoke(value, { ...plain, outputSchema })).toMatchObject({ ok: false, reason: 'invalid-output' })
  })

  it('whose output schema cannot be used still works, and that is reported', async () => {
    const outputSchema = { $ref: 'https://evil.example/s' }
    const { registry, warnings } = made(answers({ structuredContent: { a: 1 } }), [{ ...plain, outputSchema }])
    expect(await registry.call('mcp://git.act')).toEqual({ result: { a: 1 } })
    expect(warnings).toEqual([expect.stringContaining('The output of tool "act" is not checked')])
  })

  it('that says it failed is a failure the model reads', async () => {
    expect(await invoke({ isError: true, content: [{ type: 'text', text: 'No such branch' }] })).toMatchObject({
      ok: false,
      reason: 'failed',
      parts: [{ text: 'No such branch' }],
    })
    expect(await invoke({ isError: true, content: [] })).toMatchObject({
      parts: [{ text: expect.stringContaining('did not say why') }],
    })
  })

  it('is unsafe whatever it says of itself, unless its annotations are trusted', async () => {
    const hinted = [
      { ...plain, name: 'reads', annotations: { readOnlyHint: true } },
      { ...plain, name: 'repeats', annotations: { idempotentHint: true } },
      { ...plain, name: 'else', annotations: { readOnlyHint: 'true', destructiveHint: false } },
    ]
    const effects = async (more?: object) =>
      (await made(() => undefined, hinted, more).server.list()).map(({ effect }) => effect)
    expect(await effects()).toEqual(['unsafe', 'unsafe', 'unsafe'])
    expect(await effects({ trustAnnotations: true })).toEqual(['read', 'idempotent', 'unsafe'])
  })

  it('shows the person who decides which server would be called', async () => {
    const { registry } = made(answers(says('x')), [{ ...plain }])
    const [tool] = await made(() => undefined, [plain]).server.list()
    expect(await tool?.describeCall?.({}, {} as never)).toEqual({
      summary: 'Calls "act" of the MCP server "git"',
      host: 'mcp.example',
    })
    expect(await registry.definition('mcp://git.act')).toBeDefined()
  })

  it('reports progress that goes on, and no more than a thousand times', async () => {
    const progress = (token: unknown, value: unknown, more = {}) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: token, progress: value, ...more },
    })
    const { server } = made(
      ({ message: { id, method, params } }) => {
        if (method !== 'tools/call') return undefined
        const token = params?.['_meta']?.['progressToken']
        return events([
          progress(token, 1, { total: 3, message: 'x'.repeat(2000) }),
          progress(token, 1),
          progress(999, 2),
          progress(token, 'two'),
          ...Array.from({ length: 2000 }, (_, index) => progress(token, 2 + index)),
          { jsonrpc: '2.0', id, result: says('done') },
        ])
      },
      [plain],
    )
    const registry = toolRegistry().addSource(server)
    const model = scriptedModel([{ calls: [{ name: 'git_act' }] }, 'done'])
    const run = agent({ model, registry }).run('go')
    const seen = []
    for await (const event of run) if (event.type === 'tool-progress') seen.push(event.value)
    expect(seen.length).toBe(1000)
    expect(seen.slice(0, 2)).toEqual([{ progress: 1, total: 3, message: `${'x'.repeat(500)}…` }, { progress: 2 }])
  })
})

describe('marked parameters', () => {
  const marked = {
    name: 'query',
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        deep: { type: 'object', properties: { on: { type: 'boolean', 'x-mcp-header': 'On' } } },
        count: { type: 'integer', 'x-mcp-header': 'Count' },
      },
    },
  }

  it('travel in headers of the stateless protocol, encoded, where they have a value', async () => {
    const { registry, fake } = made(
      ({ message: { method } }) => {
        if (method === 'server/discover') return statelessFacts()
        return method === 'tools/list' ? { tools: [marked] } : says('ok')
      },
      [],
      { protocolVersion: '2026-07-28' },
    )
    await registry.call('mcp://git.query', { region: 'Zürich', deep: { on: true } })
    const { headers } = fake.asked.at(-1)!
    expect([headers['mcp-param-region'], headers['mcp-param-on'], headers['mcp-param-count']]).toEqual([
      '=?base64?WsO8cmljaA==?=',
      'true',
      undefined,
    ])
  })

  it.each([
    ['in a list', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }],
    ['in a choice', { a: { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] } }],
    ['twice', { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }],
    ['with a line break', { a: { type: 'string', 'x-mcp-header': 'A\r\nHost: evil' } }],
    ['at a number', { a: { type: 'number', 'x-mcp-header': 'A' } }],
    ['without a name', { a: { type: 'string', 'x-mcp-header': '' } }],
  ])('that stand %s take the tool out of the list', async (_, properties) => {
    const { server, warnings } = made(
      () => undefined,
      [{ name: 'odd', inputSchema: { type: 'object', properties } }, echoTool],
    )
    expect((await server.list()).map(({ name }) => name)).toEqual(['echo'])
    expect(warnings[0]).toContain('x-mcp-header')
  })
})

describe('names of tools', () => {
  // C88 of the collected cases.
  const long = 'a'.repeat(80)
  const names = ['read.file', 'read/file', 'read_file', `${long}1`, `${long}2`, 'größe', 'x y', '']

  it('are shown as providers take them, all distinct, and lead to the tool that was meant', async () => {
    const tools = names.map((name) => ({ ...plain, name }))
    const fake = fakeServer(
      ({ message: { method, params } }) => (method === 'tools/call' ? says(String(params?.['name'])) : undefined),
      tools,
    )
    const server = (name: string) => mcpServer({ name, url, fetch: fake.fetch, protocolVersion: '2025-11-25' })
    const shownBy = async (registry: ReturnType<typeof toolRegistry>) => {
      await registry.connect()
      return registry.definitions().map(({ name }) => name)
    }
    const registry = toolRegistry().addSource(server('fs')).addSource(server('other'))
    const shown = await shownBy(registry)
    expect(shown.length).toBe(14)
    expect(new Set(shown).size).toBe(14)
    for (const name of shown) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
    expect(await shownBy(toolRegistry().addSource(server('fs')).addSource(server('other')))).toEqual(shown)
    for (const name of names.filter(Boolean))
      for (const source of ['fs', 'other'])
        expect(await registry.call(`mcp://${source}.${name}`)).toEqual({ result: name })
    const meant = await Promise.all(shown.map((name) => registry.call(name)))
    expect(meant).toEqual([...names.filter(Boolean), ...names.filter(Boolean)].map((name) => ({ result: name })))
  })
})

describe('resources and prompts', () => {
  it('are lists, contents and messages for the program', async () => {
    const { server } = made(({ message: { method, params } }) => {
      if (method === 'initialize')
        return { protocolVersion: '2025-11-25', capabilities: { resources: {}, prompts: {} } }
      if (method === 'resources/list') return { resources: [{ uri: 'file:///a', name: 'A' }, 'odd'] }
      if (method === 'resources/templates/list') return { resourceTemplates: [{ uriTemplate: 'file:///{x}' }] }
      if (method === 'resources/read') return { contents: [{ uri: params?.['uri'], text: 'whole' }] }
      if (method === 'prompts/list') return { prompts: [{ name: 'greet' }] }
      if (method === 'prompts/get')
        return {
          messages: [{ role: 'user', content: { type: 'text', text: `Hello ${params?.['arguments']?.['who']}` } }],
        }
      return undefined
    }, [])
    expect(server.info).toBeUndefined()
    expect(await server.resources()).toEqual([{ uri: 'file:///a', name: 'A' }])
    expect(await server.resourceTemplates()).toEqual([{ uriTemplate: 'file:///{x}' }])
    expect(await server.readResource('file:///a')).toEqual([{ type: 'text', text: 'whole' }])
    expect(await server.prompts()).toEqual([{ name: 'greet' }])
    expect(await server.prompt('greet', { who: 'Ann' })).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello Ann' }] },
    ])
    expect(await server.list()).toEqual([])
  })
})
