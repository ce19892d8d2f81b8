// Questions that are answered too late.
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import type { AgentOptions } from '../../src/agent/options.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { webHost } from '../../src/host/web-host.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { withJsonSchema } from '../../src/schema/valibot.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { call, calls, made, rig } from '../agent/rig.ts'

const copied = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))
const sub = (name: string, turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}): Tool =>
  agent({ model: scriptedModel(turns), ...options }).asTool({ name, description: name })
const task = (name: string, callId?: string) => ({ name, input: { task: 'x' }, ...(callId ? { callId } : {}) })
const pay = (paid: unknown[], name = 'pay') =>
  made(name, (input) => void paid.push(input), {
    approval: true,
    input: withJsonSchema(v.object({ amount: v.number() })),
  })

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

  it('a deny of a child id that names the call of the agent is refused', async () => {
    await expect(
      build([['a'], ['b'], ['c']], []).resume(copied(await made3()), [{ callId: 'call_1', decision: 'approve' }]),
    ).rejects.toMatchObject({ code: 'run-unknown-call' })
  })
})

describe('a question that expires', () => {
  it('a decision after the expiry is a denial, also where the timer sleeps', async () => {
    let skew = 0
    const host = { ...webHost, now: () => Date.now() + skew }
    let ran = 0
    const { assistant } = rig([calls('pay'), 'done'], {
      tools: [made('pay', () => void ran++, { approval: true })],
      approvalExpiryMs: 60_000,
      approvalWaitMs: Infinity,
      env: { host },
    })
    const run = assistant.run('x')
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      skew = 3_600_000
      run.decide({ callId: event.callId, decision: 'approve' })
    }
    expect(ran).toBe(0)
  })

  it('a question does not grow younger by a resume', async () => {
    let skew = 0
    const env = { host: { ...webHost, now: () => Date.now() + skew } }
    let ran = 0
    const build = (...turns: ScriptedTurn[]) =>
      rig(turns, {
        tools: [made('pay', () => void ran++, { approval: true })],
        approvalExpiryMs: 60_000,
        env,
      }).assistant
    const first = await build(calls('pay')).run('x').result
    skew = 3_600_000
    const again = await (await build('done').resume(first.snapshot, [])).result
    if (again.status === 'suspended') {
      const callId = again.pending[0]?.callId as string
      await (
        await build('done').resume(again.snapshot, [{ callId, decision: 'approve' }])
      ).result
    }
    expect(ran).toBe(0)
  })
})

describe('a question that was asked elsewhere', () => {
  it('import of an expired snapshot asks', async () => {
    let skew = 0
    const env = { host: { ...webHost, now: () => Date.now() + skew } }
    let ran = 0
    const build = (...turns: ScriptedTurn[]) =>
      rig(turns, {
        tools: [made('pay', () => void ran++, { approval: true })],
        approvalExpiryMs: 60000,
        env,
        approve: ({ reason }) => (reason?.includes('elsewhere') ? 'approve' : 'defer'),
      }).assistant
    const { snapshot } = await build(calls('pay')).run('x').result
    skew = 3_600_000
    const { status } = await (await build('done').resume(snapshot, [], { trust: 'import' })).result
    expect([status, ran]).toEqual(['done', 1])
  })

  it('expiry of a question of a sub-agent over resume', async () => {
    let skew = 0
    const env = { host: { ...webHost, now: () => Date.now() + skew } }
    const paid: unknown[] = []
    const build = (outer: ScriptedTurn[], inner: ScriptedTurn[]) =>
      rig(outer, { tools: [sub('a', inner, { tools: [pay(paid)] })], approvalExpiryMs: 60000, env }).assistant
    const { snapshot } = await build([{ calls: [task('a')] }], [call('pay', { amount: 1 })]).run('x').result
    skew = 3_600_000
    const result = await (await build(['done'], ['not paid']).resume(copied(snapshot), [])).result
    expect([result.status, paid]).toEqual(['done', []])
  })
})
