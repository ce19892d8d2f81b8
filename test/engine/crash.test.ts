// A workflow whose store breaks at write k, for every k, goes on from its log to the same end.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { workflowEngine } from '../../src/engine/engine.ts'
import type { WorkflowEngine } from '../../src/engine/engine.ts'
import type { WorkflowRun } from '../../src/engine/driver.ts'
import { webHost } from '../../src/host/web-host.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { recover } from '../../src/recovery/recover.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { failingStore } from '../../src/testing/crash/failing-store.ts'
import type { Tool } from '../../src/tool/tool.ts'
import type { RunStore } from '../../src/tool/run-store.ts'
import type { Loose } from '../workflow/kit.ts'
import { breaks, counting, cutAfter, text, world } from '../crash-rig.ts'
import type { World } from '../crash-rig.ts'
import { giving } from './rig.ts'

const anything = jsonSchema({ type: 'object' }) as NonNullable<Tool['input']>

function tools({ counts }: World): readonly Tool[] {
  const make = counting(counts)
  const counted: typeof make = (name, more, work) => make(name, { input: anything, ...more }, work)
  return [
    counted('look', { effect: 'read' }, () => 5),
    counted('pay', { effect: 'unsafe' }, () => 'paid'),
    counted('pay_too', { effect: 'unsafe' }, () => 'paid'),
    counted('asked', { effect: 'unsafe', approval: true }),
    counted('add_line', { effect: 'local' }, async (input, { fs }) => {
      const before = await text(fs, '/lines')
      await fs.write('/lines', new TextEncoder().encode(`${before}${(input as { line?: string }).line ?? ''}\n`))
      return 'added'
    }),
  ]
}

function engineOf(world: World, store: RunStore): WorkflowEngine {
  const model = scriptedModel(
    Array.from(
      { length: 9 },
      () =>
        ({ messages }) =>
          messages.length > 1 ? 'It is fine' : { calls: [{ name: 'look' }] },
    ),
  )
  return workflowEngine({
    tools: tools(world),
    agents: { helper: agent({ model, tools: tools(world) }) },
    env: { host: webHost, fs: world.files, store },
    approve: ({ why }) => (why === 'unknown-outcome' ? { result: 'paid' } : 'approve'),
  })
}

const call = (id: string, tool: string, input: object = {}, rest: object = {}): Loose => ({
  id,
  type: 'tool',
  tool,
  input,
  ...rest,
})

const definition = giving({ n: '{{ state.n }}', paid: '{{ pay.result }}', said: '{{ ask.text }}' }, [
  call('see', 'look', {}, { set: { n: '{{ output.result }}' } }),
  call('first', 'add_line', { line: '{{ state.n }}' }),
  call('pay', 'pay'),
  { id: 'ok', type: 'approval', message: 'Go on?' },
  call('ask_first', 'asked'),
  { id: 'ask', type: 'agent', agent: 'helper', prompt: 'Is it fine?' },
  {
    id: 'both',
    type: 'parallel',
    branches: {
      money: { type: 'tool', tool: 'pay_too' },
      see: { type: 'tool', tool: 'look' },
      inner: {
        type: 'workflow',
        workflow: giving(
          '{{ state.n }}',
          [call('deep', 'add_line', { line: 'deep' }, { set: { n: 1 } }), call('deeper', 'look')],
          {
            name: 'inner',
            state: { n: 0 },
          },
        ),
      },
    },
  },
  {
    id: 'all',
    type: 'map',
    items: ['a', 'b'],
    each: { type: 'tool', tool: 'add_line', input: { line: '{{ item }}' } },
    concurrency: 1,
  },
  { id: 'nap', type: 'wait', ms: 1 },
  { id: 'more', type: 'if', condition: 'state.n < 7', then: 'again', else: 'end' },
  call('again', 'add_line', { line: 'again {{ state.n }}' }, { set: { n: '{{ state.n + 1 }}' }, next: 'more' }),
])

const output = { n: 7, paid: 'paid', said: 'It is fine' }
const lines = '5\ndeep\na\nb\nagain 5\nagain 6\n'

describe('a crash at every write of a workflow', () => {
  for (const how of breaks) {
    it(`goes on to the same end (the store breaks: ${how})`, async () => {
      const first = world()
      const store = failingStore(first.store, Infinity, 'before')
      const whole = await engineOf(first, store).run(definition, {}, { id: 'r' }).result
      expect([whole.error, whole.output, await text(first.files, '/lines')]).toEqual([undefined, output, lines])
      expect(store.writes).toBeGreaterThan(12)
      for (let at = 1; at <= store.writes; at++) {
        const here = world()
        await cutAfter(engineOf(here, failingStore(here.store, at, how)).run(definition, {}, { id: 'r' }).result)
        if ((await here.store.list()).length === 0) continue
        const where = `write ${at} of ${store.writes}, ${how}`
        const again = await recover(engineOf(here, here.store) as never, { store: here.store, run: 'r' })
          .then((resumed) => (resumed as unknown as WorkflowRun).result)
          .catch((thrown: Error) => thrown.message)
        if (typeof again === 'string') {
          expect(again, where).toContain('done')
          continue
        }
        expect([where, again.error, again.output, again.visitCount]).toEqual([
          where,
          undefined,
          output,
          whole.visitCount,
        ])
        expect([where, await text(here.files, '/lines')]).toEqual([where, lines])
        const { pay = 0, asked = 0, pay_too = 0 } = here.counts
        expect([where, pay <= 1, asked <= 1, pay_too <= 1]).toEqual([where, true, true, true])
      }
    })
  }
})
