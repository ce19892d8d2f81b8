import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { mcpHandler } from '../../src/serve.ts'
import { tool } from '../../src/tool/valibot-tool.ts'
import { settle, testHost } from '../host.ts'
import { ask, begin, call, events, heard, post, request, shop, stateless, until } from './client.ts'

/** A tool that works until it is told to stop, and notes how it ended. */
function slow() {
  const ends: string[] = []
  let begun = 0
  let finish = (): void => {}
  const work = tool({
    name: 'work',
    description: 'Works on.',
    execute: (_, { signal, progress }) =>
      new Promise<string>((resolve) => {
        signal.addEventListener('abort', () => ends.push('aborted'))
        begun++
        progress({ progress: 1 })
        finish = () => resolve('done')
      }),
  })
  return { ends, registry: toolRegistry().register(work), finish: () => finish(), hasBegun: () => begun > 0 }
}

describe('progress', () => {
  it('is sent to a client that gave a token, and only grows', async () => {
    const { messages, isStream, headers } = await ask(
      shop().handler(),
      'tools/call',
      { name: 'count' },
      { meta: { progressToken: 'p1' } },
    )
    expect(isStream).toBe(true)
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(messages.slice(0, -1).map(({ method, params }) => [method, params])).toEqual([
      ['notifications/progress', { progressToken: 'p1', progress: 1, total: 3 }],
      ['notifications/progress', { progressToken: 'p1', progress: 2, total: 3, message: 'two' }],
      ['notifications/progress', { progressToken: 'p1', progress: 3, message: 'almost' }],
    ])
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
  })

  it.each([[undefined], [null], [1.5], [{}], [[]]])('is not sent for the token %j', async (progressToken) => {
    const { isStream } = await ask(shop().handler(), 'tools/call', { name: 'count' }, { meta: { progressToken } })
    expect(isStream).toBe(false)
  })

  it('of odd values stays a growing number with a message', async () => {
    const odd = tool({
      name: 'odd',
      description: 'Reports oddly.',
      async *execute() {
        yield 0
        yield 5
        yield 5
        yield -1
        yield { progress: 'x', total: 2 }
        yield [1]
        yield { progress: 20, total: 10, message: 'm'.repeat(2000) }
      },
    })
    const serve = mcpHandler(toolRegistry().register(odd))
    const { messages } = await ask(serve, 'tools/call', { name: 'odd' }, { meta: { progressToken: 1 } })
    const sent = messages.slice(0, -1).map(({ params }) => params)
    expect(sent.map(({ progress }) => progress)).toEqual([0, 5, 6, 7, 8, 9, 20])
    expect(sent.at(-1).total).toBeUndefined()
    expect(sent.at(-1).message).toHaveLength(1001)
    expect(sent[5].message).toBe('[1]')
  })

  it('is left out where the client does not keep up, and the answer is not', async () => {
    const flood = tool({
      name: 'flood',
      description: 'Reports much.',
      execute(_, context) {
        for (let index = 0; index < 100_000; index++) context.progress(index)
        return 'done'
      },
    })
    const serve = mcpHandler(toolRegistry().register(flood))
    const { messages } = await ask(serve, 'tools/call', { name: 'flood' }, { meta: { progressToken: 1 } })
    expect(messages.length).toBeLessThan(1000)
    expect(messages.at(-1).result.content[0].text).toBe('done')
  })
})

describe('an answer', () => {
  it('is a stream for a client that takes nothing else, and JSON for one that takes no streams', async () => {
    const run = (accept: string) =>
      ask(shop().handler(), 'tools/call', { name: 'count' }, { headers: { accept }, meta: { progressToken: 1 } })
    expect((await run('text/event-stream')).messages).toHaveLength(4)
    const json = await run('application/json')
    expect([json.isStream, json.messages.length]).toEqual([false, 1])
  })

  it('that takes long becomes a stream with comments, so that the connection is kept', async () => {
    const host = testHost()
    const { registry, finish, hasBegun } = slow()
    const answer = mcpHandler(registry, { host })(stateless('tools/call', { name: 'work' }))
    await until(hasBegun)
    await host.advance(45_000)
    const response = await answer
    await settle()
    finish()
    const text = await response.text()
    expect(text.match(/^: still at work$/gm)).toHaveLength(3)
    expect(text).toContain('"text":"done"')
    expect(host.timers).toBe(0)
  })
})

describe('a client that takes its call back', () => {
  it('by closing the stream ends it, by the newest revision', async () => {
    const { ends, registry } = slow()
    const response = await mcpHandler(registry)(
      stateless('tools/call', { name: 'work' }, { meta: { progressToken: 1 } }),
    )
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    await settle()
    expect(ends).toEqual(['aborted'])
  })

  it('by losing the connection ends it, where the runtime tells', async () => {
    const { ends, registry, hasBegun } = slow()
    const leaving = new AbortController()
    const base = stateless('tools/call', { name: 'work' })
    const answer = mcpHandler(registry)(new Request(base, { signal: leaving.signal }))
    await until(hasBegun)
    leaving.abort()
    expect((await answer).status).toBe(202)
    expect(ends).toEqual(['aborted'])
  })

  it('by closing the stream does not end it in a session, where that may be an accident', async () => {
    const { ends, registry, finish } = slow()
    const serve = mcpHandler(registry, { sessions: true })
    const session = await begin(serve)
    const response = await serve(request(call(1, 'work', {}, { _meta: { progressToken: 1 } }), session))
    await response.body!.cancel()
    await settle()
    expect(ends).toEqual([])
    finish()
    await settle()
    expect((await post(serve, { jsonrpc: '2.0', id: 1, method: 'ping' }, session as never)).status).toBe(200)
  })

  it('by a notification ends it in its session, and is told nothing more', async () => {
    const { ends, registry } = slow()
    const serve = mcpHandler(registry, { sessions: true })
    const [session, other] = [await begin(serve), await begin(serve)]
    const stream = events(await serve(request(call(7, 'work', {}, { _meta: { progressToken: 1 } }), session)))
    await stream.next()
    const cancel = (requestId: unknown, headers: Record<string, string>) =>
      post(serve, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, headers)
    for (const id of ['7', 8, null, '__proto__', {}]) expect((await cancel(id, session as never)).status).toBe(202)
    expect((await cancel(7, other as never)).status).toBe(202)
    expect(ends).toEqual([])
    await cancel(7, session as never)
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(ends).toEqual(['aborted'])
  })
})

describe('sessions', () => {
  const ping = (serve: (request: Request) => Promise<Response>, headers: Record<string, string>) =>
    post(serve, { jsonrpc: '2.0', id: 'ping', method: 'ping' }, headers)

  it('are named by their client on every request, and unknown ones are answered 404', async () => {
    const serve = shop().handler({ sessions: true })
    const session = (await begin(serve)) as Record<string, string>
    expect(session['mcp-session-id']).toMatch(/^[0-9a-f]{32}$/)
    expect((await ping(serve, session)).status).toBe(200)
    expect((await ping(serve, {})).status).toBe(400)
    for (const id of ['x', '__proto__', 'constructor', session['mcp-session-id']!.slice(1)])
      expect((await ping(serve, { 'mcp-session-id': id })).status).toBe(404)
  })

  it('are nobody else’s', async () => {
    const serve = shop().handler({
      sessions: true,
      auth: ({ headers }) => ({ principal: headers.get('authorization') ?? 'ann' }),
    })
    const session = (await begin(serve)) as Record<string, string>
    expect((await ping(serve, session)).status).toBe(200)
    expect((await ping(serve, { ...session, authorization: 'bob' })).status).toBe(404)
  })

  it('end by DELETE, with their calls', async () => {
    const { ends, registry } = slow()
    const serve = mcpHandler(registry, { sessions: true })
    const session = await begin(serve)
    const stream = events(await serve(request(call(7, 'work', {}, { _meta: { progressToken: 1 } }), session)))
    await stream.next()
    const end = (headers: Record<string, string>) =>
      serve(new Request('http://127.0.0.1/mcp', { method: 'DELETE', headers }))
    expect((await end({})).status).toBe(400)
    expect((await end({ 'mcp-session-id': 'x' })).status).toBe(404)
    expect((await end(session as never)).status).toBe(204)
    expect((await stream.next()).done).toBe(true)
    expect(ends).toEqual(['aborted'])
    expect((await ping(serve, session as never)).status).toBe(404)
    expect((await end(session as never)).status).toBe(404)
  })

  it('are forgotten when they are unused for long', async () => {
    const host = testHost()
    const serve = shop().handler({ sessions: { idleMs: 1000 }, host })
    const session = (await begin(serve)) as Record<string, string>
    await host.advance(900)
    expect((await ping(serve, session)).status).toBe(200)
    await host.advance(900)
    expect((await ping(serve, session)).status).toBe(200)
    await host.advance(1001)
    expect((await ping(serve, session)).status).toBe(404)
  })

  it('are few: the one that was used least recently and does nothing has to go', async () => {
    const { registry, finish } = slow()
    const serve = mcpHandler(registry, { sessions: { max: 2 } })
    const busy = (await begin(serve)) as Record<string, string>
    const working = serve(request(call(1, 'work', {}, { _meta: { progressToken: 1 } }), busy))
    await working
    const second = (await begin(serve)) as Record<string, string>
    const third = (await begin(serve)) as Record<string, string>
    expect((await ping(serve, busy)).status).toBe(200)
    expect((await ping(serve, second)).status).toBe(404)
    expect((await ping(serve, third)).status).toBe(200)
    const alsoBusy = serve(request(call(1, 'work', {}, { _meta: { progressToken: 1 } }), third))
    await alsoBusy
    const full = await post(serve, {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {} },
    })
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '60'])
    finish()
  })

  it('of others are not pushed out by somebody who begins many', async () => {
    const serve = shop().handler({
      sessions: { max: 10 },
      auth: ({ headers }) => ({ principal: headers.get('authorization') ?? 'bob' }),
    })
    const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize' }
    const params = { protocolVersion: '2025-11-25', capabilities: {} }
    const { headers } = await post(serve, { ...initialize, params }, { authorization: 'ann' })
    const ann = { authorization: 'ann', 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
    for (let count = 0; count < 30; count++) await begin(serve)
    expect((await ping(serve, ann)).status).toBe(200)
  })

  it('run one call under an id at a time', async () => {
    const { registry, finish } = slow()
    const serve = mcpHandler(registry, { sessions: true })
    const session = await begin(serve)
    const first = await serve(request(call(1, 'work', {}, { _meta: { progressToken: 1 } }), session))
    const second = await post(serve, call(1, 'work'), session as never)
    expect([second.status, second.messages[0].error.code]).toEqual([400, -32600])
    finish()
    expect((await heard(first)).messages.at(-1).result.content[0].text).toBe('done')
  })
})
