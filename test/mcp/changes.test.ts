import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { webHost } from '../../src/host/web-host.ts'
import { mcpServer } from '../../src/mcp/mcp-server.ts'
import type { McpServerOptions } from '../../src/mcp.ts'
import { tool } from '../../src/tool/define.ts'
import { fakeServer, json, says, statelessFacts } from './fake-server.ts'
import type { Answering } from './fake-server.ts'

const url = 'https://mcp.example/mcp'

const plain = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more })

/** A stream that the test writes to. */
function line(): {
  readonly response: Response
  say(message: object): void
  end(): void
  readonly isCancelled: () => boolean
} {
  let to: ReadableStreamDefaultController<Uint8Array> | undefined
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (to = controller),
    cancel: () => void (isCancelled = true),
  })
  return {
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    say: (message) =>
      to?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)),
    end: () => to?.close(),
    isCancelled: () => isCancelled,
  }
}

const changed = { method: 'notifications/tools/list_changed' }

/** Until it holds; hangs where it never does. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
}

interface World {
  tools: readonly object[]
  readonly listening: ReturnType<typeof line>[]
}

const worldOf = (isStateless: boolean): World & { readonly answering: Answering } => {
  const world: World = { tools: [plain('first'), plain('second')], listening: [] }
  const listen = (): Response => {
    const made = line()
    world.listening.push(made)
    return made.response
  }
  const capabilities = { tools: { listChanged: true } }
  return Object.assign(world, {
    answering: (({ method, message }) => {
      if (method === 'GET') return listen()
      switch (message.method) {
        case 'server/discover':
          return isStateless ? statelessFacts(capabilities) : undefined
        case 'initialize':
          return { protocolVersion: '2025-11-25', capabilities }
        case 'subscriptions/listen':
          return listen()
        case 'tools/list':
          return { tools: world.tools }
        case 'tools/call':
          return says('called')
        default:
          return undefined
      }
    }) as Answering,
  })
}

const hasty = { ...webHost, timer: (_: number, fire: () => void) => webHost.timer(1, fire) }

function made(isStateless: boolean, more: Partial<McpServerOptions> = {}) {
  const world = worldOf(isStateless)
  const fake = fakeServer(world.answering)
  const server = mcpServer({ name: 'git', url, fetch: fake.fetch, ...more })
  return { world, fake, server, registry: toolRegistry().addSource(server) }
}

describe.each([
  ['with sessions', false],
  ['without sessions', true],
])('a server whose list changes, %s', (_, isStateless) => {
  it('changes the registry: what is new comes in, what is gone goes, what stays is the same tool', async () => {
    const { world, registry } = made(isStateless)
    await registry.connect()
    const second = registry.get('mcp://git.second')
    await until(() => world.listening.length === 1)
    world.tools = [plain('second'), plain('third'), plain('first', { description: 'Another now.' })]
    world.listening[0]?.say(changed)
    await until(() => registry.list().includes('mcp://git.third'))
    expect(registry.list()).toEqual(['mcp://git.second', 'mcp://git.third', 'mcp://git.first'])
    expect(registry.get('mcp://git.second')).toBe(second)
    expect(registry.get('mcp://git.first')?.description).toBe('Another now.')
    await registry.close()
    expect(world.listening[0]?.isCancelled()).toBe(true)
  })

  it('is listened to again when the stream breaks', async () => {
    const { world, registry } = made(isStateless, { host: hasty })
    await registry.connect()
    await until(() => world.listening.length === 1)
    world.listening[0]?.end()
    await until(() => world.listening.length === 2)
    await registry.close()
  })

  it('is not listened to where that is not wanted, or nobody holds the source', async () => {
    for (const { server, registry, world } of [made(isStateless, { listen: false }), made(isStateless)]) {
      await (registry === undefined ? server.connect() : server.list())
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(world.listening.length).toBe(0)
    }
    const { registry, world } = made(isStateless, { listen: false })
    await registry.connect()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(world.listening.length).toBe(0)
  })
})

describe('a source whose tools change', () => {
  const own = (name: string) => tool({ name, description: 'x', execute: () => name })

  function source() {
    let tell = (): void => undefined
    const world = { tools: [own('a')], lists: 0, fails: false, isWatched: false }
    return {
      world,
      changed: () => tell(),
      source: {
        scheme: 'own',
        name: 'it',
        list: async () => {
          world.lists++
          if (world.fails) throw new Error('gone')
          return world.tools
        },
        watch: (listener: () => void) => {
          tell = listener
          world.isWatched = true
          return () => {
            world.isWatched = false
          }
        },
      },
    }
  }

  it('is listed once more, however often it says so meanwhile', async () => {
    const { world, changed: tell, source: made } = source()
    const registry = toolRegistry().addSource(made)
    await registry.connect()
    world.tools = [own('b')]
    for (let times = 0; times < 50; times++) tell()
    await until(() => registry.list().includes('own://it.b'))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect([world.lists, registry.list()]).toEqual([3, ['own://it.b']])
    await registry.close()
    expect([world.isWatched, registry.list()]).toEqual([false, []])
  })

  it('keeps its tools where the new list cannot be had or used', async () => {
    const { world, changed: tell, source: made } = source()
    const registry = toolRegistry().addSource(made)
    await registry.connect()
    world.fails = true
    tell()
    await until(() => world.lists === 2)
    world.fails = false
    world.tools = [own('b'), own('b')]
    tell()
    await until(() => world.lists === 3)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(registry.list()).toEqual(['own://it.a'])
    expect(await registry.call('own://it.a')).toEqual({ result: 'a' })
  })
})

it('a session begun anew is listed anew', async () => {
  let sessions = 0
  const fake = fakeServer(({ message: { id, method } }) => {
    if (method === 'initialize')
      return json(
        { jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} } } },
        { headers: { 'mcp-session-id': `session-${++sessions}` } },
      )
    if (method === 'tools/list') return { tools: [plain(`of-session-${sessions}`), plain('both')] }
    if (method === 'tools/call') return sessions === 1 ? new Response(null, { status: 404 }) : says('ok')
    return undefined
  })
  const registry = toolRegistry().addSource(mcpServer({ name: 'git', url, fetch: fake.fetch }))
  await registry.call('mcp://git.both')
  await until(() => registry.list().includes('mcp://git.of-session-2'))
  expect(registry.list()).not.toContain('mcp://git.of-session-1')
})

describe('what a server says by itself', () => {
  it('holds no credential: it could be shown to a person, or a model', async () => {
    const token = 'a-very-secret-token'
    const heard: unknown[] = []
    const open = line()
    const fake = fakeServer(({ method }) => (method === 'GET' ? open.response : undefined), [plain('act')])
    const offer = {
      method: 'x/ask',
      capability: { x: {} },
      answer: async (params: object) => (heard.push(params), {}),
    }
    const auth = { type: 'bearer', token } as const
    const server = mcpServer({
      name: 'git',
      url,
      fetch: fake.fetch,
      protocolVersion: '2025-11-25',
      auth,
      offers: [offer],
    })
    await server.connect()
    open.say({ id: 1, method: 'x/ask', params: { text: `Send ${token} there` } })
    await until(() => heard.length > 0)
    expect(heard).toEqual([{ text: 'Send … there' }])
    await server.close()
  })
})
