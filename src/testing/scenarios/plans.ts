// Plans: true dataflow over the one call path, refused as a whole, suspended and resumed, the same in every runtime.
import { orchestrator } from '../../orchestrator/orchestrator.ts'
import type { OrchestratorOptions } from '../../orchestrator/orchestrator.ts'
import { planTool } from '../../orchestrator/plan-tool.ts'
import type { PlanResult } from '../../orchestrator/driver.ts'
import { plan } from '../../plan/plan.ts'
import type { Plan } from '../../plan/plan.ts'
import { jsonSchema } from '../../schema/check.ts'
import { tool } from '../../tool/define.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Kit, Scenario } from '../kit.ts'
import { cast, pay, play, stored } from './cast.ts'

/** Takes 10 ms of virtual time, and fails where its name says so. */
const work = (kit: Kit, name: string): Tool =>
  tool({
    name,
    description: name,
    effect: 'read',
    input: jsonSchema<Record<string, unknown>>({ type: 'object' }),
    execute: async (input: Readonly<Record<string, unknown>>) => {
      kit.note(`${name} starts`, kit.host.now())
      await kit.sleep(10)
      if (name === 'broken') throw new Error('It is broken')
      return { name, from: Object.keys(input), of: input['of'] ?? null } as never
    },
  } as Parameters<typeof tool>[0])

const flow = (kit: Kit, more: OrchestratorOptions = {}) =>
  orchestrator({
    tools: [work(kit, 'fetch'), work(kit, 'merge'), work(kit, 'broken'), pay(kit)],
    env: { host: kit.host },
    ...more,
  })

async function planned(kit: Kit, steps: Plan, options?: OrchestratorOptions): Promise<PlanResult> {
  const run = flow(kit, options).run(steps)
  await kit.trace(run)
  const result = await run.result
  kit.note('steps', result.steps)
  return result
}

const endings = ({ steps }: PlanResult): readonly string[] =>
  steps.map(({ id, status, because }) => `${id} ${status}${because === undefined ? '' : ` (${because})`}`)

const diamond = (first = 'fetch'): Plan =>
  plan()
    .step({ id: 'fetch_a', tool: first, input: { of: 'a' } })
    .step({ id: 'fetch_b', tool: 'fetch', input: { of: 'b' } })
    .step({ id: 'merge', tool: 'merge', input: { of: { a: { $from: 'fetch_a' }, b: { $from: 'fetch_b' } } } })

/** What the second of the seeds promises for plans. */
export const planPromises: readonly Scenario[] = [
  {
    name: 'C8 Two steps run at once and the third has what both gave; where one fails its sibling completes, and what needs it is skipped',
    run: async (kit) => {
      const { status, steps } = await planned(kit, diamond())
      kit.equal([status, steps.map(({ id }) => id)], ['done', ['fetch_a', 'fetch_b', 'merge']])
      const starts = kit.lines().filter((line) => line.startsWith('fetch starts'))
      kit.equal([starts.length, new Set(starts).size], [2, 1])
      const { value } = steps[2] as { value?: unknown }
      const { of } = (value as { result: { of: Readonly<Record<string, { result: { of: string } }>> } }).result
      kit.equal([of['a']?.result.of, of['b']?.result.of], ['a', 'b'])
      const result = await planned(kit, diamond('broken'))
      kit.equal(result.status, 'failed')
      kit.equal(endings(result), ['fetch_a failed', 'fetch_b ok', 'merge skipped (fetch_a)'])
    },
  },
  {
    name: 'C9 A cycle, an unknown tool, an unknown step and a second one of a name are refused before anything runs',
    run: async (kit) => {
      const step = (id: string, more: object) => ({ id, tool: 'fetch', ...more })
      const wrong: readonly Plan[] = [
        plan()
          .step(step('a', { after: ['b'] }))
          .step(step('b', { after: ['c'] }))
          .step(step('c', { after: ['a'] })),
        plan().step(step('a', { after: ['a'] })),
        plan().step({ id: 'a', tool: 'fetsh' }),
        plan().step(step('a', { input: { of: { $from: 'nobody' } } })),
      ]
      for (const one of wrong) {
        try {
          flow(kit).run(one)
          kit.check(false, 'it was refused')
        } catch (thrown) {
          const { code, message } = thrown as { code: string; message: string }
          kit.equal(code, 'plan-invalid')
          kit.note('refused', message)
        }
      }
      await kit.throws(() => flow(kit).run(plan().step(step('a', {})).step(step('a', {}))), 'plan-invalid')
      kit.check(!kit.lines().some((line) => line.includes('starts')), 'nothing ran')
    },
  },
]

export const planScenarios: readonly Scenario[] = [
  ...planPromises,
  {
    name: 'a step starts as soon as what it needs is there, and waits for nobody else',
    run: async (kit) => {
      const chain = plan()
        .step({ id: 'a', tool: 'fetch' })
        .step({ id: 'a2', tool: 'fetch', after: ['a'] })
        .step({ id: 'slow', tool: 'pay', input: { amount: 1 } })
        .step({ id: 'a3', tool: 'fetch', after: ['a2'] })
        .step({ id: 'last', tool: 'merge', input: { of: { $from: 'slow' } } })
      const result = await planned(kit, chain)
      kit.equal([result.status, result.pending.length], ['suspended', 1])
      kit.equal(endings(result), ['a ok', 'a2 ok', 'slow pending', 'a3 ok', 'last pending'])
      const snapshot = stored(result.snapshot)
      const run = await flow(kit).resume(snapshot, [{ callId: 'slow', decision: 'approve' }])
      await kit.trace(run)
      kit.equal(endings(await run.result), ['a ok', 'a2 ok', 'slow ok', 'a3 ok', 'last ok'])
    },
  },
  {
    name: 'a list is worked on side by side, up to the concurrency, and given in order',
    run: async (kit) => {
      const each = plan().step({
        id: 'each',
        tool: 'fetch',
        forEach: ['x', 'y', 'z'],
        input: { of: { $item: true } },
      })
      const result = await planned(kit, each, { concurrency: 2 })
      kit.equal(result.status, 'done')
    },
  },
  {
    name: 'a model proposes a plan, a person approves it as one, and its answer has the values that were asked for',
    run: async (kit) => {
      const steps = diamond().toJSON().steps
      const tools = [planTool({ tools: [work(kit, 'fetch'), work(kit, 'merge')] })]
      const actors = cast(
        kit,
        [{ calls: [{ name: 'run_plan', input: { steps, output: ['merge'] } as never }] }, 'That is it'],
        { tools, approve: ({ preview }) => (preview?.summary.includes('3 steps') ? 'approve' : 'deny') },
      )
      const { result } = await play(kit, actors)
      kit.equal([result.status, result.text], ['done', 'That is it'])
    },
  },
]
