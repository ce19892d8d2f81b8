// Plans that wait for people, are aborted, or lost their process, and go on.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { runnerSetup } from '../../src/continuation/setup.ts'
import { grants } from '../../src/approval/grants.ts'
import { signed } from '../../src/journal/signed.ts'
import type { RunEvent } from '../../src/message/event.ts'
import type { Json } from '../../src/json/value.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { newPlanRun, startPlan } from '../../src/orchestrator/driver.ts'
import { orchestrator } from '../../src/orchestrator/orchestrator.ts'
import type { PlanResult } from '../../src/orchestrator/driver.ts'
import type { Snapshot } from '../../src/run/snapshot.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { copied, ends, eventsOf, made, planOf, rig } from './rig.ts'

const paying = (paid: unknown[]): Tool => made('pay', (input) => (paid.push(input), 'paid'), { approval: true })

const shop = planOf(
  { id: 'find', tool: 'work', input: { value: 3 } },
  { id: 'pay', tool: 'pay', input: { amount: { $from: 'find', path: 'value' } } },
  { id: 'each', tool: 'pay', forEach: [10, 20], input: { amount: { $item: true } } },
  { id: 'free', tool: 'work', input: { fails: true } },
  { id: 'skipped', tool: 'work', after: ['free'] },
  { id: 'last', tool: 'work', input: { value: { $from: 'pay', path: 'result' } } },
)

const approveAll = ({ pending }: Pick<PlanResult, 'pending'>) =>
  pending.map(({ callId }) => ({ callId, decision: 'approve' as const }))

describe('a plan that waits for a person', () => {
  it('suspends when nothing else can go on, and another orchestrator resumes it from JSON', async () => {
    const paid: unknown[] = []
    const first = rig()
    const events: RunEvent[] = []
    const run = first.flow([first.work, paying(paid)]).run(shop)
    events.push(...(await eventsOf(run)))
    const suspended = await run.result
    expect([suspended.status, suspended.stop]).toEqual(['suspended', 'approval'])
    expect(ends(suspended)).toEqual([
      'find ok',
      'pay pending',
      'each pending',
      'free failed',
      'skipped skipped because free',
      'last pending',
    ])
    expect(suspended.pending.map(({ callId, input }) => [callId, input])).toEqual([
      ['each.0', { amount: 10 }],
      ['each.1', { amount: 20 }],
      ['pay', { amount: 3 }],
    ])
    expect(paid).toEqual([])
    const second = rig()
    const again = await second
      .flow([second.work, paying(paid)])
      .resume(copied(suspended.snapshot), approveAll(suspended))
    events.push(...(await eventsOf(again)))
    const result = await again.result
    expect(ends(result)).toEqual([
      'find ok',
      'pay ok',
      'each ok',
      'free failed',
      'skipped skipped because free',
      'last ok',
    ])
    expect(result.steps.at(-1)?.value).toEqual({ value: 'paid' })
    expect(paid).toHaveLength(3)
    expect([...second.log, ...first.log].filter((line) => line.startsWith('find'))).toHaveLength(2)
    const told = (type: string) =>
      events.filter((event) => event.type === type).map((event) => ('node' in event ? event.node : event.type))
    expect(told('node-start').sort()).toEqual(['each', 'find', 'free', 'last', 'pay'])
    expect(told('node-end').sort()).toEqual(['each', 'find', 'free', 'last', 'pay', 'skipped'])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  })

  it('keeps the answers that came, and waits for the others again', async () => {
    const paid: unknown[] = []
    const { flow, work } = rig()
    const shopping = flow([work, paying(paid)])
    let result = await shopping.run(shop).result
    const answers = [{ callId: 'each.1', decision: 'approve' as const }]
    result = await (await shopping.resume(copied(result.snapshot), answers)).result
    expect([result.status, paid]).toEqual(['suspended', [{ amount: 20 }]])
    expect(result.pending.map(({ callId }) => callId).sort()).toEqual(['each.0', 'pay'])
    result = await (await shopping.resume(copied(result.snapshot), approveAll(result))).result
    expect([result.status, result.error?.code, paid.length]).toEqual(['failed', 'plan-step-failed', 3])
    expect(result.steps[2]?.value).toEqual([{ result: 'paid' }, { result: 'paid' }])
  })

  it('takes results for client-side tools, denials and edits', async () => {
    const paid: unknown[] = []
    const { flow, work } = rig()
    const client = { ...made('ask', undefined as never), execute: undefined } as unknown as Tool
    const flowing = flow([work, paying(paid), client])
    const plan = planOf(
      { id: 'a', tool: 'ask' },
      { id: 'b', tool: 'pay', input: { n: 1 }, timeoutMs: 5 },
      { id: 'c', tool: 'pay', input: { n: 2 } },
    )
    const waiting = await flowing.run(plan).result
    const run = await flowing.resume(copied(waiting.snapshot), [
      { callId: 'a', result: 'blue' },
      { callId: 'b', decision: 'edit', input: { n: 7 } },
      { callId: 'c', decision: 'deny' },
    ])
    const result = await run.result
    expect(result.steps).toMatchObject([
      { status: 'ok', value: { result: 'blue' } },
      { status: 'ok' },
      { status: 'failed', reason: 'denied' },
    ])
    expect(paid).toEqual([{ n: 7 }])
    const only = await flowing.run(planOf({ id: 'a', tool: 'ask' })).result
    expect(only.stop).toBe('client-tool')
  })

  it('waits with the questions of agents among its steps, and counts what they used', async () => {
    const paid: unknown[] = []
    const makeFlow = (turns: Parameters<typeof scriptedModel>[0]) => {
      const { flow } = rig()
      const helper = agent({ model: scriptedModel(turns), tools: [paying(paid)] })
      return flow([helper.asTool({ name: 'helper', description: 'Helps.' })], { concurrency: 1 })
    }
    const plan = planOf(
      { id: 'a', tool: 'helper', input: { task: 'x' } },
      { id: 'b', tool: 'helper', input: { task: 'y' } },
    )
    const turn = { calls: [{ name: 'pay', callId: 'c1', input: { n: 1 } }] }
    const first = await makeFlow([turn]).run(plan).result
    expect(ends(first)).toEqual(['a pending', 'b pending'])
    expect(first.pending.map(({ callId }) => callId)).toEqual(['a/c1'])
    const second = await (await makeFlow(['done', turn]).resume(copied(first.snapshot), approveAll(first))).result
    expect(ends(second)).toEqual(['a ok', 'b pending'])
    const third = await (await makeFlow(['done']).resume(copied(second.snapshot), approveAll(second))).result
    expect([ends(third), paid.length]).toEqual([['a ok', 'b ok'], 2])
  })
})

describe('a snapshot of a plan', () => {
  const suspend = async (tools: (paid: unknown[]) => readonly Tool[] = (paid) => [paying(paid)]) => {
    const { flow, work } = rig()
    return copied((await flow([work, ...tools([])]).run(shop).result).snapshot)
  }
  const resume = async (snapshot: unknown, tools?: readonly Tool[]) => {
    const { flow, work } = rig()
    return flow(tools ?? [work, paying([])]).resume(snapshot as Snapshot)
  }

  it('is refused where a tool of a waiting call changed or one of a later step is gone, and warns of others', async () => {
    const { work } = rig()
    const snapshot = await suspend()
    const other = { ...paying([]), input: jsonSchema({ type: 'object', properties: { n: {} } }) } as Tool
    await expect(resume(snapshot, [work, other])).rejects.toMatchObject({ code: 'run-tool-changed' })
    await expect(resume(snapshot, [work])).rejects.toMatchObject({ code: 'run-tool-changed' })
    await expect(resume(snapshot, [paying([])])).rejects.toMatchObject({
      code: 'run-tool-changed',
      data: { step: 'last' },
    })
    const changed = { ...work, input: jsonSchema({ type: 'object' }) } as Tool
    const events = await eventsOf(await resume(snapshot, [changed, paying([])]))
    expect(events[1]).toMatchObject({ type: 'warning', code: 'tool-changed', data: { tool: 'work' } })
    expect(events.at(-1)).toMatchObject({ status: 'suspended' })
  })

  it('of an aborted plan goes on where it was, also in the middle of a list', async () => {
    const { flow, work, kit } = rig()
    const plan = planOf(
      { id: 'a', tool: 'work', input: { value: 1 } },
      { id: 'b', tool: 'work', forEach: [0, 20, 40], input: { ms: { $item: true }, value: { $item: true } } },
      { id: 'c', tool: 'work', after: ['b'] },
    )
    const run = flow([work]).run(plan)
    kit.host.timer(30, () => run.abort())
    const aborted = await run.result
    expect(ends(aborted)).toEqual(['a ok', 'b cancelled', 'c cancelled'])
    const again = rig()
    const result = await (await again.flow([again.work]).resume(copied(aborted.snapshot))).result
    expect(result.status).toBe('done')
    expect(result.steps[1]?.value).toEqual([{ value: 0 }, { value: 20 }, { value: 40 }])
    expect(again.log).toEqual(['b.2 starts @0', 'b.2 ends @40', 'c starts @40', 'c ends @40'])
  })

  it('of a plan that was aborted asks about an unsafe step that was running, and goes on within agents', async () => {
    const counts = { pay: 0, inner: 0 }
    const hang =
      (count: () => void) =>
      async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
        count()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return 'late'
      }
    const inner = made('inner', hang(() => counts.inner++) as never)
    const model = () =>
      scriptedModel([({ messages }) => (messages.length > 1 ? 'done within' : { calls: [{ name: 'inner' }] }), 'x'])
    const helper = () => agent({ model: model(), tools: [inner] }).asTool({ name: 'helper', description: 'Helps' })
    const tools = () => [made('pay', hang(() => counts.pay++) as never), helper()]
    const plan = planOf({ id: 'a', tool: 'pay' }, { id: 'b', tool: 'helper', input: { task: 'help' } })
    const run = orchestrator({ tools: tools() }).run(plan)
    while (counts.pay + counts.inner < 2) await new Promise((resolve) => setTimeout(resolve, 1))
    run.abort()
    const { snapshot, steps } = await run.result
    expect(steps.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    const again = await (await orchestrator({ tools: tools() }).resume(copied(snapshot))).result
    expect(again.pending).toMatchObject([{ callId: 'a', why: 'unknown-outcome' }])
    expect(counts).toEqual({ pay: 1, inner: 1 })
  })

  it('wants the plan where it has functions, and no other plan', async () => {
    const { flow, work } = rig()
    const paid: unknown[] = []
    const flowing = flow([work, paying(paid)])
    const coded = planOf(
      { id: 'a', tool: 'pay' },
      { id: 'b', tool: 'work', after: ['a'], input: (values) => ({ value: values['a'] }) },
    )
    const waiting = await flowing.run(coded).result
    const snapshot = copied(waiting.snapshot)
    const answers = approveAll(waiting)
    await expect(flowing.resume(snapshot, answers)).rejects.toMatchObject({
      code: 'run-invalid-input',
      message: 'Cannot resume: "input" of step "b" is a function, wanted the plan as { plan }',
    })
    const other = planOf({ id: 'a', tool: 'pay' }, { id: 'x', tool: 'work' })
    await expect(flowing.resume(snapshot, answers, { plan: other })).rejects.toMatchObject({
      code: 'run-invalid-input',
    })
    const result = await (await flowing.resume(snapshot, answers, { plan: coded })).result
    expect(result.steps[1]?.value).toEqual({ value: { result: 'paid' } })
  })

  it('is used once, signed where that is wanted, and asked about anew where it is imported', async () => {
    const { flow, work } = rig()
    const paid: unknown[] = []
    const flowing = flow([work, paying(paid)], { snapshots: signed('a secret that is long enough') })
    const waiting = await flowing.run(shop).result
    const snapshot = copied(waiting.snapshot)
    await (
      await flowing.resume(snapshot, approveAll(waiting))
    ).result
    await expect(flowing.resume(snapshot)).rejects.toMatchObject({ code: 'run-snapshot-used' })
    const { signature: _, ...unsigned } = snapshot
    await expect(flowing.resume(unsigned)).rejects.toMatchObject({ code: 'run-unsigned-snapshot' })
    paid.length = 0
    const imported = await flowing.resume(unsigned, approveAll(waiting), { trust: 'import' })
    expect([(await imported.result).status, paid]).toEqual(['suspended', []])
    await expect(resume({ ...snapshot, driver: 'agent' })).rejects.toMatchObject({ code: 'run-invalid-snapshot' })
  })

  it('is refused before anything runs where it is not what a plan makes', async () => {
    const snapshot = await suspend()
    const body = snapshot.body as Record<string, Json>
    const [first] = body['steps'] as Json[]
    const calls = body['calls'] as { callId: string; name: string; input: Json }[]
    const hostile: Record<string, unknown> = {
      'no plan': { ...body, plan: undefined },
      'odd plan': { ...body, plan: { version: 1, steps: [{ id: 'a', tool: 7 }] } },
      'a cycle': { ...body, plan: { version: 1, steps: [{ id: 'find', tool: 'work', after: ['find'] }] } },
      'an unknown step': { ...body, steps: [{ id: 'none', status: 'ok', value: 1 }] },
      'no status': { ...body, steps: [{ id: 'find' }] },
      'no value': { ...body, steps: [{ id: 'find', status: 'ok' }] },
      'a step before its input': { ...body, steps: [{ id: 'last', status: 'ok', value: 1 }] },
      'an item of nothing': { ...body, steps: [{ id: 'find', item: 0, status: 'ok', value: 1 }] },
      'half an item': { ...body, steps: [first, { id: 'each', item: 0.5, status: 'ok', value: 1 }] },
      'a call of no step': { ...body, calls: [{ callId: 'none', name: 'pay', input: {} }] },
      'a call of a finished step': { ...body, calls: [{ callId: 'find', name: 'work', input: {} }] },
      'a call too early': { ...body, calls: [{ callId: 'last', name: 'work', input: {} }] },
      'a call of another tool': { ...body, calls: [{ callId: 'pay', name: 'work', input: {} }] },
      'a call of no item': { ...body, calls: [{ callId: 'each.7', name: 'pay', input: {} }] },
      'a whole list as a call': { ...body, calls: [{ callId: 'each', name: 'pay', input: {} }] },
      'a call twice': { ...body, calls: [...calls, calls[0]] },
      'a list of a step without one': { ...body, lists: [{ id: 'pay', items: [1] }] },
      'a list too long': { ...body, lists: [{ id: 'each', items: Array.from({ length: 1001 }, () => 1) }] },
      'no body': null,
    }
    const refused: string[] = []
    for (const [what, wrong] of Object.entries(hostile)) {
      const error = await resume({ ...snapshot, body: wrong }).catch((thrown: { code?: string }) => thrown)
      if ('code' in error && error.code === 'run-invalid-snapshot') refused.push(what)
    }
    expect(refused).toEqual(Object.keys(hostile))
    // As a log gives it, which does not hold lists.
    const again = await (await resume({ ...snapshot, body: { ...body, lists: undefined } })).result
    expect(again.pending).toHaveLength(3)
  })
})

describe('the log of a plan', () => {
  it('notes what is finished, and what needs it starts when that is stored', async () => {
    const { kit, work, log } = rig()
    const noted: { type: string; data: Json }[] = []
    const { state } = begun(kit.host, [work])
    state.journal = {
      work: () => undefined,
      opened: Promise.resolve(),
      note: (type, data) => void noted.push({ type, data: copied(data) as Json }),
      commit: () => kit.sleep(5),
    }
    const result = await startPlan({ state }, {}).result
    expect(log).toEqual([
      'a starts @5',
      'each.0 starts @5',
      'each.1 starts @5',
      'a ends @5',
      'each.0 ends @5',
      'each.1 ends @5',
      'b starts @15',
      'b ends @15',
    ])
    const steps = noted.filter(({ type }) => type === 'journal-step')
    expect(steps[1]).toMatchObject({ data: { id: 'a', status: 'ok', value: { value: 1 } } })
    expect(steps.map(({ data }) => (data as { id: string }).id)).toEqual(['no', 'a', 'each', 'each', 'each', 'b'])
    expect(result.status).toBe('done')
  })

  it('ends the run where it cannot be stored', async () => {
    const { kit, work } = rig()
    const { state } = begun(kit.host, [work])
    state.journal = {
      work: () => undefined,
      opened: Promise.resolve(),
      note: () => {},
      commit: () => Promise.reject(new Error('disk full')),
    }
    const result = await startPlan({ state }, {}).result
    expect([result.status, result.error?.code]).toEqual(['failed', 'run-internal'])
    expect(ends(result)).toContain('b cancelled')
  })
})

const mixed = planOf(
  { id: 'a', tool: 'work', input: { value: 1 } },
  { id: 'no', tool: 'work', when: 'false' },
  { id: 'each', tool: 'work', forEach: [1, 2], input: { value: { $item: true } } },
  { id: 'b', tool: 'work', input: { value: { $from: 'a', path: 'value' } } },
)

function begun(host: ReturnType<typeof rig>['kit']['host'], tools: readonly Tool[]): ReturnType<typeof newPlanRun> {
  const options = { env: { host }, registry: toolRegistry().register(tools) }
  const setup = { ...runnerSetup(options), options }
  return newPlanRun(setup, {}, { plan: mixed, session: undefined, grants: grants() })
}
