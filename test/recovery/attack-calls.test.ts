// Calls that were cut off: nothing unsafe is done twice, and no answer is taken for another.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { readLog } from '../../src/journal/log.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { orchestrator } from '../../src/orchestrator/orchestrator.ts'
import { planTool } from '../../src/orchestrator/plan-tool.ts'
import { plan } from '../../src/plan/plan.ts'
import { recover } from '../../src/recovery/recover.ts'
import { failingStore } from '../../src/testing/crash/failing-store.ts'
import type { RunStore } from '../../src/tool/run-store.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { anyObject, made, pause, results, within } from '../agent/rig.ts'
import { saying, call, cutAt } from './rig.ts'

describe('a call that was cut off', () => {
  it('what was approved for a call within a call approves no other call of a second try', async () => {
    const asked: unknown[] = []
    const ran: unknown[] = []
    let tries = 0
    const inner = made(
      'inner',
      async (input) => {
        ran.push(input)
        await pause()
        return 'x'
      },
      { approval: true, effect: 'idempotent', input: anyObject as never },
    )
    const outer = made('outer', async (_, ctx) => ctx.call('inner', { n: ++tries }), { effect: 'read' })
    const make = (store: RunStore) =>
      agent({
        model: saying([call('outer'), 'done']),
        tools: [inner, outer],
        env: { host: webHost, store },
        approve: ({ name, input }) => {
          asked.push([name, input])
          return 'approve'
        },
      })
    const whole = memoryStore()
    await make(whole).run('go', { id: 'r' }).result
    const store = await cutAt(whole, ({ type, data }) => type === 'tool-start' && data['name'] === 'inner')
    await (
      await recover(make(store), { store, run: 'r' })
    ).result
    expect(ran).toEqual([{ n: 1 }, { n: 2 }])
    expect(asked).toEqual([
      ['inner', { n: 1 }],
      ['inner', { n: 2 }],
    ])
  })

  it('an edited call that had begun goes on with what it was edited to', async () => {
    const ran: unknown[] = []
    const put = made(
      'put',
      async (input) => {
        ran.push(input)
        await pause()
        return 'x'
      },
      { approval: true, effect: 'idempotent', input: anyObject as never },
    )
    const make = (store: RunStore) =>
      agent({
        model: saying([call('put', { n: 100 }), 'done']),
        tools: [put],
        env: { host: webHost, store },
        approve: () => ({ decision: 'edit', input: { n: 10 } }),
      })
    const whole = memoryStore()
    await make(whole).run('go', { id: 'r' }).result
    const store = await cutAt(whole, ({ type }) => type === 'journal-start')
    await (
      await recover(make(store), { store, run: 'r' })
    ).result
    expect(ran).toEqual([{ n: 10 }, { n: 10 }])
  })

  it('an edited plan that waits for a person goes on as it was edited', async () => {
    const ran: unknown[] = []
    const put = made(
      'put',
      (input) => {
        ran.push(input)
      },
      { approval: () => true, input: anyObject as never },
    )
    const steps = (n: number) => ({
      steps: [
        { id: 'a', tool: 'put', input: { n } },
        { id: 'b', tool: 'put', input: { n: n + 1 }, after: ['a'] },
      ],
    })
    const assistant = agent({
      model: saying([call('run_plan', steps(100)), 'done']),
      tools: [planTool({ tools: [put] })],
      env: { host: webHost },
    })
    const first = await assistant.run('go').result
    const id = first.pending[0]!.callId
    const second = await (
      await assistant.resume(first.snapshot, [{ callId: id, decision: 'edit', input: steps(10) }])
    ).result
    expect(second.status).toBe('suspended')
    const third = await (await assistant.resume(second.snapshot, [{ callId: `${id}/a`, decision: 'approve' }])).result
    const fourth = await (await assistant.resume(third.snapshot, [{ callId: `${id}/b`, decision: 'approve' }])).result
    expect(fourth.status).toBe('done')
    expect(ran).toEqual([{ n: 10 }, { n: 11 }])
  })

  it('an unsafe call of an agent that is a step of a plan is not made twice', async () => {
    let paid = 0
    const pay = made('pay', async () => {
      paid++
      await pause()
      return 'paid'
    })
    const helper = agent({ model: saying([call('pay'), 'paid']), tools: [pay] }).asTool({
      name: 'helper',
      description: 'x',
    })
    const asked: unknown[] = []
    const make = (store: RunStore) =>
      orchestrator({
        tools: [helper],
        env: { host: webHost, store },
        approve: ({ why, name }) => {
          asked.push([why, name])
          return why === 'unknown-outcome' ? { result: 'was done' } : 'approve'
        },
      })
    const whole = memoryStore()
    await make(whole).run(plan().step({ id: 'a', tool: 'helper', input: { task: 'x' } }), { id: 'r' }).result
    const store = await cutAt(whole, ({ type }) => type === 'journal-start')
    const again = await (await recover(make(store), { store, run: 'r' })).result
    expect([paid, asked, again.status]).toEqual([1, [['unknown-outcome', 'pay']], 'done'])
  })

  it('a snapshot with a call whose outcome is unknown does not run it when that is denied', async () => {
    let paid = 0
    const pay = made('pay', async () => {
      paid++
      await pause()
    })
    const make = (store?: RunStore) =>
      agent({ model: saying([call('pay'), 'done']), tools: [pay], env: { host: webHost, store } })
    const whole = memoryStore()
    await make(whole).run('go', { id: 'r' }).result
    const store = await cutAt(whole, ({ type }) => type === 'journal-start')
    const again = await (await recover(make(store), { store, run: 'r' })).result
    expect(again.pending).toMatchObject([{ why: 'unknown-outcome' }])
    const snapshot = JSON.parse(JSON.stringify(again.snapshot))
    const end = await (await make().resume(snapshot, [{ callId: again.pending[0]!.callId, decision: 'deny' }])).result
    expect([paid, results(end.messages)]).toMatchObject([1, [{ reason: 'unknown-outcome' }]])
  })

  it('an agent that a tool calls, and that did something unsafe, is not run again', async () => {
    let paid = 0
    const pay = made('pay', () => ++paid)
    const inner = agent({ model: saying([call('pay'), 'paid']), tools: [pay] }).asTool({
      name: 'inner',
      description: 'x',
    })
    const outer = made('outer', async (_, ctx) => ctx.call('inner', { task: 'x' }), { effect: 'read' })
    const asked: unknown[] = []
    const make = (store: RunStore) =>
      agent({
        model: saying([call('outer'), 'done']),
        tools: [inner, outer],
        env: { host: webHost, store },
        approve: ({ why, name }) => {
          asked.push([why, name])
          return { result: 'was done' }
        },
      })
    const whole = memoryStore()
    await make(whole).run('go', { id: 'r' }).result
    expect(paid).toBe(1)
    const store = await cutAt(whole, ({ type, data }) => type === 'tool-end' && data['name'] === 'pay')
    const again = await (await recover(make(store), { store, run: 'r' })).result
    expect(again.status).toBe('done')
    expect(asked).toEqual([['unknown-outcome', 'outer']])
    expect(paid).toBe(1)
  })

  it('what a call within a call did to files is done once', async () => {
    const run = async (at: number) => {
      const files = memoryFiles()
      const base = memoryStore({ files })
      const add = made(
        'add',
        async (_, { fs }) => {
          const before = (await fs.stat('/l')) ? new TextDecoder().decode(await fs.read('/l')) : ''
          await fs.write('/l', new TextEncoder().encode(before + 'x'))
        },
        { effect: 'local' },
      )
      const outer = made(
        'outer',
        async (_, ctx) => {
          await ctx.call('add', {})
          await pause(20)
          return 1
        },
        { effect: 'read' },
      )
      const make = (store: RunStore) =>
        agent({
          model: saying([call('outer'), 'done']),
          tools: [add, outer],
          env: { host: webHost, store, fs: files },
          approve: ({ why }) => (why === 'unknown-outcome' ? { result: 'was done' } : 'approve'),
        })
      const failing = failingStore(base, at, 'dies')
      await within(make(failing).run('go', { id: 'r' }).result, 60)
      const log = await readLog(base, 'r')
      if (log.at(-1)?.type !== 'run-end') await (await recover(make(base), { store: base, run: 'r' })).result
      return (await files.stat('/l')) ? new TextDecoder().decode(await files.read('/l')) : ''
    }
    const out = []
    for (let at = 2; at < 7; at++) out.push(await run(at))
    expect(out.map((one) => one.length <= 1)).toEqual(out.map(() => true))
  })

  it('an unsafe call that had begun in an aborted run is not said not to have run', async () => {
    const store = memoryStore()
    const pay = made('pay', () => new Promise(() => {}))
    const one = () => agent({ model: saying([call('pay'), 'done']), tools: [pay], env: { host: webHost } })
    const run = one().run('go', { id: 'r', store })
    await pause(10)
    run.abort()
    await run.result
    const cut = await cutAt(store, ({ type }) => type === 'journal-abort')
    const again = await (await recover(one(), { store: cut, run: 'r' })).result
    expect(again.status).toBe('aborted')
    expect(results(again.messages)).toMatchObject([{ ok: false, reason: 'unknown-outcome' }])
  })

  it('an aborted plan that is recovered runs what was cancelled', async () => {
    const store = memoryStore()
    let times = 0
    const slow = made('slow', async () => (times++ ? 'x' : pause(10_000)))
    const flow = orchestrator({ tools: [slow], env: { host: webHost, store } })
    const run = flow.run(plan().step({ id: 'a', tool: 'slow' }), { id: 'r' })
    await pause(10)
    run.abort()
    expect((await run.result).status).toBe('aborted')
    const again = await (await recover(flow, { store, run: 'r' })).result
    expect(again).toMatchObject({ status: 'done' })
  })
})
