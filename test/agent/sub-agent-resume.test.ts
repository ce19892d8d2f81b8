// Runs with sub-agents that suspend, and what a forged snapshot may say of them.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { webHost } from '../../src/host/web-host.ts'
import { signed } from '../../src/journal/signed.ts'
import { cacheTools } from '../../src/middleware/cache-tools.ts'
import { retryTools } from '../../src/middleware/retry-tools.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { call, calls, copied, made, pay, rig, sub, task, within } from './rig.ts'

describe('a snapshot with sub-agents', () => {
  const build = (turns: readonly (readonly ScriptedTurn[])[], paid: unknown[], last: Tool = pay(paid)) => {
    const deepest = agent({ model: scriptedModel(turns[2] ?? []), tools: [last] })
    const middle = agent({
      model: scriptedModel(turns[1] ?? []),
      tools: [deepest.asTool({ name: 'deep', description: 'x' })],
    })
    return rig(turns[0] ?? [], { tools: [middle.asTool({ name: 'research', description: 'x' })] }).assistant
  }
  const made3 = async () =>
    (
      await build([[{ calls: [task('research')] }], [{ calls: [task('deep')] }], [call('pay', { amount: 1 })]], []).run(
        'x',
      ).result
    ).snapshot

  it('refuses one whose child of a child was forged, before anything runs', async () => {
    const forged = copied(await made3()) as any
    forged.body.children.call_1.body.children.call_1 = 5
    await expect(build([['a'], ['b'], ['c']], []).resume(forged, [])).rejects.toMatchObject({
      code: 'run-invalid-snapshot',
    })
  })

  it('refuses one where the tool of a child of a child changed', async () => {
    const other = made('pay', () => 1, { approval: true })
    await expect(build([['a'], ['b'], ['c']], [], other).resume(copied(await made3()), [])).rejects.toMatchObject({
      code: 'run-tool-changed',
    })
  })

  it('a sub-agent with a lazy source resumes in another program', async () => {
    const ran: unknown[] = []
    const paying = (turns: readonly ScriptedTurn[]) => {
      const registry = toolRegistry().addSource({ scheme: 'mcp', name: 'bank', list: () => [pay(ran)] })
      return agent({ model: scriptedModel(turns), registry }).asTool({ name: 'research', description: 'x' })
    }
    const first = rig([{ calls: [task('research')] }], { tools: [paying([call('bank_pay', { amount: 1 })])] })
    const { snapshot, status } = await first.assistant.run('x').result
    expect(status).toBe('suspended')
    const second = rig(['done'], { tools: [paying(['paid'])] })
    const run = await second.assistant.resume(copied(snapshot), [{ callId: 'call_1/call_1', decision: 'approve' }])
    expect((await run.result).status).toBe('done')
    expect(ran).toEqual([{ amount: 1 }])
  })

  it('a decision about the call of the agent itself, which asked nothing, is refused', async () => {
    await expect(
      build([['a'], ['b'], ['c']], []).resume(copied(await made3()), [{ callId: 'call_1', decision: 'approve' }]),
    ).rejects.toMatchObject({ code: 'run-unknown-call' })
  })
})

describe('a run with sub-agents that was suspended', () => {
  it('a sub-agent suspends within retry and resumes', async () => {
    const paid: unknown[] = []
    const build = (outer: ScriptedTurn[], inner: ScriptedTurn[]) =>
      rig(outer, {
        tools: [sub('research', inner, { tools: [pay(paid)] })],
        middleware: [retryTools({ when: () => true, delayMs: 1 }), cacheTools({ tools: ['*'] })],
      }).assistant
    const first = await build([{ calls: [task('research')] }], [call('pay', { amount: 1 })]).run('x').result
    expect([first.status, first.pending.length]).toEqual(['suspended', 1])
    const run = await build(['done'], ['ok']).resume(copied(first.snapshot), [
      { callId: first.pending[0]?.callId as string, decision: 'approve' },
    ])
    expect([(await run.result).status, paid.length]).toEqual(['done', 1])
  })

  it('a client tool of a sub-agent takes its result on resume', async () => {
    const ask = made('ask_human', undefined as never)
    const build = (outer: ScriptedTurn[], inner: ScriptedTurn[]) =>
      rig(outer, { tools: [sub('research', inner, { tools: [ask] })] })
    const first = await build([{ calls: [task('research')] }], [calls('ask_human')]).assistant.run('x').result
    expect([first.status, first.stop]).toEqual(['suspended', 'client-tool'])
    const run = await build(['done'], ['heard']).assistant.resume(copied(first.snapshot), [
      { callId: 'call_1/call_1', result: 'blue' },
    ])
    expect((await run.result).status).toBe('done')
  })

  it('a suspend after a suspend keeps one question each and the usage', async () => {
    const paid: unknown[] = []
    const build = (outer: ScriptedTurn[], inner: ScriptedTurn[]) =>
      rig(outer, { tools: [sub('research', inner, { tools: [pay(paid)] })] }).assistant
    const used = (turn: ScriptedTurn, total: number): ScriptedTurn => [turn, { usage: { total } }] as never
    const one = await build([used({ calls: [task('research')] }, 1)], [used(call('pay', { amount: 1 }), 10)]).run('x')
      .result
    expect(one.usage.total).toBe(11)
    const two = await (
      await build([], [used(call('pay', { amount: 2 }), 10)]).resume(copied(one.snapshot), [
        { callId: 'call_1/call_1', decision: 'approve' },
      ])
    ).result
    expect([two.status, two.usage.total, two.pending.length]).toEqual(['suspended', 21, 1])
    const three = await (
      await build([used('done', 1)], [used('ok', 10)]).resume(copied(two.snapshot), [
        { callId: two.pending[0]?.callId as string, decision: 'approve' },
      ])
    ).result
    expect([three.status, three.usage.total, paid]).toEqual(['done', 32, [{ amount: 1 }, { amount: 2 }]])
  })

  it('limits over depth: tokens hold after a resume', async () => {
    const look = made('look', () => 1, { repeatable: true })
    const paid: unknown[] = []
    const used = (turn: ScriptedTurn, total: number): ScriptedTurn => [turn, { usage: { total } }] as never
    const build = (outer: ScriptedTurn[], inner: ScriptedTurn[]) =>
      rig(outer, { tools: [sub('research', inner, { tools: [pay(paid), look] })], limits: { tokens: 30 } }).assistant
    const one = await build([used({ calls: [task('research')] }, 5)], [used(call('pay', { amount: 1 }), 10)]).run('x')
      .result
    const two = await (
      await build(
        [used('done', 1)],
        Array.from({ length: 20 }, () => used(calls('look'), 10)),
      ).resume(copied(one.snapshot), [{ callId: 'call_1/call_1', decision: 'approve' }])
    ).result
    expect([two.status, two.stop, (two.usage.total ?? 0) < 50]).toEqual(['stopped', 'tokens', true])
  })

  it('steps limit of the sub-agent holds over resumes', async () => {
    const paid: unknown[] = []
    const build = (inner: ScriptedTurn[], outer: ScriptedTurn[] = []) =>
      rig(outer, { tools: [sub('research', inner, { tools: [pay(paid)], limits: { steps: 2 } })] }).assistant
    let result = await build([call('pay', { amount: 0 })], [{ calls: [task('research')] }]).run('x').result
    for (let count = 1; count < 5 && result.status === 'suspended'; count++) {
      const run = await build([call('pay', { amount: count })], ['done']).resume(copied(result.snapshot), [
        { callId: result.pending[0]?.callId as string, decision: 'approve' },
      ])
      result = await run.result
    }
    expect([result.status, paid.length]).toEqual(['done', 2])
  })

  it('a signed snapshot whose child was changed is refused', async () => {
    const paid: unknown[] = []
    const snapshots = signed('a secret of enough length for hmac')
    const build = (outer: ScriptedTurn[], inner: ScriptedTurn[]) =>
      rig(outer, { tools: [sub('research', inner, { tools: [pay(paid)] })], snapshots }).assistant
    const { snapshot } = await build([{ calls: [task('research')] }], [call('pay', { amount: 1 })]).run('x').result
    const forged = copied(snapshot) as any
    forged.body.children.call_1.body.messages
      .at(-2)
      .content.find((part: any) => part.type === 'tool-call').input.amount = 1000
    await expect(build(['x'], ['y']).resume(forged, [])).rejects.toMatchObject({ code: 'run-unsigned-snapshot' })
  })

  it('a cyclic child is refused or harmless', async () => {
    const registry = toolRegistry()
    const model = scriptedModel([{ calls: [task('self')] }, { calls: [{ name: 'ask' }] }])
    registry.register(made('ask', () => 1, { approval: true }))
    const assistant = agent({ model, registry, env: { host: webHost } })
    registry.register(assistant.asTool({ name: 'self', description: 'x' }))
    const { snapshot, status } = await assistant.run('x').result
    expect(status).toBe('suspended')
    const forged = copied(snapshot) as any
    forged.body.children.call_1 = forged
    await expect(within(assistant.resume(forged, []))).rejects.toMatchObject({ code: 'run-invalid-snapshot' })
  })

  it('a child for a call that is not open is not started', async () => {
    const paid: unknown[] = []
    const build = (outer: ScriptedTurn[], inner: ScriptedTurn[]) =>
      rig(outer, { tools: [sub('research', inner, { tools: [pay(paid)] })] }).assistant
    const { snapshot } = await build([{ calls: [task('research')] }], [call('pay', { amount: 1 })]).run('x').result
    const forged = copied(snapshot) as any
    forged.body.children = { other: 5, ...forged.body.children }
    const run = await build(['done'], ['y']).resume(forged, [{ callId: 'call_1/call_1', decision: 'deny' }])
    expect((await run.result).status).toBe('done')
  })
})

describe('questions of several sub-agents', () => {
  it('several suspends one after the other resume to the end with the work done once', async () => {
    const paid: any[] = []
    const build = (fresh: boolean) => {
      const turns = fresh ? [call('pay', { amount: 1 })] : ['x']
      const deep = (name: string) => sub(name, turns as never, { tools: [pay(paid)] })
      const mid = sub('mid', (fresh ? [{ calls: [task('d1'), task('d2')] }] : ['m']) as never, {
        tools: [deep('d1'), deep('d2')],
      })
      return rig((fresh ? [{ calls: [task('mid'), task('d3')] }] : ['done']) as never, { tools: [mid, deep('d3')] })
        .assistant
    }
    let result = await build(true).run('x').result
    let rounds = 0
    while (result.status === 'suspended' && rounds++ < 6) {
      const callId = result.pending[0]?.callId as string
      result = await (await build(false).resume(copied(result.snapshot), [{ callId, decision: 'approve' }])).result
    }
    expect([result.status, paid.length, rounds]).toEqual(['done', 3, 3])
  })

  it('questions of two sub-agents that were merged are answered by one decision on resume', async () => {
    const paid: unknown[] = []
    const shared = pay(paid)
    const both = (turns: readonly ScriptedTurn[], outer: readonly ScriptedTurn[]) =>
      rig(outer, { tools: [sub('a', turns, { tools: [shared] }), sub('b', turns, { tools: [shared] })] }).assistant
    const first = both([call('pay', { amount: 1 })], [{ calls: [task('a'), task('b')] }])
    const { snapshot, pending } = await first.run('x').result
    expect(pending.length).toBe(1)
    const run = await both(['x'], ['done']).resume(copied(snapshot), [
      { callId: pending[0]?.callId as string, decision: 'approve' },
    ])
    expect([(await run.result).status, paid.length]).toEqual(['done', 2])
  })
})
