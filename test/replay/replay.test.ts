// A run of a log happens again: same events, same result, nothing asked and nothing run.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import type { AgentOptions } from '../../src/agent/options.ts'
import { webHost } from '../../src/host/web-host.ts'
import { readLog } from '../../src/journal/log.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { orchestrator } from '../../src/orchestrator/orchestrator.ts'
import { plan } from '../../src/plan/plan.ts'
import { replay } from '../../src/replay/replay.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import type { Run } from '../../src/run/run.ts'
import { canonicalTrace } from '../../src/testing/trace.ts'
import { made } from '../agent/rig.ts'

const store = memoryStore()
let count = 0

async function again(turns: readonly ScriptedTurn[], options: Partial<AgentOptions>, act?: (run: Run) => void) {
  const id = `run_${++count}`
  const original = agent({ model: scriptedModel(turns, { chunk: 5 }), env: { host: webHost, store }, ...options })
  const run = original.run('go', { id })
  act?.(run)
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  const result = await run.result
  const offline = agent({
    model: scriptedModel([]),
    ...options,
    tools: options.tools?.map((tool) => ({ ...tool, ...(tool.execute ? { execute: never } : {}) })),
    approve: never as never,
  })
  const replayed = await replay(offline, await readLog(store, id))
  expect(replayed.differs).toBeUndefined()
  expect(canonicalTrace(replayed.events)).toEqual(canonicalTrace(events))
  expect(replayed.result).toMatchObject({
    status: result.status,
    stop: result.stop,
    messages: result.messages,
    usage: result.usage,
  })
  return { result, events, id }
}

const never = (): never => {
  throw new Error('Nothing runs')
}

describe('replay', () => {
  it('of text, reasoning with provider data, and calls side by side', async () => {
    await again(
      [
        [
          'Let me look around here. ',
          { reasoning: 'I think', providerData: { scripted: { signature: 's' } } },
          { calls: [{ name: 'slow' }, { name: 'fast', input: { a: 1 }, providerData: { scripted: { id: 'x' } } }] },
        ],
        { calls: [{ name: 'unknown' }, { name: 'fast', raw: '{"a":' }] },
        'And the answer',
      ],
      {
        tools: [
          made('slow', async (_, { progress }) => {
            progress({ half: true })
            await new Promise((resolve) => setTimeout(resolve, 10))
            return 'slow'
          }),
          made('fast', () => ({ x: 1 })),
        ],
      },
    )
  })

  it('of approvals, denials and edits', async () => {
    const { result } = await again(
      [{ calls: [{ name: 'pay' }, { name: 'send' }] }, { calls: [{ name: 'pay' }] }, 'done'],
      {
        tools: [
          made('pay', () => 'paid', { approval: true, describeCall: () => ({ summary: 'pays' }) }),
          made('send', () => 'sent', { approval: () => 'because it is so' }),
        ],
        approve: ({ name }) => (name === 'pay' ? 'approve' : { decision: 'deny', reason: 'no' }),
      },
    )
    expect(result.status).toBe('done')
  })

  it('of a run that is suspended', async () => {
    const { result } = await again([{ calls: [{ name: 'pay' }, { name: 'look' }] }, 'done'], {
      tools: [made('pay', () => 'paid', { approval: true }), made('look', () => 'seen')],
    })
    expect(result.status).toBe('suspended')
  })

  it('of a failure of the model, a broken stream and a fatal tool', async () => {
    const broken = { code: 'model-connection', message: 'Gone', retryable: true } as const
    await again([['half', { error: broken }], 'whole'], {})
    await again([{ error: { code: 'model-request', message: 'No' } }], {})
  })

  it('of an abort and of what was said meanwhile', async () => {
    const tools = [
      made('slow', async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return 1
      }),
    ]
    await again([{ calls: [{ name: 'slow' }] }, 'done'], { tools }, (run) => setTimeout(() => run.abort('enough'), 20))
    await again([{ calls: [{ name: 'look' }] }, 'one', 'two'], { tools: [made('look', () => 1)] }, (run) =>
      run.steer('And also this'),
    )
  })

  it('says where an agent is another one', async () => {
    const { id } = await again([{ calls: [{ name: 'a' }] }, 'done'], { tools: [made('a', () => 1)] })
    const other = agent({ model: scriptedModel([]), tools: [] })
    const { differs } = await replay(other, await readLog(store, id))
    expect(differs).toMatchObject({ wanted: expect.stringContaining('tool-start') as string })
  })
})

describe('replay of other runs', () => {
  it('of an agent with a sub-agent that asks', async () => {
    const pay = made('pay', () => 'paid', { approval: true })
    const researcher = () =>
      agent({ model: scriptedModel([{ calls: [{ name: 'pay', callId: null }] }, 'found']), tools: [pay] }).asTool({
        name: 'research',
        description: 'Researches',
      })
    const turns: readonly ScriptedTurn[] = [
      ['I ask. ', { calls: [{ name: 'research', input: { task: 'x' } }, { name: 'look' }] }],
      'all done',
    ]
    await again(turns, { tools: [researcher(), made('look', () => 1)], approve: () => 'approve' })
    const { result } = await again(turns, { tools: [researcher(), made('look', () => 1)] })
    expect(result.status).toBe('suspended')
  })

  it('of all parts of a run that was suspended, and resumed, and resumed with new input', async () => {
    const tools = [made('pay', () => 'paid', { approval: true })]
    const options = { tools, env: { host: webHost, store } }
    const model = () => scriptedModel([{ calls: [{ name: 'pay' }] }, 'paid it', 'and again'])
    const assistant = agent({ model: model(), ...options })
    const events: RunEvent[] = []
    const read = async (run: Run) => {
      for await (const event of run) events.push(event)
      return run.result
    }
    const first = await read(assistant.run('go', { id: 'parts' }))
    const second = await read(await assistant.resume(first.snapshot, [{ callId: 'call_1', decision: 'approve' }]))
    const third = await read(await assistant.resume(second.snapshot, [], { input: 'more' }))
    const replayed = await replay(agent({ model: scriptedModel([]), tools }), await readLog(store, 'parts'))
    expect(replayed.differs).toBeUndefined()
    expect(canonicalTrace(replayed.events)).toEqual(canonicalTrace(events))
    expect(replayed.result?.messages).toEqual(third.messages)
  })

  it('of a plan, with lists, failures and conditions', async () => {
    let calls = 0
    const tools = [
      made('list', async () => (calls++, [1, 2, 3])),
      made('fails', () => Promise.reject(new Error('no'))),
      made('echo', (input) => (calls++, input as never), {
        input: jsonSchema({ type: 'object' }) as never,
      }),
    ]
    const steps = plan()
      .step({ id: 'items', tool: 'list' })
      .step({ id: 'each', tool: 'echo', forEach: { $from: 'items', path: 'result' }, input: { n: { $item: true } } })
      .step({ id: 'bad', tool: 'fails', onError: { value: 1 } })
      .step({ id: 'no', tool: 'echo', when: 'items.result == 1' })
    const events: RunEvent[] = []
    const run = orchestrator({ tools, env: { host: webHost, store } }).run(steps, { id: 'a plan' })
    for await (const event of run) events.push(event)
    const result = await run.result
    const before = calls
    const replayed = await replay(orchestrator({ tools }), await readLog(store, 'a plan'))
    expect(replayed.differs).toBeUndefined()
    expect(canonicalTrace(replayed.events)).toEqual(canonicalTrace(events))
    expect([calls, replayed.result?.steps]).toEqual([before, result.steps])
  })
})
