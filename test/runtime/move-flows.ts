// What moves beside agents: a plan and a workflow with a question each, and a run that was cut off, as its log.
import { agent } from '../../src/agent/agent.ts'
import { workflowEngine } from '../../src/engine/engine.ts'
import { webHost } from '../../src/host/web-host.ts'
import { readLog } from '../../src/journal/log.ts'
import type { LogRecord } from '../../src/journal/log.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { signed } from '../../src/journal/signed.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { orchestrator } from '../../src/orchestrator/orchestrator.ts'
import { plan } from '../../src/plan/plan.ts'
import { recover } from '../../src/recovery/recover.ts'
import type { Snapshot } from '../../src/run/snapshot.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { equal } from '../../src/testing/assertion.ts'
import { failingStore } from '../../src/testing/crash/failing-store.ts'
import { tool } from '../../src/tool/define.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { workflow } from '../../src/workflow/workflow.ts'

export interface Flows {
  readonly plan: Snapshot
  readonly workflow: Snapshot
  /** Of a run that was cut off while an unsafe tool ran. */
  readonly log: readonly LogRecord[]
}

const anything = jsonSchema<Record<string, unknown>>({ type: 'object' })

function tools(done: unknown[]): readonly Tool[] {
  const made = (name: string, more: Partial<Tool>): Tool =>
    tool({
      name,
      description: name,
      input: anything,
      ...more,
      execute: (input: Readonly<Record<string, unknown>>) => {
        done.push([name, input['of'] ?? null])
        return { name, of: input['of'] ?? null }
      },
    } as Parameters<typeof tool>[0])
  return [made('fetch', { effect: 'read' }), made('merge', { effect: 'read' }), made('pay', { approval: true })]
}

const shared = { env: { host: webHost }, snapshots: signed('a secret of many characters') }
const flowOf = (done: unknown[]) => orchestrator({ tools: tools(done), ...shared })
const engineOf = (done: unknown[]) => workflowEngine({ tools: tools(done), ...shared })

const steps = plan()
  .step({ id: 'a', tool: 'fetch', input: { of: 'a' } })
  .step({ id: 'b', tool: 'pay', input: { of: 'b' } })
  .step({
    id: 'm',
    tool: 'merge',
    input: {
      of: [
        { $from: 'a', path: 'result.of' },
        { $from: 'b', path: 'result.of' },
      ],
    },
  })

const report = workflow('report', { state: { tries: 0 } })
  .start()
  .parallel('both', {
    branches: {
      left: { type: 'tool', tool: 'fetch', input: { of: 'left' } },
      right: { type: 'tool', tool: 'pay', input: { of: '{{ input.sum }}' } },
    },
    set: { tries: '{{ state.tries + 1 }}' },
  })
  .if('again', { condition: 'state.tries > 0', then: 'merged', else: 'both' })
  .tool('merged', { tool: 'merge', input: { of: '{{ both.right.result.of }}' } })
  .end({ output: { paid: '{{ merged.result.of }}', tries: '{{ state.tries }}' } })

function payer(done: unknown[]): ReturnType<typeof agent> {
  const turn = ({ messages }: { readonly messages: readonly unknown[] }) =>
    messages.length > 1 ? 'Paid.' : { calls: [{ name: 'pay', input: { of: 9 } }] }
  return agent({
    model: scriptedModel([turn, turn]),
    tools: tools(done).map((one) => ({ ...one, approval: false })),
    env: { host: webHost },
  })
}

export async function suspendFlows(): Promise<Flows> {
  const planned = await flowOf([]).run(steps).result
  const worked = await engineOf([]).run(report, { sum: 5 }).result
  equal([planned.status, worked.status], ['suspended', 'suspended'])
  const store = memoryStore()
  const cut = await payer([]).run('Pay', { id: 'cut', store: failingStore(store, 3, 'after') }).result
  equal(cut.status, 'failed')
  return { plan: planned.snapshot, workflow: worked.snapshot, log: await readLog(store, 'cut') }
}

/** What each comes to where it arrives. */
export const flowStory: Readonly<Record<string, (flows: Flows) => Promise<void>>> = {
  'a plan with a question goes on, and what was done is not done again': async ({ plan: snapshot }) => {
    const done: unknown[] = []
    const run = await flowOf(done).resume(snapshot, [{ callId: 'b', decision: 'approve' }])
    const { status, steps: ends } = await run.result
    equal(
      [status, done],
      [
        'done',
        [
          ['pay', 'b'],
          ['merge', ['a', 'b']],
        ],
      ],
    )
    equal(
      ends.map((one) => one.status),
      ['ok', 'ok', 'ok'],
    )
  },
  'a workflow with a question in a branch goes on to its end': async ({ workflow: snapshot }) => {
    const done: unknown[] = []
    const [asked] = snapshot.pending
    const run = await engineOf(done).resume(snapshot, [{ callId: asked?.callId ?? '', decision: 'approve' }])
    const { status, output } = await run.result
    equal(
      [status, output, done],
      [
        'done',
        { paid: 5, tries: 1 },
        [
          ['pay', 5],
          ['merge', 5],
        ],
      ],
    )
  },
  'a run that was cut off elsewhere goes on from its log, and asks about what may have happened': async ({ log }) => {
    const done: unknown[] = []
    const store = memoryStore()
    const { epoch } = await store.lease('cut')
    const rows = log.map(({ seq, type, data }) => ({ seq, type, data: JSON.stringify(data) }))
    await store.append('cut', rows, { expectSeq: 0, epoch })
    const asked = await (await recover(payer(done), { store, run: 'cut' })).result
    const [question] = asked.pending
    equal([asked.status, question?.why, done], ['suspended', 'unknown-outcome', []])
    const decisions = [{ callId: question?.callId ?? '', result: 'it was paid' }]
    const run = await recover(payer(done), { store, run: 'cut', decisions })
    equal([await run.text, done], ['Paid.', []])
  },
}
