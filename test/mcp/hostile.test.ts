import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { mcpServer } from '../../src/mcp/mcp-server.ts'
import type { McpServer, McpServerOptions } from '../../src/mcp.ts'
import { virtualClock } from '../../src/testing/clock.ts'
import { webHost } from '../../src/host/web-host.ts'
import { echoTool, events, fakeServer, json, result, says, statelessFacts } from './fake-server.ts'
import type { Answering, FakeServer } from './fake-server.ts'

const url = 'https://mcp.example/mcp'

interface Made {
  readonly server: McpServer
  readonly fake: FakeServer
  readonly warnings: readonly string[]
  readonly call: (input?: object) => Promise<unknown>
}

function made(answering: Answering, more: Partial<McpServerOptions> = {}, tools: readonly object[] = [echoTool]): Made {
  const fake = fakeServer(answering, tools)
  const warnings: string[] = []
  const onWarning = (text: string): void => void warnings.push(text)
  const server = mcpServer({ name: 'git', url, fetch: fake.fetch, onWarning, protocolVersion: '2025-11-25', ...more })
  const registry = toolRegistry().addSource(server)
  return { server, fake, warnings, call: (input = { text: 'a' }) => registry.invoke('mcp://git.echo', input as never) }
}

/** Answers tool calls alone. */
const calls = (answer: (id: number, count: number) => Response | object | Promise<Response>): Answering => {
  let count = 0
  return ({ message: { id, method } }) => (method === 'tools/call' ? answer(id!, ++count) : undefined)
}

const rpc = (id: unknown, value: object): object => ({ jsonrpc: '2.0', id, result: value })

const failing = (text: string): object => ({
  ok: false,
  reason: 'failed',
  parts: [{ text: expect.stringContaining(text) }],
})

/** A host whose timers fire at once. */
const hasty = { ...webHost, timer: (_: number, fire: () => void) => webHost.timer(0, fire) }

describe('an answer of a hostile server', () => {
  it('that goes on for ever after the result is not read on', async () => {
    let cancelled = false
    const { call } = made(
      calls((id) => {
        const first = new TextEncoder().encode(`data: ${JSON.stringify(rpc(id, says('here')))}\n\n`)
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(first),
          cancel: () => void (cancelled = true),
        })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      }),
    )
    expect(await call()).toMatchObject({ ok: true, value: { result: 'here' } })
    await new Promise((resolve) => setTimeout(resolve))
    expect(cancelled).toBe(true)
  })

  it.each(['application/json', 'text/event-stream'])('of more bytes than may come ends, as %s', async (type) => {
    let sent = 0
    let cancelled = false
    const { call } = made(
      calls(() => {
        const body = new ReadableStream<Uint8Array>({
          pull: (controller) => {
            sent += 65_536
            controller.enqueue(new TextEncoder().encode(': comment\n'.repeat(6553)))
          },
          cancel: () => void (cancelled = true),
        })
        return new Response(body, { headers: { 'content-type': type } })
      }),
      { maxResponseBytes: 1_000_000 },
    )
    expect(await call()).toMatchObject(failing('more than 1000000 bytes'))
    expect([sent < 3_000_000, cancelled]).toEqual([true, true])
  })

  it.each([
    [
      'a page',
      () => new Response('<h1>Hi</h1>', { headers: { 'content-type': 'text/html' } }),
      'answered with "text/html"',
    ],
    ['no content type', () => new Response(new Uint8Array([1])), 'wanted JSON or an event stream'],
    [
      'JSON that is none',
      () => new Response('{"a":', { headers: { 'content-type': 'application/json' } }),
      'announced JSON',
    ],
    ['no body', () => new Response(null, { status: 202 }), 'without a result'],
    ['a stream that ends at once', () => events([]), 'without a result'],
    ['a status', () => new Response('busy', { status: 503 }), 'status 503: busy'],
    [
      'a redirect',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
      'redirects',
    ],
    ['an id that is a text', (id: number) => json(rpc(String(id), says('x'))), 'without a result'],
    ['the id of another', (id: number) => json(rpc(id + 7, says('x'))), 'without a result'],
    [
      'an error',
      (id: number) => json({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no luck' } }),
      'error -32000: no luck',
    ],
    [
      'an error of a million characters',
      (id: number) => json({ jsonrpc: '2.0', id, error: { code: 1, message: 'x'.repeat(1e6) } }),
      '…',
    ],
    ['a result of an unknown kind', (id: number) => json(rpc(id, { resultType: 'riddle' })), '"riddle"'],
  ])('that is %s fails the call in band', async (_, answer, words) => {
    const outcome = await made(calls(answer as never)).call()
    expect(outcome).toMatchObject(failing(words))
    expect(JSON.stringify(outcome).length).toBeLessThan(1500)
  })

  it('with ids used again, or never used, is ignored and reported', async () => {
    const { call, warnings } = made(
      calls((id) =>
        events([
          rpc(999, says('never asked')),
          rpc(1, says('over')),
          { jsonrpc: '1.0' },
          rpc(id, says('right')),
          rpc(id, says('again')),
        ]),
      ),
    )
    expect(await call()).toMatchObject({ value: { result: 'right' } })
    expect(warnings).toEqual([
      expect.stringContaining('over, or was never made'),
      expect.stringContaining('over, or was never made'),
      expect.stringContaining('no message'),
    ])
  })

  it('with a thousand levels or a key named __proto__ harms nobody', async () => {
    const deep = `{"jsonrpc":"2.0","id":ID,"result":${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}}`
    const { call } = made(
      calls((id, count) =>
        count === 1
          ? new Response(deep.replace('ID', String(id)), { headers: { 'content-type': 'application/json' } })
          : new Response(
              `{"jsonrpc":"2.0","id":${id},"result":{"structuredContent":{"__proto__":{"polluted":true}}}}`,
              {
                headers: { 'content-type': 'application/json' },
              },
            ),
      ),
    )
    expect(await call()).toMatchObject({ ok: false })
    await call()
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('a stream that breaks', () => {
  const broken = (texts: readonly string[]): Response => {
    const encoder = new TextEncoder()
    let index = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const text = texts[index++]
        if (text === undefined) controller.error(new TypeError('terminated'))
        else controller.enqueue(encoder.encode(text))
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  it('is resumed from its last event, after the pause the server wants, and the call is not made again', async () => {
    let asked = 0
    const waits: number[] = []
    const host = {
      ...webHost,
      timer: (ms: number, fire: () => void) => {
        waits.push(ms)
        return webHost.timer(ms === 1234 ? 0 : ms, fire)
      },
    }
    const { call, fake } = made(
      ({ method, message }) => {
        if (message.method === 'tools/call') {
          asked = message.id!
          return broken([
            'retry: 1234\nid: a1\ndata:\n\n',
            'id: a2\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n',
          ])
        }
        return method === 'GET' ? events([rpc(asked, says('after all'))]) : undefined
      },
      { host },
    )
    expect(await call()).toMatchObject({ ok: true, value: { result: 'after all' } })
    expect(waits).toContain(1234)
    expect(fake.asked.filter(({ method }) => method === 'GET').map(({ headers }) => headers['last-event-id'])).toEqual([
      'a2',
    ])
    expect(fake.methods().filter((method) => method === 'tools/call').length).toBe(1)
  })

  it('without ids fails the call, which is not made again', async () => {
    const { call, fake } = made(calls(() => broken(['data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'])))
    expect(await call()).toMatchObject(failing('without a result'))
    expect(fake.methods().filter((method) => method === 'tools/call').length).toBe(1)
  })

  it('again and again without saying anything is given up', async () => {
    const { call, fake } = made(
      ({ method, message }) => {
        if (message.method === 'tools/call') return events(['id: a\ndata:\n\n'])
        return method === 'GET' ? events([]) : undefined
      },
      { host: hasty },
    )
    expect(await call()).toMatchObject(failing('without a result'))
    expect(fake.methods().filter((method) => method === 'GET').length).toBe(4)
  })

  it('is not asked for again at once, whatever pause the server wants', async () => {
    const waits: number[] = []
    const timer = (ms: number, fire: () => void) => {
      waits.push(ms)
      return webHost.timer(ms < 30_000 ? 0 : ms, fire)
    }
    let connections = 0
    let asked = 0
    const { call } = made(
      ({ method, message }) => {
        if (message.method === 'tools/call') {
          asked = message.id!
          return events(['retry: 0\nid: a\ndata:\n\n'])
        }
        if (method !== 'GET') return undefined
        return events([++connections < 20 ? `retry: 0\nid: ${connections}\ndata:\n\n` : rpc(asked, says('at last'))])
      },
      { host: { ...webHost, timer } },
    )
    expect(await call()).toMatchObject({ ok: true, value: { result: 'at last' } })
    expect(connections).toBe(20)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(100)
  })

  it('is not resumed without sessions', async () => {
    const { call, fake } = made(
      ({ message: { method } }) => {
        if (method === 'server/discover') return statelessFacts()
        if (method === 'tools/list') return { tools: [echoTool] }
        return events(['id: a\ndata:\n\n'])
      },
      { protocolVersion: '2026-07-28' },
    )
    expect(await call()).toMatchObject(failing('without a result'))
    expect(fake.methods()).not.toContain('GET')
  })
})

describe('a list of tools of a hostile server', () => {
  const listOf = (tools: readonly unknown[], more: Partial<McpServerOptions> = {}) =>
    made(() => undefined, more, tools as readonly object[])

  it('leaves out what is no tool, says why, and keeps the rest', async () => {
    const { server, warnings } = listOf([
      null,
      'tool',
      { name: '' },
      { name: 7, inputSchema: { type: 'object' } },
      { name: { toString: 1 }, inputSchema: { type: 'object' } },
      { name: 'dialects', inputSchema: { $schema: { toString: 1 }, type: 'object' } },
      { name: 'no_schema' },
      { name: 'text', inputSchema: { type: 'string' } },
      { name: 'large', inputSchema: { type: 'object', description: 'x'.repeat(5e6) } },
      { name: 'deep', inputSchema: JSON.parse('{"properties":{"a":'.repeat(200) + '{}' + '}}'.repeat(200)) },
      { name: 'elsewhere', inputSchema: { type: 'object', properties: { a: { $ref: 'https://evil.example/s' } } } },
      { name: 'dialect', inputSchema: { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' } },
      { name: 'header', inputSchema: { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } } },
      { name: 'task', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } },
      echoTool,
      { ...echoTool, description: 'Another of that name.' },
      { name: 'old', inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' } },
    ])
    expect((await server.list()).map(({ name }) => name)).toEqual(['echo', 'old'])
    expect(warnings.length).toBe(13)
    expect(warnings.at(-1)).toContain('there is another one of that name')
    expect(Math.max(...warnings.map(({ length }) => length))).toBeLessThan(502)
  })

  it('of ten thousand fails, unless so many are wanted', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({ ...echoTool, name: `t${index}` }))
    await expect(listOf(many).server.list()).rejects.toMatchObject({
      message: expect.stringContaining('more than 1000 tools'),
    })
    expect((await listOf(many, { maxTools: 10_000 }).server.list()).length).toBe(10_000)
  })

  it('of more than can be held ends, however small its pages', async () => {
    let pages = 0
    const endless: Answering = ({ message: { method } }) =>
      method === 'tools/list'
        ? { tools: [{ ...echoTool, name: `t${pages++}`, description: 'x'.repeat(7e6) }], nextCursor: `${pages}` }
        : undefined
    await expect(made(endless).server.list()).rejects.toMatchObject({
      message: expect.stringMatching(/sent more than \d+ characters of tools/),
    })
    expect(pages).toBe(10)
  })

  it('is read page by page, and never for ever', async () => {
    const pages: Answering = ({ message: { method, params } }) => {
      if (method !== 'tools/list') return undefined
      const page = Number((params as { cursor?: string } | undefined)?.cursor ?? 0)
      return { tools: [{ ...echoTool, name: `t${page}` }], ...(page < 4 && { nextCursor: String(page + 1) }) }
    }
    expect((await made(pages).server.list()).map(({ name }) => name)).toEqual(['t0', 't1', 't2', 't3', 't4'])
    const loop: Answering = ({ message: { method } }) =>
      method === 'tools/list' ? { tools: [], nextCursor: 'again' } : undefined
    await expect(made(loop).server.list()).rejects.toMatchObject({ message: expect.stringContaining('never ends') })
    let number = 0
    const endless: Answering = ({ message: { method } }) =>
      method === 'tools/list' ? { tools: [], nextCursor: `${number++}` } : undefined
    await expect(made(endless).server.list()).rejects.toMatchObject({ message: expect.stringContaining('never ends') })
    expect(number).toBeLessThan(1100)
  })

  it('with a pattern that backtracks without end does not stop the program', async () => {
    const evil = {
      name: 'echo',
      inputSchema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
    }
    const { call } = made(
      calls(() => says('ok')),
      {},
      [evil],
    )
    expect(await call({ text: `${'a'.repeat(60)}!` })).toMatchObject({ ok: true })
  })
})

describe('a server that never answers', () => {
  it('fails at connect when its time is over', async () => {
    const clock = virtualClock(webHost)
    const host = { ...webHost, now: clock.now, timer: clock.timer }
    const { server } = made(() => new Promise(() => undefined), { host, protocolVersion: undefined })
    const connecting = server.connect().catch((thrown: unknown) => thrown)
    await clock.settle()
    expect(await connecting).toMatchObject({
      message: 'The MCP server "git" did not answer "initialize" within 30000 ms',
    })
  })

  it('is told that nobody waits for a call that took too long, and its late answer is ignored', async () => {
    let answer: (response: Response) => void = () => undefined
    const late = new Promise<Response>((resolve) => (answer = resolve))
    const { call, fake } = made(
      calls(() => late),
      { timeoutMs: 50 },
    )
    expect(await call()).toMatchObject({ ok: false, reason: 'timeout' })
    answer(result(3, says('late')))
    await new Promise((resolve) => setTimeout(resolve, 10))
    const cancelled = fake.asked.find(({ message }) => message.method === 'notifications/cancelled')
    const asked = fake.asked.find(({ message }) => message.method === 'tools/call')
    expect(cancelled?.message.params?.['requestId']).toBe(asked?.message.id)
    expect(asked?.signal?.aborted).toBe(true)
  })
})
