// Plans in bad company: observers that abort, tools that vanish, sources that hang, runs within runs within runs.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { planTool } from '../../src/orchestrator/plan-tool.ts'
import type { PlanRun } from '../../src/orchestrator/driver.ts'
import type { ToolSource } from '../../src/tool/source.ts'
import { copied, ends, eventsOf, made, planOf, rig } from './rig.ts'

const source = (more: Partial<ToolSource> = {}): ToolSource => ({
  scheme: 'far',
  name: 'away',
  list: () => [made('get', () => 1)],
  ...more,
})

describe('a plan in bad company', () => {
  it('ends once where an observer aborts it at any event', async () => {
    const plan = planOf(
      { id: 'a', tool: 'next' },
      { id: 'b', tool: 'next', forEach: [1, 2], after: ['a'] },
      { id: 'c', tool: 'late', after: ['a'] },
      { id: 'd', tool: 'next', when: 'false' },
    )
    for (let at = 1; at < 24; at++) {
      const { flow } = rig()
      const runs: PlanRun[] = []
      const types: string[] = []
      const onEvent = ({ seq, type }: { seq: number; type: string }): void => {
        types.push(type)
        if (seq === at) runs[0]?.abort()
      }
      const once = { effect: 'idempotent' } as const
      const tools = [made('next', () => 1, once), made('late', async () => 1, once)]
      const run = flow(tools, { hooks: { onEvent } }).run(plan)
      runs.push(run)
      const result = await run.result
      expect(types.filter((type) => type === 'run-end')).toHaveLength(1)
      expect(types.filter((type) => type === 'node-end')).toHaveLength(4)
      expect(result.steps.every(({ status }) => status !== 'pending')).toBe(true)
      if (result.status !== 'aborted') continue
      const again = await (await flow(tools).resume(copied(result.snapshot))).result
      expect(ends(again)).toEqual(['a ok', 'b ok', 'c ok', 'd skipped because when'])
    }
  })

  it('survives observers that throw', async () => {
    const { flow, work } = rig()
    const throwing = (): never => {
      throw new Error('watched')
    }
    const run = flow([work], { hooks: { onEvent: throwing, onToolStart: throwing, onToolEnd: throwing } }).run(
      planOf({ id: 'a', tool: 'work' }),
    )
    const events = await eventsOf(run)
    expect(ends(await run.result)).toEqual(['a ok'])
    expect(events.filter(({ type }) => type === 'observer-error').length).toBeGreaterThan(3)
  })

  it('answers a call whose tool was taken away while a person thought', async () => {
    const { flow } = rig()
    const registry = toolRegistry().register(made('pay', () => 1, { approval: true }))
    const result = await flow([], { registry, approve: () => (registry.unregister('pay'), 'approve') }).run(
      planOf({ id: 'a', tool: 'pay' }),
    ).result
    expect(result.steps).toMatchObject([{ status: 'failed', reason: 'not-found' }])
  })

  it('is aborted while its sources connect, and fails where they cannot', async () => {
    const { flow } = rig()
    const plan = planOf({ id: 'a', tool: 'far://away.get' }, { id: 'b', tool: 'far://away.get', after: ['a'] })
    const hanging = toolRegistry().addSource(source({ connect: () => new Promise(() => {}) }))
    const run = flow([], { registry: hanging }).run(plan)
    await Promise.resolve()
    run.abort()
    expect([(await run.result).status, ...ends(await run.result)]).toEqual(['aborted', 'a cancelled', 'b cancelled'])
    const broken = toolRegistry().addSource(source({ connect: () => Promise.reject(new Error('no line')) }))
    const failed = await flow([], { registry: broken }).run(plan).result
    expect([failed.status, failed.error?.code]).toEqual(['failed', 'source-failed'])
    expect(() => flow([], { registry: broken }).run(planOf({ id: 'a', tool: 'x', after: ['none'] }))).toThrow(
      expect.objectContaining({ code: 'plan-invalid' }),
    )
  })

  it('leaves connections open after a run, and closes them when it is told to', async () => {
    const { flow } = rig()
    const done: string[] = []
    const registry = toolRegistry().addSource(
      source({
        connect: async () => void done.push('connect'),
        close: async () => void done.push('close'),
      }),
    )
    const flowing = flow([], { registry })
    await flowing.connect()
    for (let count = 0; count < 2; count++) await flowing.run(planOf({ id: 'a', tool: 'far://away.get' })).result
    expect(done).toEqual(['connect'])
    await flowing.close()
    const { asyncDispose } = Symbol as { readonly asyncDispose?: symbol }
    expect(asyncDispose === undefined || asyncDispose in flowing).toBe(true)
    expect(done).toEqual(['connect', 'close'])
    await flow([]).connect()
    await flow([]).close()
  })

  it('runs no more agents at once than calls, and suspends although some of them have not begun', async () => {
    const { flow } = rig()
    let most = 0
    let now = 0
    const helper = agent({
      model: scriptedModel(Array.from({ length: 9 }, (_, n) => ({ calls: [{ name: 'pay', input: { n } }] }))),
      tools: [made('pay', () => 1, { approval: true })],
      hooks: {
        onModelRequest: () => {
          most = Math.max(most, ++now)
        },
      },
    }).asTool({ name: 'helper', description: 'Helps.' })
    const result = await flow([helper], { concurrency: 3 }).run(
      planOf({ id: 'each', tool: 'helper', forEach: [1, 2, 3, 4, 5, 6, 7], input: { task: 'x' } }),
    ).result
    expect([result.status, most]).toEqual(['suspended', 3])
    expect(result.pending.map(({ callId }) => callId.split('/')[0])).toEqual(['each.0', 'each.1', 'each.2'])
  })

  it('waits and goes on through a plan in an agent in a plan', async () => {
    const paid: unknown[] = []
    const makeFlow = (turns: Parameters<typeof scriptedModel>[0]) => {
      const pay = made('pay', (input) => (paid.push(input), 'paid'), { approval: () => true })
      const running = planTool({ tools: [pay], approval: false })
      const helper = agent({ model: scriptedModel(turns), tools: [running] })
      return rig().flow([helper.asTool({ name: 'helper', description: 'Helps.' })])
    }
    const steps = [
      { id: 'x', tool: 'pay', input: { n: 1 } },
      { id: 'y', tool: 'pay', after: ['x'], input: { n: 2 } },
    ]
    const plan = planOf(
      { id: 'out', tool: 'helper', input: { task: 'go' } },
      { id: 'next', tool: 'helper', input: { task: 'x' }, when: 'false' },
    )
    let result = await makeFlow([{ calls: [{ name: 'run_plan', callId: 'p', input: { steps } }] }]).run(plan).result
    const asked: string[] = []
    for (let left = 5; result.status === 'suspended' && left; left--) {
      asked.push(...result.pending.map(({ callId }) => callId))
      const decisions = result.pending.map(({ callId }) => ({ callId, decision: 'approve' as const }))
      result = await (await makeFlow(['done']).resume(copied(result.snapshot), decisions)).result
    }
    expect(asked).toEqual(['out/p/x', 'out/p/y'])
    expect([ends(result), paid]).toEqual([
      ['out ok', 'next skipped because when'],
      [{ n: 1 }, { n: 2 }],
    ])
    expect(result.steps[0]?.value).toEqual({ result: 'done' })
  })

  it('is no less guarded where a snapshot of it is imported within an agent', async () => {
    const paid: unknown[] = []
    const makeAgent = () =>
      agent({
        model: scriptedModel([{ calls: [{ name: 'run_plan', callId: 'p', input: { steps } }] }, 'done']),
        tools: [
          planTool({
            tools: [
              made('pay', (input) => (paid.push(input), 1), { approval: true }),
              made('look', () => 1, { approval: () => true }),
            ],
          }),
        ],
      })
    const steps = [
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'pay', after: ['a'] },
    ]
    const first = await makeAgent().run('go').result
    const second = await (
      await makeAgent().resume(copied(first.snapshot), [{ callId: 'p', decision: 'approve' }])
    ).result
    expect(second.pending.map(({ callId }) => callId)).toEqual(['p/a'])
    const imported = await (await makeAgent().resume(copied(second.snapshot), [], { trust: 'import' })).result
    expect(imported.pending.map(({ callId }) => callId)).toEqual(['p'])
    const approved = await makeAgent().resume(copied(imported.snapshot), [{ callId: 'p', decision: 'approve' }])
    expect((await approved.result).pending.map(({ callId }) => callId)).toEqual(['p/a'])
    expect(paid).toEqual([])
    // The plan is the one that the call shows, whatever the snapshot says it is.
    const forged = copied(second.snapshot) as unknown as { body: { children: Record<string, any> } }
    forged.body.children['p'].body.plan.steps = [{ id: 'a', tool: 'pay' }]
    await expect(makeAgent().resume(forged as never, [])).rejects.toMatchObject({ code: 'run-invalid-snapshot' })
  })

  it('runs as a tool that code calls', async () => {
    const registry = toolRegistry().register(planTool({ tools: [made('look', () => 1)], approval: false }))
    expect(await registry.call('run_plan', { steps: [{ id: 'a', tool: 'look' }] })).toEqual({
      result: { status: 'done', steps: [{ id: 'a', status: 'ok', value: { result: 1 } }] },
    })
    await expect(registry.call('run_plan', { steps: [{ id: 'a', tool: 'gone' }] })).rejects.toMatchObject({
      code: 'tool-invalid-input',
    })
  })

  it('lets a question expire as agents do', async () => {
    const { flow, kit } = rig()
    const pay = made('pay', () => 1, { approval: true })
    const run = flow([pay], { approvalWaitMs: Infinity, approvalExpiryMs: 100 }).run(planOf({ id: 'a', tool: 'pay' }))
    const { steps } = await run.result
    expect(steps).toMatchObject([{ status: 'failed', reason: 'denied' }])
    expect(kit.clock.pending()).toBe(0)
  })
})
