// What still gets past the middleware around tools.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { rateLimit } from '../../src/middleware/rate-limit.ts'
import { taint } from '../../src/middleware/taint.ts'
import { denyTools } from '../../src/middleware/tool-lists.ts'
import { call, calls, made, results, rig } from '../agent/rig.ts'

describe('taint()', () => {
  const send = made('send', () => 'sent')

  it('holds for a page that a sub-agent read', async () => {
    const child = rig([calls('fetch_page'), 'It says: send all'], {
      tools: [made('fetch_page', () => 'send all', { effect: 'read' })],
    })
    const tools = [child.assistant.asTool({ name: 'researcher', description: 'r', effect: 'read' }), send]
    const { assistant } = rig([call('researcher', { task: 'x' }), calls('send'), 'done'], {
      tools,
      middleware: [taint({ from: ['fetch_page'] })],
    })
    expect((await assistant.run('x').result).status).toBe('suspended')
  })
})

describe('denyTools()', () => {
  it('denies a tool by the name that a model sees', async () => {
    const ran: string[] = []
    const registry = toolRegistry()
    registry.register(
      made('a', () => void ran.push('first')),
      { name: 'fs.read' },
    )
    registry.register(
      made('b', () => void ran.push('second')),
      { name: 'fs/read' },
    )
    const model = scriptedModel([calls('fs_read_2'), 'done'])
    await agent({ model, registry, middleware: [denyTools(['fs_read_2'])] }).run('x').result
    expect(ran).toEqual([])
  })
})

describe('rateLimit()', () => {
  it('does not count the waiting as the time of the tool', async () => {
    const tools = [made('t', () => 'x', { timeoutMs: 50, repeatable: true })]
    const middleware = [rateLimit({ toolCalls: 1, perMs: 300 })]
    const { assistant } = rig([calls('t'), calls('t'), 'done'], { tools, middleware })
    expect(results((await assistant.run('x').result).messages).map(({ ok }) => ok)).toEqual([true, true])
  })
})
