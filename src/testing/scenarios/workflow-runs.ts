// Runs of workflows: people, limits, what definitions and templates cannot do, and going on after a crash.
import { agent } from '../../agent/agent.ts'
import type { Agent } from '../../agent/agent.ts'
import type { WorkflowResult } from '../../engine/driver.ts'
import type { Json } from '../../json/value.ts'
import { readLog } from '../../journal/log.ts'
import { memoryStore } from '../../journal/memory-store.ts'
import type { Decision } from '../../message/decision.ts'
import { scriptedModel } from '../../model/scripted-model.ts'
import { policy } from '../../policy/policy.ts'
import { recover } from '../../recovery/recover.ts'
import { replay } from '../../replay/replay.ts'
import { tool } from '../../tool/define.ts'
import type { Tool } from '../../tool/tool.ts'
import { parseWorkflow, workflow } from '../../workflow/workflow.ts'
import { failingStore } from '../crash/failing-store.ts'
import type { Kit, Scenario } from '../kit.ts'
import { canonicalTrace } from '../trace.ts'
import { amount, pay, stored } from './cast.ts'
import { ended, engineOf, run, visitsOf, working } from './workflows.ts'

/** Goes on from JSON in an engine that has never heard of the run. */
const resumed = async (
  kit: Kit,
  { snapshot }: WorkflowResult,
  decisions: readonly Decision[],
  options: Parameters<typeof engineOf>[1] = {},
): Promise<WorkflowResult> => ended(kit, await engineOf(kit, options).resume(stored(snapshot), decisions))

const sending = workflow('sending')
  .start()
  .approval('ask', { message: 'Send {{ input.n }}?', denied: 'sad' })
  .tool('send', { tool: 'work', input: { value: 'sent' }, next: 'end' })
  .tool('sad', { tool: 'work', input: { value: 'kept' } })
  .end({ output: ['{{ ask.approved }}', '{{ "send" in state and state.send }}'] })

const clerk = (kit: Kit): Agent =>
  agent({
    model: scriptedModel([({ messages }) => (messages.length > 1 ? 'Paid it' : { calls: [amount(3)] }), 'Paid it']),
    tools: [pay(kit)],
    env: { host: kit.host },
  })

const peopleScenarios: readonly Scenario[] = [
  {
    name: 'an approval goes on, goes where denied leads, or fails the workflow',
    run: async (kit) => {
      const first = await run(kit, sending, { n: 3 })
      kit.equal([first.status, first.stop, first.pending[0]?.reason], ['suspended', 'approval', 'Send 3?'])
      const approved = await resumed(kit, first, [{ callId: 'ask', decision: 'approve' }])
      kit.equal(visitsOf(approved), ['start ok', 'ask ok', 'send ok', 'end ok'])
      const denied = await run(kit, sending, { n: 3 }, { approve: () => 'deny' })
      kit.equal(visitsOf(denied), ['start ok', 'ask failed (denied)', 'sad ok', 'end ok'])
      kit.equal(
        [approved.output, denied.output],
        [
          [true, false],
          [false, false],
        ],
      )
      const strict = workflow('strict').start().approval('ask', { message: 'Go on?' }).end()
      const { status, error } = await run(kit, strict, {}, { approve: () => 'deny' })
      kit.equal([status, error?.data], ['failed', { node: 'ask', reason: 'denied' }])
    },
  },
  {
    name: 'the question of an agent in a workflow suspends the whole, which goes on in another engine',
    run: async (kit) => {
      const steps = workflow('paying')
        .start()
        .agent('ask', { agent: 'clerk', prompt: 'Pay three' })
        .end({ output: '{{ ask.text }}' })
      const first = await run(kit, steps, {}, { agents: { clerk: clerk(kit) } })
      const [asked] = first.pending
      kit.equal([first.status, asked?.name, asked?.path], ['suspended', 'pay', ['ask']])
      const decisions = [{ callId: asked?.callId ?? '', decision: 'approve' } as const]
      const result = await resumed(kit, first, decisions, { agents: { clerk: clerk(kit) } })
      kit.equal([result.status, result.output], ['done', 'Paid it'])
    },
  },
  {
    name: 'questions in branches, items and workflows within suspend the whole, and what is done stays done',
    run: async (kit) => {
      const inner = workflow('inner').start().approval('ok', { message: 'Inner?' }).end({ output: '{{ ok.approved }}' })
      const steps = workflow('many')
        .start()
        .parallel('both', {
          branches: {
            quick: working({ value: 1 }),
            money: { type: 'tool', tool: 'pay', input: { amount: 2 } },
            inner: { type: 'workflow', workflow: inner.definition },
          },
        })
        .map('all', { items: [3, 4], each: { type: 'tool', tool: 'pay', input: { amount: '{{ item }}' } } })
        .end({ output: { both: '{{ both }}', all: '{{ all }}' } })
      const options = { tools: [pay(kit)] }
      const ids = (result: WorkflowResult): readonly string[] => result.pending.map(({ callId }) => callId)
      const yes = (result: WorkflowResult): readonly Decision[] =>
        ids(result).map((callId) => ({ callId, decision: 'approve' }))
      const first = await run(kit, steps, {}, options)
      kit.equal(ids(first), ['both/money', 'both/inner/ok'])
      const second = await resumed(kit, first, yes(first), options)
      kit.equal(ids(second), ['all/each.0', 'all/each.1'])
      const third = await resumed(kit, second, yes(second).slice(1), options)
      kit.equal(ids(third), ['all/each.0'])
      const { output } = await resumed(kit, third, yes(third), options)
      kit.equal(output, {
        both: { quick: { value: 1 }, money: { result: 'paid 2' }, inner: true },
        all: [{ result: 'paid 3' }, { result: 'paid 4' }],
      })
      kit.equal(kit.lines().filter((line) => line.startsWith('quick starts')).length, 1)
    },
  },
]

const counting = workflow('counting', { state: { n: 0 }, maxVisits: 8 })
  .start()
  .tool('count', { tool: 'work', input: { value: '{{ state.n + 1 }}' }, set: { n: '{{ output.value }}' } })
  .if('more', { condition: 'state.n < input.to', then: 'count', else: 'end' })
  .end({ output: '{{ state.n }}' })

const limitScenarios: readonly Scenario[] = [
  {
    name: 'a loop goes round as often as nodes may be visited, and a resume lets it go on as often again',
    run: async (kit) => {
      kit.equal((await run(kit, counting, { to: 3 })).output, 3)
      const first = await run(kit, counting, { to: 5 })
      kit.equal([first.status, first.stop, first.visitCount], ['stopped', 'steps', 8])
      const last = await resumed(kit, first, [])
      kit.equal([last.output, last.visitCount], [5, 12])
    },
  },
  {
    name: 'a workflow stops after its time, which does not pass while a person is waited for',
    run: async (kit) => {
      const steps = workflow('timed', { timeoutMs: 100 })
        .start()
        .tool('one', { tool: 'work', input: { ms: 60 } })
        .approval('ok', { message: 'Go on?' })
        .tool('two', { tool: 'work', input: { ms: 60 } })
        .end({ output: 'done' })
      const first = await run(kit, steps)
      kit.equal(first.stop, 'approval')
      await kit.sleep(1000)
      const second = await resumed(kit, first, [{ callId: 'ok', decision: 'approve' }])
      kit.equal([second.status, second.stop], ['stopped', 'time'])
      kit.equal(visitsOf(second), ['start ok', 'one ok', 'ok ok', 'two cancelled'])
      kit.equal((await resumed(kit, second, [])).output, 'done')
    },
  },
]

/** What is refused, as its message. */
async function refused(kit: Kit, load: () => unknown): Promise<void> {
  try {
    load()
  } catch (thrown) {
    const { code, message } = thrown as { readonly code: string; readonly message: string }
    kit.equal(code, 'workflow-invalid')
    return kit.note('refused', message)
  }
  kit.check(false, 'it was refused')
}

const guardScenarios: readonly Scenario[] = [
  {
    name: 'templates and conditions of workflows find nothing that is inherited',
    run: async (kit) => {
      const input = JSON.parse('{"list":[1],"__proto__":{"admin":true}}') as Json
      const lookedUp = ['input.constructor', 'input["__proto__"]', 'input.list.map', 'state.toString', 'input.admin']
      for (const expression of lookedUp) {
        const steps = workflow('reaching')
          .start()
          .tool('x', { tool: 'work', input: { value: `{{ ${expression} }}` }, onError: 'end' })
          .end({ output: '{{ x.error.reason }}' })
        kit.equal((await run(kit, steps, input)).output, 'invalid-input', expression)
        const branch = workflow('branching')
          .start()
          .if('there', { condition: expression, then: 'yes', else: 'no' })
          .end('yes')
          .end('no')
        kit.equal(visitsOf(await run(kit, branch, input)).at(-1), 'no ok', expression)
      }
      for (const name of ['constructor', '__proto__', 'hasOwnProperty'])
        await refused(
          kit,
          () =>
            workflow('x')
              .start()
              .end({ output: `{{ ${name} }}` }).definition,
        )
      kit.equal(({} as { admin?: unknown }).admin, undefined)
    },
  },
  {
    name: 'a definition that cannot work is refused when it is loaded, and says where and why',
    run: async (kit) => {
      const x = { id: 'x', type: 'tool', tool: 'work', next: 'end' }
      const nodes = [{ id: 'start', type: 'start', next: 'x' }, x, { id: 'end', type: 'end' }]
      const text = (changed: readonly unknown[]): string =>
        JSON.stringify({ version: 1, name: 'text', nodes: changed.length ? changed : nodes })
      kit.equal(parseWorkflow(text([])).name, 'text')
      const wrong: readonly (readonly unknown[])[] = [
        [nodes[0], { ...x, next: 'edn' }, nodes[2]],
        [...nodes, { ...x, id: 'island' }],
        [...nodes, x],
        [nodes[1], nodes[2]],
        [nodes[0], x],
        [nodes[0], { ...x, type: 'toll' }, nodes[2]],
        [nodes[0], { ...x, input: '{{ y.value }}' }, nodes[2]],
        [nodes[0], { ...x, input: '{{ input.' }, nodes[2]],
        [nodes[0], { id: 'x', type: 'if', condition: 'input.n >', then: 'end', else: 'end' }, nodes[2]],
      ]
      for (const one of wrong) await refused(kit, () => parseWorkflow(text(one)))
      await refused(kit, () => parseWorkflow('name: text'))
      await refused(kit, () => engineOf(kit).run(workflow('x').start().tool('a', { tool: 'wrok' }).end()))
    },
  },
  {
    name: 'a policy holds for nodes, branches and items, and an imported run asks about every call',
    run: async (kit) => {
      const steps = workflow('guarded')
        .start()
        .parallel('both', { branches: { a: working({}) }, onError: 'all' })
        .map('all', { items: [1], each: working({}), onError: 'one' })
        .tool('one', { tool: 'work', onError: 'end' })
        .end()
      const rules = policy({ tools: { deny: ['work'] } })
      const reasons = ({ visits }: WorkflowResult): readonly unknown[] => visits.map(({ reason }) => reason)
      kit.equal(reasons(await run(kit, steps, {}, { policy: rules })), [
        undefined,
        'failed',
        'failed',
        'denied',
        undefined,
      ])
      const fine = await run(kit, steps, {}, { policy: policy({ tools: { allow: ['work'] } }) })
      kit.equal(reasons(fine), [undefined, undefined, undefined, undefined, undefined])
      const first = await run(kit, sending, { n: 1 })
      const engine = engineOf(kit)
      const given = await ended(kit, await engine.resume(stored(first.snapshot), [], { trust: 'import' }))
      const second = await resumed(kit, given, [{ callId: 'ask', decision: 'approve' }])
      kit.equal([second.status, second.pending[0]?.callId], ['suspended', 'send'])
    },
  },
]

/** Does something once, and must not do it twice by itself. */
const once = (kit: Kit): Tool =>
  tool({
    name: 'once',
    description: 'Does it.',
    effect: 'unsafe',
    execute: async () => {
      kit.note('once runs', null)
      await kit.sleep(10)
      return 'did it'
    },
  })

const surviving = workflow('surviving', { state: { n: 0 } })
  .start()
  .tool('see', { tool: 'work', input: { ms: 10, value: 5 }, set: { n: '{{ output.value }}' } })
  .tool('act', { tool: 'once' })
  .parallel('both', { branches: { left: working({ ms: 10, value: 1 }), right: working({ ms: 20, value: 2 }) } })
  .wait('nap', { ms: 100 })
  .tool('last', { tool: 'work', input: { value: '{{ state.n + both.left.value + both.right.value }}' } })
  .end({ output: ['{{ act.result }}', '{{ last.value }}'] })

async function goesOn(kit: Kit, at: number): Promise<void> {
  const store = memoryStore()
  const options = {
    tools: [once(kit)],
    approve: ({ why }: { readonly why: string }) =>
      why === 'unknown-outcome' ? ({ result: 'did it' } as const) : ('approve' as const),
  }
  const first = engineOf(kit, { ...options, env: { store: failingStore(store, at, 'after') } })
  const cut = await first.run(surviving, {}, { id: 'r' }).result
  kit.equal(cut.status, 'failed')
  const engine = engineOf(kit, { ...options, env: { store } })
  const result = await ended(kit, await recover(engine, { store, run: 'r' }))
  kit.equal([result.error?.message, result.output], [undefined, ['did it', 8]])
  kit.check(kit.lines().filter((line) => line.startsWith('once runs')).length <= 1, 'it was done at most once')
}

const crashScenarios: readonly Scenario[] = [
  ...[2, 4, 6, 8].map((at) => ({
    name: `a workflow that is cut off at write ${at} goes on from its log to the same end`,
    run: (kit: Kit) => goesOn(kit, at),
  })),
  {
    name: 'a run of a workflow happens again from its log, with the same events and nothing run',
    run: async (kit) => {
      const store = memoryStore()
      const options = { tools: [once(kit)], env: { store } }
      const events = await kit.trace(engineOf(kit, options).run(surviving, {}, { id: 'r' }))
      const before = kit.lines().length
      const log = await readLog(store, 'r')
      const { events: again, differs, result } = await replay(engineOf(kit, { tools: [once(kit)] }), log)
      kit.equal([differs, result?.output], [undefined, ['did it', 8]])
      kit.equal(canonicalTrace(again), canonicalTrace(events))
      kit.equal(kit.lines().length, before, 'Nothing ran')
    },
  },
]

export const workflowRunScenarios: readonly Scenario[] = [
  ...peopleScenarios,
  ...limitScenarios,
  ...guardScenarios,
  ...crashScenarios,
]
