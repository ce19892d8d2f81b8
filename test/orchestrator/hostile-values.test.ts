// Plans whose values, conditions and snapshots mean harm.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { planTool } from '../../src/orchestrator/plan-tool.ts'
import { copied, ends, made, planOf, rig } from './rig.ts'

describe('values between steps', () => {
  it('keeps from other steps what a function of one does to a value or an item', async () => {
    const { flow } = rig()
    const list = made('list', () => ({ numbers: [1] }))
    const echo = made('echo', (input) => input)
    type Values = Readonly<Record<string, { readonly result: { readonly numbers: number[] } }>>
    const of = (values: unknown): number[] => (values as Values)['a']?.result.numbers ?? []
    const { steps } = await flow([list, echo]).run(
      planOf(
        { id: 'a', tool: 'list' },
        { id: 'b', tool: 'echo', after: ['a'], when: (values) => of(values).push(2) > 0 },
        { id: 'c', tool: 'echo', after: ['b'], input: (values) => (of(values).push(3), { all: of(values) }) },
        {
          id: 'd',
          tool: 'echo',
          after: ['c'],
          forEach: [{ n: 1 }],
          input: (_, item) => Object.assign(item as object, { n: 2 }),
        },
        { id: 'e', tool: 'echo', after: ['d'], input: (values) => ({ all: of(values) }) },
      ),
    ).result
    expect(steps.map(({ value }) => value)).toEqual([
      { result: { numbers: [1] } },
      { result: {} },
      { result: { all: [1, 3] } },
      [{ result: { n: 2 } }],
      { result: { all: [1] } },
    ])
  })

  it('takes a hole in a list for null, and ends the step after its last item', async () => {
    const { flow } = rig()
    const seen: unknown[] = []
    const look = made('look', async (input) => (seen.push(input), 1))
    // oxlint-disable-next-line no-sparse-arrays -- what is tested
    const items = [1, , 3]
    const { steps } = await flow([look]).run(
      planOf({ id: 'a', tool: 'look', forEach: () => items, input: (_, item) => ({ item }) }),
    ).result
    expect(seen).toEqual([{ item: 1 }, { item: null }, { item: 3 }])
    expect(steps).toMatchObject([{ status: 'ok', value: [{ result: 1 }, { result: 1 }, { result: 1 }] }])
  })

  it('fails a step whose references put a value into itself, over and over', async () => {
    const { flow } = rig()
    const steps = Array.from({ length: 60 }, (_, at) => ({
      id: `s${at}`,
      tool: 'echo',
      input: at ? { a: { $from: `s${at - 1}` }, b: { $from: `s${at - 1}` } } : { text: 'x'.repeat(20_000) },
    }))
    const result = await flow([made('echo', (input) => input)]).run({ version: 1, steps }).result
    const failed = result.steps.find(({ status }) => status === 'failed')
    expect(failed).toMatchObject({ reason: 'invalid-input' })
    expect(failed?.message).toContain('at most 10000000 characters')
    expect(result.steps.at(-1)).toMatchObject({ status: 'skipped', because: failed?.id })
  })

  it('skips a step with as many references as skipped steps before it, in time that grows with them', async () => {
    const { flow } = rig()
    const skipped = Array.from({ length: 20_000 }, (_, at) => ({ id: `s${at}`, tool: 't', when: 'false' }))
    const list = skipped.map(() => ({ $from: 'first' }))
    const steps = [
      { id: 'first', tool: 't' },
      ...skipped,
      { id: 'last', tool: 't', after: skipped.map(({ id }) => id), input: { list } },
    ]
    const result = await flow([made('t', () => 1)]).run({ version: 1, steps }).result
    expect(result.steps.at(-1)?.status).toBe('ok')
  }, 30_000)
})

describe('a plan from elsewhere', () => {
  it('asks about every call of a plan that is imported, also after a further suspend', async () => {
    const ran: unknown[] = []
    const tools = [made('erase', (input) => (ran.push(input), 1)), made('pay', () => 1, { approval: true })]
    const flow = () => rig().flow(tools)
    const { snapshot } = await flow().run(planOf({ id: 'a', tool: 'pay' })).result
    const forged = copied(snapshot) as unknown as { body: Record<string, any> }
    forged.body['plan'].steps = [
      { id: 'x', tool: 'erase', input: { n: 1 } },
      { id: 'y', tool: 'erase', input: { n: 2 }, after: ['x'] },
    ]
    forged.body['calls'] = []
    const asked: string[] = []
    let result = await (await flow().resume(forged as never, [], { trust: 'import' })).result
    expect(ran).toEqual([])
    for (let left = 5; result.status === 'suspended' && left; left--) {
      asked.push(...result.pending.map(({ callId, reason }) => `${callId}: ${reason}`))
      const decisions = result.pending.map(({ callId }) => ({ callId, decision: 'approve' as const }))
      result = await (await flow().resume(copied(result.snapshot), decisions)).result
    }
    expect(asked).toEqual(['x: The call comes from elsewhere', 'y: The call comes from elsewhere'])
    expect([ends(result), ran]).toEqual([
      ['x ok', 'y ok'],
      [{ n: 1 }, { n: 2 }],
    ])
  })

  it('shows a proposed plan with one line for each step, whatever its conditions hold', async () => {
    const running = planTool({ tools: [made('erase', () => 1), made('look', () => 1)] })
    const steps = [{ id: 'a', tool: 'erase', when: 'true or "\n2. b: look {}\n3. c: look {}"' }]
    const { pending } = await agent({
      model: scriptedModel([{ calls: [{ name: 'run_plan', input: { steps } }] }]),
      tools: [running],
    }).run('go').result
    const { drawing } = (pending[0]?.preview?.details ?? {}) as { readonly drawing?: string }
    expect(drawing?.split('\n')).toHaveLength(1)
  })
})
