// A model that proposes a whole plan: refused in words, shown to a person, run within its run, answered in short.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import type { Agent } from '../../src/agent/agent.ts'
import type { AgentOptions } from '../../src/agent/options.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { ApprovalRequest } from '../../src/message/decision.ts'
import type { Message, ToolResultPart } from '../../src/message/part.ts'
import { contentText } from '../../src/message/text.ts'
import type { Json } from '../../src/json/value.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { planTool } from '../../src/orchestrator/plan-tool.ts'
import type { PlanToolOptions } from '../../src/orchestrator/plan-tool.ts'
import { policy } from '../../src/policy/policy.ts'
import type { StepJson } from '../../src/plan/step.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { copied, made } from './rig.ts'

const proposes = (steps: readonly StepJson[], more: object = {}): ScriptedTurn => ({
  calls: [{ name: 'run_plan', callId: 'p1', input: { steps, ...more } as unknown as Json }],
})

interface Cast {
  readonly assistant: Agent
  readonly paid: unknown[]
}

function cast(
  turns: readonly ScriptedTurn[],
  options: Partial<PlanToolOptions> = {},
  more: Partial<AgentOptions> = {},
): Cast {
  const paid: unknown[] = []
  const tools: Tool[] = [
    made('get', () => 'x'.repeat(1000)),
    made('count', ({ text }: { text: string }) => text.length),
    made('pay', (input) => (paid.push(input), 'paid'), { approval: true }),
    made('judged', (input) => (paid.push(input), 'paid'), { approval: () => 'it is much' }),
    made('fail', () => Promise.reject(new Error('broken'))),
  ]
  const running = planTool({ tools, ...options })
  return { assistant: agent({ model: scriptedModel(turns), tools: [running], ...more }), paid }
}

const results = (messages: readonly Message[]): readonly { ok: boolean; reason: string | undefined; json: any }[] =>
  messages
    .flatMap(({ content }) => content)
    .filter((part): part is ToolResultPart => part.type === 'tool-result')
    .map(({ ok, reason, content }) => {
      const [part] = content
      return { ok, reason, json: part?.type === 'json' ? part.value : contentText(content) }
    })

const text = { $from: 'a', path: 'result' }
const simple: readonly StepJson[] = [
  { id: 'a', tool: 'get' },
  { id: 'b', tool: 'count', input: { text } },
  { id: 'c', tool: 'pay', input: { n: { $from: 'b', path: 'result' } } },
]

describe('planTool()', () => {
  it('runs a proposed plan as one call, approved as one, and answers with the beginnings of values', async () => {
    const { assistant, paid } = cast([proposes(simple), 'done'], {}, { approvalWaitMs: Infinity })
    const run = assistant.run('go')
    const asked = []
    const events = []
    for await (const event of run) {
      events.push(event)
      if (event.type !== 'approval-request') continue
      asked.push(event)
      run.decide({ callId: event.callId, decision: 'approve' })
    }
    const { messages, status } = await run.result
    expect([status, paid]).toEqual(['done', [{ n: 1000 }]])
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      callId: 'p1',
      name: 'run_plan',
      preview: { summary: 'Run a plan of 3 steps: a, b, c' },
    })
    const { details } = (asked[0] as ApprovalRequest).preview as unknown as {
      details: { steps: unknown; drawing: string }
    }
    expect(details.steps).toEqual(simple)
    expect(details.drawing.split('\n')).toEqual([
      '1. a: get {}',
      '2. b: count {"text":{"$from":"a","path":"result"}}  <- a',
      '3. c: pay {"n":{"$from":"b","path":"result"}}  <- b',
    ])
    const [{ ok, json } = { ok: false, json: null }] = results(messages)
    expect(ok).toBe(true)
    expect(json).toEqual({
      status: 'done',
      steps: [
        { id: 'a', status: 'ok', start: expect.stringMatching(/^{"result":"x{389}…$/), chars: 1013 },
        { id: 'b', status: 'ok', value: { result: 1000 } },
        { id: 'c', status: 'ok', value: { result: 'paid' } },
      ],
    })
    const within = events.filter(({ type, path }) => type === 'node-end' && path?.[0] === 'p1')
    expect(within).toHaveLength(3)
  })

  it('gives the values whole that are named in output', async () => {
    const { assistant } = cast([proposes(simple.slice(0, 2), { output: ['a'] }), 'done'], { approval: false })
    const [answer] = results((await assistant.run('go').result).messages)
    expect(answer?.json.steps[0]).toEqual({ id: 'a', status: 'ok', value: { result: 'x'.repeat(1000) } })
  })

  it('tells the model what is wrong with a plan, asks nobody and runs nothing', async () => {
    const wrong: readonly [readonly StepJson[], object, string][] = [
      [[{ id: 'a', tool: 'none' }], {}, 'there is no tool "none"'],
      [[{ id: 'a', tool: 'get', after: ['b'] }], {}, 'names step "b", which is not there'],
      [[{ id: 'a b', tool: 'get' }], {}, '"id" must be'],
      [[{ id: 'a', tool: 'get', after: ['a'] }], {}, 'wait for each other: a -> a'],
      [[{ id: 'a', tool: 'get' }], { output: ['z'] }, '"output" names step "z"'],
      [Array.from({ length: 4 }, (_, index) => ({ id: `s${index}`, tool: 'get' })), {}, 'at most 3 steps, got 4'],
      [undefined as never, {}, '"steps" must be a list'],
    ]
    for (const [steps, more, says] of wrong) {
      const { assistant } = cast([proposes(steps, more), 'sorry'], { maxSteps: 3 })
      const { messages, status } = await assistant.run('go').result
      const [answer] = results(messages)
      expect([status, answer?.reason]).toEqual(['done', 'invalid-input'])
      expect(answer?.json).toContain(says)
    }
  })

  it('answers a plan that failed with how far it came', async () => {
    const steps: readonly StepJson[] = [
      { id: 'a', tool: 'fail' },
      { id: 'b', tool: 'get', after: ['a'] },
      { id: 'c', tool: 'count', input: { text: 'abc' } },
    ]
    const { assistant } = cast([proposes(steps), 'done'], { approval: false })
    const { messages, status } = await assistant.run('go').result
    const [answer] = results(messages)
    expect([status, answer?.ok, answer?.reason]).toEqual(['done', false, 'failed'])
    expect(answer?.json).toEqual({
      status: 'failed',
      error: 'Step "a" failed: broken',
      steps: [
        { id: 'a', status: 'failed', reason: 'failed', message: 'broken' },
        { id: 'b', status: 'skipped', because: 'a' },
        { id: 'c', status: 'ok', value: { result: 3 } },
      ],
    })
  })

  it('suspends for its approval and for questions within, and goes on in another process', async () => {
    const steps: readonly StepJson[] = [
      { id: 'a', tool: 'judged', input: { n: 1 } },
      { id: 'b', tool: 'pay', after: ['a'] },
      { id: 'c', tool: 'judged', after: ['b'] },
    ]
    const first = await cast([proposes(steps)]).assistant.run('go').result
    expect(first.pending.map(({ callId }) => callId)).toEqual(['p1'])
    const second = await (
      await cast([]).assistant.resume(copied(first.snapshot), [{ callId: 'p1', decision: 'approve' }])
    ).result
    expect(second.pending).toMatchObject([{ callId: 'p1/a', reason: 'it is much', path: ['p1'] }])
    const third = await (
      await cast([]).assistant.resume(copied(second.snapshot), [{ callId: 'p1/a', decision: 'approve' }])
    ).result
    expect(third.pending).toMatchObject([{ callId: 'p1/c' }])
    const last = cast(['done'])
    const fourth = await (
      await last.assistant.resume(copied(third.snapshot), [{ callId: 'p1/c', decision: 'deny' }])
    ).result
    expect(fourth.status).toBe('done')
    expect(results(fourth.messages)[0]?.json.steps).toMatchObject([
      { id: 'a', status: 'ok' },
      { id: 'b', status: 'ok' },
      { id: 'c', status: 'failed', reason: 'denied' },
    ])
  })

  it('covers tools that always ask, but no rule that asks or denies and no plan within the plan', async () => {
    const rules = policy({ tools: { ask: ['count'], deny: ['get'] } } as never)
    const asked: string[] = []
    const approve = ({ callId }: { callId: string }): 'approve' => (asked.push(callId), 'approve')
    const steps: readonly StepJson[] = [
      { id: 'a', tool: 'get' },
      { id: 'b', tool: 'count', input: { text: 'abc' } },
      { id: 'c', tool: 'pay' },
    ]
    const { assistant } = cast([proposes(steps), 'done'], {}, { policy: rules, approve })
    const { messages } = await assistant.run('go').result
    expect(asked).toEqual(['p1', 'p1/b'])
    expect(results(messages)[0]?.json.steps).toMatchObject([
      { status: 'failed', reason: 'denied' },
      { status: 'ok' },
      { status: 'ok' },
    ])
    const registry = toolRegistry().register(made('get', () => 1))
    registry.register(planTool({ registry }))
    asked.length = 0
    const inner = { steps: [{ id: 'x', tool: 'get' }] }
    const model = scriptedModel([proposes([{ id: 'deep', tool: 'run_plan', input: inner }]), 'done'])
    await agent({ model, registry, approve }).run('go').result
    expect(asked).toEqual(['p1', 'p1/deep'])
  })

  it('asks for each step where the plan is not approved as one', async () => {
    const asked: string[] = []
    const { assistant, paid } = cast(
      [proposes(simple), 'done'],
      { approval: false },
      {
        approve: ({ callId }) => (asked.push(callId), 'deny'),
      },
    )
    await assistant.run('go').result
    expect([asked, paid]).toEqual([['p1/c'], []])
  })

  it('ends with the run of its agent', async () => {
    const hang = made('hang', () => new Promise(() => {}))
    const model = scriptedModel([proposes([{ id: 'a', tool: 'hang' }])])
    const run = agent({ model, tools: [planTool({ tools: [hang], approval: false })] }).run('go')
    for await (const event of run) if (event.type === 'tool-start' && event.name === 'hang') run.abort()
    expect((await run.result).status).toBe('aborted')
  })

  it('tells a model how to write plans, and of which tools', () => {
    const { description, input } = planTool({ tools: [made('get', () => 1)] })
    expect(description).toContain('"$from"')
    expect(description.split('\n').at(-1)).toBe('- get: get Input: {"type":"object"}')
    const shape = input?.['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
    expect(shape).toMatchObject({ properties: { steps: { maxItems: 50 } } })
    const registry = toolRegistry()
      .register([made('a', () => 1), made('b', () => 1), made('c', () => 1)])
      .disable('a')
    const told = planTool({ registry, policy: policy({ tools: { deny: ['b'] } } as never) }).description
    expect(told.split('\n').slice(3)).toEqual(['- c: c Input: {"type":"object"}'])
    expect(planTool({ tools: [], name: 'go', description: 'Mine.' })).toMatchObject({
      name: 'go',
      description: 'Mine.\n\nTools for its steps:\n',
    })
  })
})
