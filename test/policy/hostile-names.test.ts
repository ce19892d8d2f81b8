// Tools and answers under other names and numbers.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { Fetch } from '../../src/host/host.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { guardedFetch } from '../../src/policy/guarded-fetch.ts'
import { policy } from '../../src/policy/policy.ts'
import { call, calls, made, rig } from '../agent/rig.ts'

describe('a policy', () => {
  it('holds for a sub-agent with a fetch of its own', async () => {
    const asked: string[] = []
    const fetch: Fetch = async (u) => (asked.push(String(u)), new Response('x'))
    const get = made('get', async (_, ctx) => {
      await ctx.fetch('https://evil.example/')
      return 1
    })
    const child = agent({ model: scriptedModel([calls('get'), 'd']), tools: [get], env: { fetch } as never })
    const { assistant } = rig([call('child', { task: 'x' }), 'done'], {
      tools: [child.asTool({ name: 'child', description: 'c' })],
      policy: policy({ web: { allow: ['good.example'] } }),
    })
    await assistant.run('x').result
    expect(asked).toEqual([])
  })
  it('denies a tool by each of its names', async () => {
    let ran = 0
    const registry = toolRegistry()
    registry.register(
      made('x', () => void ran++),
      { name: 'rest://shop.delete' } as never,
    )
    for (const deny of [['rest://shop.*'], ['shop.delete'], ['shop_delete'], ['*delete']]) {
      const { assistant } = rig([calls('shop_delete'), 'done'], {
        registry,
        policy: policy({ tools: { deny } }),
      } as never)
      await assistant.run('x').result
    }
    expect(ran).toBe(0)
  })
  it('asks about a tool by an alias', async () => {
    const registry = toolRegistry().register(made('danger', () => 1))
    registry.alias('nice', 'danger')
    for (const ask of [['danger'], ['fn://danger'], ['dang*']]) {
      const { assistant } = rig([calls('nice'), 'done'], { registry, policy: policy({ tools: { ask } }) } as never)
      expect((await assistant.run('x').result).status).toBe('suspended')
    }
  })
  it('counts the bytes that come, whatever their number was said to be', async () => {
    const f = guardedFetch(
      async () =>
        new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1e5)) }), {
          headers: { 'content-length': '5', 'content-encoding': 'gzip' },
        }),
      { maxResponseBytes: 1e6 },
    )
    const r = await f('https://a.example/')
    await expect(r.arrayBuffer()).rejects.toMatchObject({ code: 'stream-too-large' })
  })
})
