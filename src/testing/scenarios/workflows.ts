// Workflows: what each type of node does, gives and leads to, the same in every runtime.
import { agent } from '../../agent/agent.ts'
import { workflowEngine } from '../../engine/engine.ts'
import type { WorkflowEngine } from '../../engine/engine.ts'
import type { WorkflowResult, WorkflowRun } from '../../engine/driver.ts'
import type { EngineOptions } from '../../activity/setup.ts'
import type { Json } from '../../json/value.ts'
import { scriptedModel } from '../../model/scripted-model.ts'
import { jsonSchema } from '../../schema/check.ts'
import type { JsonSchema } from '../../schema/schema.ts'
import { tool } from '../../tool/define.ts'
import type { Tool } from '../../tool/tool.ts'
import type { InnerNode, WorkflowJson } from '../../workflow/definition.ts'
import { workflow } from '../../workflow/workflow.ts'
import type { Kit, Scenario } from '../kit.ts'

interface Work {
  readonly ms?: number
  readonly value?: unknown
  readonly fails?: boolean
}

/** Takes its time, and gives `{ value }`; or fails. */
const work = (kit: Kit): Tool =>
  tool({
    name: 'work',
    description: 'Works.',
    input: jsonSchema<Work>({
      type: 'object',
      properties: { ms: { type: 'number' }, value: {}, fails: { type: 'boolean' } },
    }),
    output: jsonSchema<{ value: unknown }>({ type: 'object' }),
    effect: 'read',
    execute: async ({ ms = 0, value = null, fails }, { callId, signal }) => {
      kit.note(`${callId} starts`, kit.host.now())
      await kit.sleep(ms, signal)
      if (fails) throw new Error(`${callId} broke`)
      return { value }
    },
  }) as Tool

export const engineOf = (kit: Kit, { tools = [], ...more }: EngineOptions = {}): WorkflowEngine =>
  workflowEngine({ tools: [work(kit), ...tools], ...more, env: { ...more.env, host: kit.host } })

/** Reads a run to its end, tracing its events and what it came to. */
export async function ended(kit: Kit, run: WorkflowRun): Promise<WorkflowResult> {
  await kit.trace(run)
  const { snapshot, error, ...result } = await run.result
  kit.note('result', { ...result, error: error && { code: error.code, message: error.message, data: error.data } })
  const body = { ...(snapshot.body as object), workMs: 0 }
  kit.note('snapshot', { ...snapshot, elapsedMs: 0, body })
  return { ...result, error, snapshot }
}

export const run = (
  kit: Kit,
  definition: { readonly definition: WorkflowJson },
  input: Json = {},
  options: EngineOptions = {},
): Promise<WorkflowResult> => ended(kit, engineOf(kit, options).run(definition.definition, input))

/** How each visit ended, in order. */
export const visitsOf = ({ visits }: WorkflowResult): readonly string[] =>
  visits.map(({ node, status, reason }) => `${node} ${status}${reason === undefined ? '' : ` (${reason})`}`)

/** A branch, or what is done for each item. */
export const working = (input: Json): InnerNode => ({ type: 'tool', tool: 'work', input })

const number = (name: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'number' } },
  required: [name],
})

const typed = workflow('typed', { inputSchema: number('n'), outputSchema: number('sum') })
  .start()
  .tool('double', { tool: 'work', input: { value: '{{ input.n * 2 }}' }, outputSchema: number('value') })
  .tool('text', { tool: 'work', input: { value: '50' }, outputSchema: number('value') })
  .end({ output: { sum: '{{ double.value + text.value }}' } })

const choosing = workflow('choosing', { state: { way: 'none' } })
  .start()
  .if('many', { condition: 'input.n > 3 and not ("skip" in input)', then: 'sort', else: 'end' })
  .switch('sort', { value: 'input.kind', cases: { book: 'book', '7': 'seven' }, default: 'other' })
  .tool('book', { tool: 'work', set: { way: 'book' }, next: 'end' })
  .tool('seven', { tool: 'work', set: { way: 'seven' }, next: 'end' })
  .tool('other', { tool: 'work', input: { value: '{{ input.kind }}' }, set: { way: 'other {{ output.value }}' } })
  .end({ output: '{{ state.way }}' })

const nodeScenarios: readonly Scenario[] = [
  {
    name: 'a workflow checks and coerces at its boundaries and at those of its nodes, both directions',
    run: async (kit) => {
      const result = await run(kit, typed, { n: '50' })
      kit.equal([result.status, result.stop, result.output], ['done', 'end', { sum: 150 }])
      kit.equal(visitsOf(result), ['start ok', 'double ok', 'text ok', 'end ok'])
      const textual = workflow('textual', { outputSchema: number('sum') })
        .start()
        .end({ output: { sum: '50' } })
      kit.equal((await run(kit, textual)).output, { sum: 50 })
      await kit.throws(() => engineOf(kit).run(typed, { n: 'fifty' }), 'run-invalid-input')
      const wrong = workflow('wrong')
        .start()
        .tool('say', { tool: 'work', input: { value: 'fifty' }, outputSchema: number('value') })
        .end()
      const { status, error } = await run(kit, wrong)
      kit.equal([status, error?.data], ['failed', { node: 'say', reason: 'invalid-output' }])
    },
  },
  {
    name: 'a node that fails is tried again, given up after its time, and led where its error leads',
    run: async (kit) => {
      let tries = 0
      const shaky = tool({
        name: 'shaky',
        description: 'Works at the third try.',
        execute: () => {
          if (++tries < 3) throw new Error('Not yet')
          return tries
        },
      })
      const steps = workflow('steady')
        .start()
        .tool('often', { tool: 'shaky', retry: { retries: 2, delayMs: 100 } })
        .tool('slow', { tool: 'work', input: { ms: 5000 }, timeoutMs: 50, onError: 'broken' })
        .tool('broken', { tool: 'work', input: { fails: true }, onError: 'end' })
        .end({ output: ['{{ often.result }}', '{{ slow.error.reason }}', '{{ broken.error }}'] })
      const { output } = await run(kit, steps, {}, { tools: [shaky] })
      kit.equal(output, [3, 'timeout', { reason: 'failed', message: 'broken broke' }])
      const final = workflow('final')
        .start()
        .tool('bad', { tool: 'work', input: { fails: true } })
        .end()
      const failed = await run(kit, final)
      kit.equal(failed.error?.message, 'The workflow "final" failed at node "bad" (failed): bad broke')
      kit.equal(visitsOf(failed), ['start ok', 'bad failed (failed)'])
    },
  },
  {
    name: 'a condition and the text of a value choose the way, and where no case fits the node fails',
    run: async (kit) => {
      const at = async (input: Json): Promise<unknown> => (await run(kit, choosing, input)).output
      kit.equal(await at({ n: 1 }), 'none')
      kit.equal(await at({ n: 4, skip: true }), 'none')
      kit.equal(await at({ n: 4, kind: 'book' }), 'book')
      kit.equal(await at({ n: 4, kind: 7 }), 'seven')
      kit.equal(await at({ n: 4, kind: 'coin' }), 'other coin')
      const strict = workflow('strict')
        .start()
        .switch('sort', { value: 'input.kind', cases: { book: 'end' } })
        .end()
      const { status, error } = await run(kit, strict, { kind: 'toString' })
      kit.equal([status, error?.data], ['failed', { node: 'sort', reason: 'failed' }])
    },
  },
  {
    name: 'a model is asked once for text or for what a schema says, and an agent answers with tools of its own',
    run: async (kit) => {
      const helper = agent({
        model: scriptedModel([{ calls: [{ name: 'work', input: { value: 'blue' } }] }, 'It is blue']),
        tools: [work(kit)],
        env: { host: kit.host },
      })
      const asking = workflow('asking')
        .start()
        .model('say', { prompt: 'Greet {{ input.name }}', instructions: 'Be short' })
        .model('data', { model: 'precise', prompt: 'The age?', outputSchema: number('age') })
        .agent('ask', { agent: 'helper', prompt: 'What colour is {{ say.text }}?' })
        .end({ output: { text: '{{ say.text }}', age: '{{ data.age }}', answer: '{{ ask.text }}' } })
      const models = { default: scriptedModel(['Hello Ann']), precise: scriptedModel(['{"age":"50"}']) }
      const { output } = await run(kit, asking, { name: 'Ann' }, { models, agents: { helper } })
      kit.equal(output, { text: 'Hello Ann', age: 50, answer: 'It is blue' })
      kit.equal(models.default.requests.length, 1)
    },
  },
  {
    name: 'a workflow waits for a time, and for an event that comes to another engine',
    run: async (kit) => {
      const started = kit.host.now()
      const waiting = workflow('waiting')
        .start()
        .wait('nap', { ms: 5000 })
        .wait('order', { event: 'order-paid', outputSchema: number('id') })
        .end({ output: '{{ order.id }}' })
      const first = await run(kit, waiting)
      kit.equal(kit.host.now() - started, 5000)
      kit.equal([first.status, first.stop, first.pending[0]?.wants], ['suspended', 'client-tool', 'result'])
      const stored = JSON.parse(JSON.stringify(first.snapshot)) as typeof first.snapshot
      const result = await ended(kit, await engineOf(kit).resume(stored, [{ callId: 'order', result: { id: '7' } }]))
      kit.equal(result.output, 7)
    },
  },
]

const gathering = workflow('gathering')
  .start()
  .tool('first', { tool: 'work', input: { value: 1 } })
  .parallel('both', {
    branches: {
      slow: working({ ms: 20, value: '{{ first.value + 1 }}' }),
      quick: working({ ms: 10, value: '{{ input.n }}' }),
    },
  })
  .tool('sum', { tool: 'work', input: { value: '{{ both.slow.value + both.quick.value }}' } })
  .end({ output: '{{ sum.value }}' })

const listing = workflow('listing')
  .start()
  .map('all', {
    items: '{{ input.list }}',
    each: working({ ms: 10, value: '{{ index }}: {{ item }}', fails: '{{ item == "bad" }}' }),
    concurrency: 2,
    maxItems: 3,
    onError: 'sorry',
  })
  .end({ output: '{{ all }}' })
  .end('sorry', { output: '{{ all.error }}' })

const branchScenarios: readonly Scenario[] = [
  {
    name: 'branches run at once on what came before, and what comes after has what each gave',
    run: async (kit) => {
      const started = kit.host.now()
      const { output } = await run(kit, gathering, { n: 5 })
      kit.equal([output, kit.host.now() - started], [7, 20])
    },
  },
  {
    name: 'where a branch fails the others finish, and then the node fails with the name of the branch',
    run: async (kit) => {
      const steps = workflow('half')
        .start()
        .parallel('both', { branches: { bad: working({ fails: true }), good: working({ ms: 10 }) }, onError: 'end' })
        .end({ output: '{{ both.error.message }}' })
      const result = await run(kit, steps)
      kit.equal(result.output, 'Branch "bad": bad broke')
      kit.equal(visitsOf(result), ['start ok', 'both failed (failed)', 'end ok'])
      kit.check(
        kit.lines().some((line) => line.startsWith('good starts')),
        'the other branch ran',
      )
    },
  },
  {
    name: 'a list is worked on item by item, so many at once, in order, and no more items than it may have',
    run: async (kit) => {
      const started = kit.host.now()
      const at = async (list: Json): Promise<unknown> => (await run(kit, listing, { list })).output
      kit.equal(await at(['a', 'b', 'c']), [{ value: '0: a' }, { value: '1: b' }, { value: '2: c' }])
      kit.equal(kit.host.now() - started, 20)
      kit.equal(await at([]), [])
      kit.equal(await at(['a', 'bad']), { reason: 'failed', message: 'Item 1: each.1 broke' })
      kit.equal(await at([1, 2, 3, 4]), {
        reason: 'limit',
        message: '"items" has 4 items, expected at most 3',
      })
      kit.equal(await at('abc'), { reason: 'invalid-input', message: '"items" must be a list' })
    },
  },
  {
    name: 'a workflow within a branch has an input and a state of its own',
    run: async (kit) => {
      const inner = workflow('inner', { state: { n: 0 }, inputSchema: number('by') })
        .start()
        .tool('count', { tool: 'work', input: { value: '{{ state.n + input.by }}' }, set: { n: '{{ output.value }}' } })
        .if('more', { condition: 'state.n < 6', then: 'count', else: 'end' })
        .end({ output: '{{ state.n }}' })
      const outer = workflow('outer', { state: { n: 100 } })
        .start()
        .parallel('both', {
          branches: {
            twos: { type: 'workflow', workflow: inner.definition, input: { by: '{{ input.by }}' } },
            threes: { type: 'workflow', workflow: inner.definition, input: { by: '3' } },
          },
        })
        .end({ output: { both: '{{ both }}', n: '{{ state.n }}' } })
      const { output } = await run(kit, outer, { by: 2 })
      kit.equal(output, { both: { twos: 6, threes: 6 }, n: 100 })
    },
  },
]

export const workflowScenarios: readonly Scenario[] = [...nodeScenarios, ...branchScenarios]
