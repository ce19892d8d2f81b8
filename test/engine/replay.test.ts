// A run of a workflow happens again from its log: the same events, and no tool runs.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { readLog } from '../../src/journal/log.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { replay } from '../../src/replay/replay.ts'
import type { WorkflowResult } from '../../src/engine/driver.ts'
import { eventsOf, giving, line, rig, work } from './rig.ts'
import type { WorkflowJson } from '../../src/workflow/definition.ts'

const whole = giving(
  { n: '{{ state.n }}', both: '{{ both }}', all: '{{ all }}', said: '{{ ask.text }}', data: '{{ data.age }}' },
  [
    work('x', { value: '{{ state.n }}', ms: 5 }, { set: { n: '{{ state.n + 1 }}' } }),
    { id: 'more', type: 'if', condition: 'state.n < 2', then: 'x', else: 'both' },
    {
      id: 'both',
      type: 'parallel',
      branches: {
        a: { type: 'tool', tool: 'work', input: { value: 1 } },
        b: { type: 'tool', tool: 'work', input: { ms: 9 } },
      },
    },
    { id: 'all', type: 'map', items: [1, 2], each: { type: 'tool', tool: 'work', input: { value: '{{ item }}' } } },
    { id: 'nap', type: 'wait', ms: 50 },
    { id: 'ask', type: 'agent', agent: 'helper', prompt: 'Hello' },
    {
      id: 'data',
      type: 'model',
      prompt: 'Data',
      outputSchema: { type: 'object', properties: { age: { type: 'number' } } },
    },
    work('bad', { fails: true }, { onError: 'ok' }),
    { id: 'ok', type: 'approval', message: 'Go on?' },
  ],
  { state: { n: 0 } },
)

const cast = (): object => ({
  agents: { helper: agent({ model: scriptedModel(['Hi']) }) },
  models: { default: scriptedModel(['{"age":3}']) },
})

async function again(
  definition: WorkflowJson,
  options: object = {},
): Promise<{
  readonly result: WorkflowResult
  readonly differs: unknown
  readonly got: unknown
  readonly same: boolean
  readonly ran: number
}> {
  const store = memoryStore()
  const first = rig()
  const run = first.engine({ ...cast(), ...options }).run(definition, {}, { store, id: 'r' })
  const events = await eventsOf(run)
  const second = rig()
  const {
    events: heard,
    result,
    differs,
  } = await replay<WorkflowResult>(second.engine(cast()) as never, await readLog(store, 'r'))
  const types = (list: readonly { readonly type: string }[]): readonly string[] => list.map(({ type }) => type)
  return {
    result: await run.result,
    differs,
    got: result?.output,
    same: types(heard).join() === types(events).join(),
    ran: second.log.length,
  }
}

describe('replay()', () => {
  it('makes a whole run happen again without its tools', async () => {
    const { result, differs, got, same, ran } = await again(whole, { approve: () => 'approve' })
    expect(result.error).toBeUndefined()
    expect(differs).toBeUndefined()
    expect(got).toEqual(result.output)
    expect([same, ran]).toEqual([true, 0])
  })

  it('makes one that was suspended happen again', async () => {
    const { result, differs, same } = await again(line([work('x'), { id: 'ok', type: 'approval', message: 'Go on?' }]))
    expect([result.status, differs, same]).toEqual(['suspended', undefined, true])
  })

  it('makes one that failed happen again', async () => {
    const { result, differs, same } = await again(line([work('x', { fails: true })]))
    expect([result.status, differs, same]).toEqual(['failed', undefined, true])
  })
})
