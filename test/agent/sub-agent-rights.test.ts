// What a sub-agent may do, and what it may not gain.
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import type { AgentOptions } from '../../src/agent/options.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { webHost } from '../../src/host/web-host.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { policy } from '../../src/policy/policy.ts'
import { withJsonSchema } from '../../src/schema/valibot.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { anyObject, call, calls, made, pay, rig, sub, task, unanswered, within } from './rig.ts'

describe('ids of calls within calls', () => {
  it('an id chosen by a model is not that of a question of a sub-agent', async () => {
    const ran: string[] = []
    const inner = made('safe', () => void ran.push('safe'), { approval: true })
    const danger = made('danger', () => void ran.push('danger'), { approval: true })
    const research = sub('research', [{ calls: [{ name: 'safe', callId: 'b' }] }, 'x'], { tools: [inner] })
    const { assistant } = rig([{ calls: [{ name: 'danger', callId: 'a/b' }, task('research', 'a')] }, 'done'], {
      tools: [research, danger],
    })
    const ids: string[] = []
    await assistant.run('x').result.then(({ pending }) => ids.push(...pending.map(({ callId }) => callId)))
    expect(new Set(ids).size).toBe(2)
  })
})

describe('rights of a sub-agent', () => {
  it('approve-session of a tool of a sub-agent does not cover another tool of that name', async () => {
    const ran: string[] = []
    const tool = (where: string) => made('run', () => void ran.push(where), { approval: true, input: anyObject })
    const research = sub('research', [call('run', { cmd: 'rm' }), 'x'], { tools: [tool('sandbox')] })
    const asked: string[] = []
    const approve: AgentOptions['approve'] = ({ callId }) => {
      asked.push(callId)
      return callId.includes('/') ? 'approve-session' : 'deny'
    }
    const { assistant } = rig([{ calls: [task('research')] }, call('run', { cmd: 'rm' }), 'done'], {
      tools: [research, tool('host')],
      approve,
    })
    await assistant.run('x').result
    expect(ran).toEqual(['sandbox'])
  })

  it('a sub-agent with a policy of its own uses the fetch of the agent above', async () => {
    const used: string[] = []
    const host = { ...webHost, fetch: async () => (used.push('host'), new Response('x')) }
    const fetch = async () => (used.push('outer'), new Response('x'))
    const get = made('get', async (_, ctx) => (await ctx.fetch('https://example.com/')).text())
    const research = sub('research', [calls('get'), 'x'], { tools: [get], policy: policy({}), env: { host } })
    const { assistant } = rig([{ calls: [task('research')] }, 'done'], { tools: [research], env: { host, fetch } })
    await assistant.run('x').result
    expect(used).toEqual(['outer'])
  })

  it('called by code a sub-agent waits for nobody', async () => {
    const research = sub('research', [calls('ask'), 'x'], {
      tools: [made('ask', () => 1, { approval: true })],
      approvalWaitMs: Infinity,
    })
    const outcome = await within(toolRegistry().register(research).invoke('research', { task: 'x' }))
    expect(outcome).toMatchObject({ ok: false, reason: 'pending' })
  })

  it('its calls are counted', async () => {
    const registry = toolRegistry().register(sub('research', ['x']))
    await registry.call('research', { task: 'x' })
    expect(registry.calls('research')).toBe(1)
  })

  it('a structured null is its answer', async () => {
    const research = agent({ model: scriptedModel(['null']), output: withJsonSchema(v.nullable(v.string())) as never })
    const registry = toolRegistry().register(research.asTool({ name: 'research', description: 'x' }))
    expect(await registry.call('research', { task: 'x' })).toEqual({ result: null })
  })

  it('a second agent may be aborted while the first suspends', async () => {
    const paid: unknown[] = []
    const a = sub('a', [call('pay', { amount: 1 }), 'x'], { tools: [pay(paid)] })
    const run = rig([{ calls: [task('a'), task('a')] }], { tools: [a], approvalWaitMs: 20 }).assistant.run('x')
    setTimeout(() => run.abort(), 10)
    const { status, messages, pending } = await run.result
    expect([status, unanswered(messages), pending]).toEqual(['aborted', [], []])
  })
})

describe('what is said above a sub-agent', () => {
  it('a deny-always in a sub-agent holds for its siblings, whatever is answered later', async () => {
    const paid: unknown[] = []
    const a = sub('a', [call('pay', { amount: 1 }), call('pay', { amount: 2 }), 'x', 'y'], { tools: [pay(paid)] })
    let asked = 0
    const approve = () => (asked++ ? 'approve' : 'deny-always') as 'approve' | 'deny-always'
    const { assistant } = rig([{ calls: [task('a'), task('a')] }, 'done'], { tools: [a], approve })
    const { status } = await assistant.run('x').result
    expect([status, paid]).toEqual(['done', []])
  })

  it('a sub-agent of a narrowed sub-agent keeps all policies', async () => {
    const said: string[] = []
    const write = made('write', async (_, ctx) => {
      for (const path of ['/a', '/w/a', '/w/d/a'])
        await ctx.fs.write(path, new Uint8Array(1), { parents: true }).then(
          () => said.push(path),
          () => undefined,
        )
    })
    const deep = agent({ model: scriptedModel([calls('write'), 'x']), tools: [write], env: { fs: memoryFiles() } })
    const middle = agent({
      model: scriptedModel([{ calls: [task('deep')] }, 'x']),
      tools: [deep.asTool({ name: 'deep', description: 'x' })],
      policy: policy({ workspaceRoot: '/w/d' }),
    })
    await rig([{ calls: [task('mid')] }, 'done'], {
      tools: [middle.asTool({ name: 'mid', description: 'x' })],
      policy: policy({ workspaceRoot: '/w' }),
      env: { host: webHost, fs: memoryFiles() },
    }).assistant.run('x').result
    expect(said).toEqual(['/w/d/a'])
  })
})

describe('rules above a sub-agent', () => {
  it('that deny a tool hold for an alias in the registry of the sub-agent', async () => {
    let ran = 0
    const registry = toolRegistry()
      .register(made('rm', () => void ran++))
      .alias('look', 'rm')
    const a = agent({ model: scriptedModel([calls('look'), 'x']), registry }).asTool({ name: 'a', description: 'x' })
    await rig([{ calls: [task('a')] }, 'done'], {
      tools: [a],
      policy: policy({ tools: { deny: ['rm'] } }),
    }).assistant.run('x').result
    expect(ran).toBe(0)
  })

  it('that ask reach its tools', async () => {
    let ran = 0
    const a = sub('a', [calls('rm'), 'x'], { tools: [made('rm', () => void ran++)] })
    const { status } = await rig([{ calls: [task('a')] }, 'done'], {
      tools: [a],
      policy: policy({ tools: { ask: ['rm'] } }),
    }).assistant.run('x').result
    expect([status, ran]).toEqual(['suspended', 0])
  })
})
