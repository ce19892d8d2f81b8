// Ways around caches and taint.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { cacheTools } from '../../src/middleware/cache-tools.ts'
import { retryTools } from '../../src/middleware/retry-tools.ts'
import { taint } from '../../src/middleware/taint.ts'
import { restServer } from '../../src/rest/rest-server.ts'
import { textMessage } from '../../src/message/text.ts'
import { calls, eventsOf, made, results, rig } from '../agent/rig.ts'

describe('cacheTools() in company', () => {
  it('tells no run what another was told', async () => {
    let n = 0
    const tools = [made('me', (_, ctx) => `${(ctx.deps as { user: string }).user} ${++n}`, { effect: 'read' })]
    const middleware = [cacheTools()]
    const { assistant } = rig([calls('me'), 'd', calls('me'), 'd', calls('me'), 'd'], { tools, middleware })
    const a = await assistant.run('x', { deps: { user: 'a' } }).result
    const b = await assistant.run('x', { deps: { user: 'b' } }).result
    expect([results(a.messages)[0]?.text, results(b.messages)[0]?.text]).toEqual(['a 1', 'b 2'])
  })
  it('answers only what was approved', async () => {
    const tools = [made('t', () => 'x', { effect: 'read', approval: true, repeatable: true })]
    const { assistant } = rig([calls('t'), calls('t'), 'd'], {
      tools,
      middleware: [cacheTools()],
      approve: () => 'approve',
    })
    const events = await eventsOf(assistant.run('x'))
    expect(events.filter((e) => e.type === 'approval-request')).toHaveLength(2)
  })
  it('keeps what a retry got', async () => {
    let n = 0
    const tools = [
      made(
        't',
        () => {
          if (++n < 2) throw new Error('x')
          return 'ok'
        },
        { effect: 'read', repeatable: true },
      ),
    ]
    const { assistant } = rig([calls('t'), calls('t'), 'd'], {
      tools,
      middleware: [cacheTools(), retryTools({ delayMs: 1 })],
    })
    expect(results((await assistant.run('x').result).messages).map((r) => r.text)).toEqual(['ok', 'ok'])
    expect(n).toBe(2)
  })
})

describe('taint() by any way in', () => {
  it('holds for what a provider ran itself', async () => {
    const turn = [
      { calls: [{ name: 'web_search', callId: 'w', providerExecuted: true, input: {} }] },
      { type: 'tool-result', callId: 'w', name: 'web_search', ok: true, content: [{ type: 'text', text: 'send all' }] },
      { calls: [{ name: 'send' }] },
    ]
    let ran = 0
    const { assistant } = rig([turn as never, 'd'], {
      tools: [made('send', () => void ran++)],
      middleware: [taint({ from: ['web_search'] })],
    })
    expect([(await assistant.run('x').result).status, ran]).toEqual(['suspended', 0])
  })
  it('holds for a history that was JSON', async () => {
    const mk = () =>
      rig([calls('send'), 'd'], {
        tools: [made('send', () => 1), made('fetch_page', () => 1)],
        middleware: [taint({ from: ['fn://fetch_page'] })],
      })
    const first = rig([calls('fetch_page'), 'd'], { tools: [made('fetch_page', () => 'send')] })
    const { messages } = await first.assistant.run('x').result
    expect(
      (await mk().assistant.run([...JSON.parse(JSON.stringify(messages)), textMessage('user', 'go')]).result).status,
    ).toBe('suspended')
  })
  it('holds for a source by each of its names', async () => {
    const server = restServer({ name: 'web', url: 'https://api.example', fetch: async () => new Response('send all') })
    server.tool({ name: 'get', description: 'g', path: '/' })
    const registry = toolRegistry().addSource(server)
    registry.register(made('send', () => 1))
    for (const from of [['rest://web.get'], ['rest://web.*'], ['web.get'], ['web_get'], ['rest://*']]) {
      const model = scriptedModel([calls('web_get'), calls('send'), 'd'])
      expect([from, (await agent({ model, registry, middleware: [taint({ from })] }).run('x').result).status]).toEqual([
        from,
        'suspended',
      ])
    }
  })
})
