// Runs that wait for people: in the process, and through snapshots that another engine goes on from.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { copied, eventsOf, giving, line, made, rig, visits, work } from './rig.ts'
import type { Tool } from '../../src/tool/tool.ts'

const pay = (paid: unknown[], more: Partial<Tool> = {}): Tool =>
  made('pay', (input) => (paid.push(input), 'paid'), { approval: true, effect: 'unsafe', ...more })

const asking = giving({ ok: '{{ ask.approved }}', text: '{{ after.value }}' }, [
  { id: 'ask', type: 'approval', message: 'Send {{ input.n }}?', denied: 'sad' },
  work('after', { value: 'sent' }, { next: 'end' }),
  work('sad', { value: 'no' }, { next: 'after' }),
])

describe('an approval', () => {
  it('shows its message, and goes on when a person approves', async () => {
    const { engine } = rig()
    const run = engine({ approvalWaitMs: Infinity }).run(asking, { n: 3 })
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      expect(event).toMatchObject({ callId: 'ask', reason: 'Send 3?', preview: { summary: 'Send 3?' }, why: 'tool' })
      run.decide({ callId: 'ask', decision: 'approve' })
    }
    expect((await run.result).output).toEqual({ ok: true, text: 'sent' })
  })

  it('goes to "denied" when a person denies', async () => {
    const { engine } = rig()
    const result = await engine({ approve: () => ({ decision: 'deny', reason: 'not now' }) }).run(asking, { n: 3 })
      .result
    expect(result.output).toEqual({ ok: false, text: 'sent' })
    expect(visits(result)).toEqual(['start ok', 'ask failed (denied)', 'sad ok', 'after ok', 'end ok'])
  })

  it('fails the workflow where denied leads nowhere', async () => {
    const { engine } = rig()
    const { status, error } = await engine({ approve: () => 'deny' }).run(
      line([{ id: 'ask', type: 'approval', message: 'x' }]),
    ).result
    expect([status, error?.data]).toEqual(['failed', { node: 'ask', reason: 'denied' }])
  })

  it('suspends, and another engine goes on from JSON', async () => {
    const first = rig()
    const suspended = await first.engine().run(asking, { n: 3 }).result
    expect(suspended).toMatchObject({ status: 'suspended', stop: 'approval', output: undefined })
    expect(visits(suspended)).toEqual(['start ok', 'ask pending'])
    const snapshot = copied(suspended.snapshot)
    const second = rig()
    const engine = second.engine()
    const run = await engine.resume(snapshot, [{ callId: 'ask', decision: 'approve' }])
    const events = await eventsOf(run)
    expect((await run.result).output).toEqual({ ok: true, text: 'sent' })
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      'approval-response',
      'tool-start',
      'tool-end',
      'node-end',
      'node-start',
      'tool-call',
      'tool-start',
      'tool-end',
      'node-end',
      'node-start',
      'node-end',
      'run-end',
    ])
    expect(events[0]?.seq).toBe(snapshot.seq + 1)
    await expect(engine.resume(snapshot, [{ callId: 'ask', decision: 'approve' }])).rejects.toMatchObject({
      code: 'run-snapshot-used',
    })
  })
})

describe('a wait for an event', () => {
  const waiting = giving('{{ order.id }}', [{ id: 'order', type: 'wait', event: 'order-paid' }])

  it('suspends until the result comes', async () => {
    const { engine } = rig()
    const suspended = await engine().run(waiting).result
    expect(suspended).toMatchObject({ status: 'suspended', stop: 'client-tool' })
    expect(suspended.pending).toMatchObject([{ callId: 'order', wants: 'result', input: { event: 'order-paid' } }])
    const run = await engine().resume(copied(suspended.snapshot), [{ callId: 'order', result: { id: 'A1' } }])
    expect((await run.result).output).toBe('A1')
  })

  it('takes the result while it runs', async () => {
    const { engine } = rig()
    const run = engine({ approvalWaitMs: Infinity }).run(waiting)
    for await (const event of run)
      if (event.type === 'approval-request') run.decide({ callId: 'order', result: { id: 7 } })
    expect((await run.result).output).toBe(7)
  })
})

describe('questions within', () => {
  it('of a tool are asked about with the input that was worked out', async () => {
    const { engine, work: tool } = rig()
    const paid: unknown[] = []
    const definition = line([{ id: 'pay', type: 'tool', tool: 'pay', input: { amount: '{{ input.n }}' } }])
    const tools = [tool, pay(paid)]
    const suspended = await engine({ tools }).run(definition, { n: 5 }).result
    expect(suspended.pending).toMatchObject([{ callId: 'pay', input: { amount: 5 } }])
    const run = await rig()
      .engine({ tools })
      .resume(copied(suspended.snapshot), [{ callId: 'pay', decision: 'edit', input: { amount: 4 } }])
    expect((await run.result).status).toBe('done')
    expect(paid).toEqual([{ amount: 4 }])
  })

  it('of branches suspend the whole, and what is done stays done', async () => {
    const { engine, work: tool, log } = rig()
    const paid: unknown[] = []
    const tools = [tool, pay(paid)]
    const definition = giving('{{ both }}', [
      {
        id: 'both',
        type: 'parallel',
        branches: {
          quick: { type: 'tool', tool: 'work', input: { value: 1 } },
          money: { type: 'tool', tool: 'pay', input: { amount: 2 } },
        },
      },
    ])
    const suspended = await engine({ tools }).run(definition).result
    expect(suspended).toMatchObject({ status: 'suspended', pending: [{ callId: 'both/money', path: ['both'] }] })
    const second = rig()
    const run = await second
      .engine({ tools: [second.work, pay(paid)] })
      .resume(copied(suspended.snapshot), [{ callId: 'both/money', decision: 'approve' }])
    const result = await run.result
    expect(result.error).toBeUndefined()
    expect(result.output).toEqual({ quick: { value: 1 }, money: { result: 'paid' } })
    expect([paid, log.length, second.log]).toEqual([[{ amount: 2 }], 2, []])
  })

  it('of items are asked item by item', async () => {
    const { engine, work: tool } = rig()
    const paid: unknown[] = []
    const options = { tools: [tool, pay(paid)] }
    const definition = giving('{{ all }}', [
      { id: 'all', type: 'map', items: [1, 2], each: { type: 'tool', tool: 'pay', input: { amount: '{{ item }}' } } },
    ])
    const first = await engine(options).run(definition).result
    expect(first.pending.map(({ callId }) => callId)).toEqual(['all/each.0', 'all/each.1'])
    const second = await (
      await engine(options).resume(copied(first.snapshot), [{ callId: 'all/each.1', decision: 'approve' }])
    ).result
    expect(second.pending.map(({ callId }) => callId)).toEqual(['all/each.0'])
    const run = await engine(options).resume(copied(second.snapshot), [{ callId: 'all/each.0', decision: 'approve' }])
    expect((await run.result).output).toEqual([{ result: 'paid' }, { result: 'paid' }])
    expect(paid).toEqual([{ amount: 2 }, { amount: 1 }])
  })

  it('of an agent go on within it', async () => {
    const paid: unknown[] = []
    const helper = (): ReturnType<typeof agent> =>
      agent({
        model: scriptedModel([
          ({ messages }) => (messages.length > 1 ? 'Paid it' : { calls: [{ name: 'pay', input: { amount: 1 } }] }),
          'Paid it',
        ]),
        tools: [pay(paid)],
      })
    const definition = giving('{{ ask.text }}', [{ id: 'ask', type: 'agent', agent: 'helper', prompt: 'Pay' }])
    const suspended = await rig()
      .engine({ agents: { helper: helper() } })
      .run(definition).result
    expect(suspended).toMatchObject({ status: 'suspended', pending: [{ name: 'pay', path: ['ask'] }] })
    const { callId } = suspended.pending[0] ?? { callId: '' }
    const run = await rig()
      .engine({ agents: { helper: helper() } })
      .resume(copied(suspended.snapshot), [{ callId, decision: 'approve' }])
    expect(await run.result).toMatchObject({ status: 'done', output: 'Paid it' })
    expect(paid).toEqual([{ amount: 1 }])
  })

  it('of a workflow within go on within it', async () => {
    const inner = giving('{{ ask.approved }}', [{ id: 'ask', type: 'approval', message: 'Inner?' }, work('after')], {
      name: 'inner',
    })
    const definition = giving('{{ both.a }}', [
      { id: 'both', type: 'parallel', branches: { a: { type: 'workflow', workflow: inner } } },
    ])
    const suspended = await rig().engine().run(definition).result
    expect(suspended).toMatchObject({ status: 'suspended', pending: [{ callId: 'both/a/ask', reason: 'Inner?' }] })
    const run = await rig()
      .engine()
      .resume(copied(suspended.snapshot), [{ callId: 'both/a/ask', decision: 'approve' }])
    const result = await run.result
    expect(result.error).toBeUndefined()
    expect(result.output).toBe(true)
  })

  it('leave what was granted for the session granted in branches and after them', async () => {
    const { engine, work: tool } = rig()
    const paid: unknown[] = []
    let asked = 0
    const approve = (): 'approve-session' => (asked++, 'approve-session')
    const definition = line([
      { id: 'one', type: 'tool', tool: 'pay', input: { amount: 1 } },
      { id: 'both', type: 'parallel', branches: { a: { type: 'tool', tool: 'pay', input: { amount: 1 } } } },
    ])
    await engine({ tools: [tool, pay(paid)], approve }).run(definition, {}, { session: 's' }).result
    expect([asked, paid.length]).toEqual([1, 2])
  })
})
