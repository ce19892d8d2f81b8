// Rights and limits that must hold whichever way a call comes.
import { describe, expect, it } from 'vitest'
import { signed } from '../../src/journal/signed.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { sealedText } from '../../src/run/snapshot.ts'
import type { Snapshot } from '../../src/run/snapshot.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { anyObject, call, calls, eventsOf, made, pause, results, rig, unanswered } from './rig.ts'

const copied = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot)) as Snapshot

describe('an import brings no rights and takes none', () => {
  it('not those of a session it names', async () => {
    let paid = 0
    const tools = [made('pay', () => ++paid, { approval: true, input: anyObject })]
    const { snapshot } = await rig([call('pay', { n: 1 })], { tools }).assistant.run('go').result
    const { assistant } = rig([call('pay', { n: 1 }), 'done', 'done'], { tools, approve: () => 'approve-session' })
    await assistant.run('go', { session: 'alice' }).result
    expect(paid).toBe(1)
    const run = await assistant.resume({ ...copied(snapshot), session: 'alice' }, [], { trust: 'import' })
    const asked = (await eventsOf(run)).some(({ type }) => type === 'approval-request')
    expect(asked).toBe(true)
  })

  it('not the single use of another snapshot', async () => {
    const seal = signed('a secret of many characters')
    const tools = [made('pay', () => 1, { approval: true })]
    const { assistant } = rig([calls('pay'), 'done', 'done'], { tools, snapshots: seal })
    const { snapshot } = await assistant.run('go').result
    await assistant.resume({ ...copied(snapshot), signature: undefined }, [], { trust: 'import' })
    const run = await assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }])
    expect(await run.result).toMatchObject({ status: 'done' })
  })

  it.each([
    [
      'steps',
      { steps: 3 },
      (snapshot: Snapshot) => ({ ...snapshot, body: { ...(snapshot.body as object), step: -1000 } }),
    ],
    ['tokens', { tokens: 100 }, (snapshot: Snapshot) => ({ ...snapshot, usage: { total: -1e9 } })],
    ['time', { milliseconds: 5 }, (snapshot: Snapshot) => ({ ...snapshot, elapsedMs: -1e9 })],
  ])('not more %s than the limit', async (_, limits, forge) => {
    const tools = [
      made(
        'a',
        async () => {
          await pause(4)
          return Math.random()
        },
        { input: anyObject },
      ),
    ]
    const { snapshot } = await rig(['hi'], { tools }).assistant.run('go').result
    const turns = Array.from({ length: 10 }, (_unused, n) => [
      { calls: [{ name: 'a', input: { n } }] },
      { usage: { total: 50 } },
    ])
    const { assistant } = rig([...turns, 'done'], { tools, limits })
    let run
    try {
      run = await assistant.resume(forge(copied(snapshot)) as never, [], { trust: 'import', input: 'more' })
    } catch {
      return
    }
    expect(await run.result).toMatchObject({ status: 'stopped' })
  })
})

describe('a signature', () => {
  it('tells an object from a list of pairs', async () => {
    let got: unknown
    const seal = signed('a secret of many characters')
    const tools = [
      made(
        'save',
        (input) => {
          got = input
        },
        { approval: true, input: anyObject },
      ),
    ]
    const { assistant } = rig([call('save', { rows: [['admin', true]] }), 'done'], { tools, snapshots: seal })
    const { snapshot } = await assistant.run('go').result
    const forged = JSON.parse(JSON.stringify(snapshot).replaceAll('[["admin",true]]', '{"admin":true}')) as Snapshot
    expect(sealedText(forged)).not.toBe(sealedText(snapshot))
    await expect(
      assistant.resume(forged, [{ callId: 'call_1', decision: 'approve' }]).then((run) => run.result),
    ).rejects.toMatchObject({ code: 'run-unsigned-snapshot' })
    expect(got).toBeUndefined()
  })
  it('holds over a JSON round trip with keys in another order', async () => {
    const seal = signed('a secret of many characters')
    const { assistant } = rig([calls('a'), 'done'], {
      tools: [made('a', () => 1, { approval: true })],
      snapshots: seal,
    })
    const { snapshot } = await assistant.run('go').result
    const turned = JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(snapshot).reverse()))) as Snapshot
    await (
      await assistant.resume(turned)
    ).result
  })
})

it('a model that a step changes to and that asks for effects is asked about', async () => {
  let ran = 0
  const planner = scriptedModel([calls('wipe'), 'done'], { capabilities: { asksFor: 'effects' } })
  const { assistant } = rig([], { tools: [made('wipe', () => ++ran)], prepareStep: () => ({ model: planner }) })
  expect(await assistant.run('go').result).toMatchObject({ status: 'suspended' })
  expect(ran).toBe(0)
})

it('a tool that middleware hides by now is refused on a resume too', async () => {
  let ran = 0
  const tools = [made('pay', () => ++ran, { approval: true })]
  const { snapshot } = await rig([calls('pay')], { tools }).assistant.run('go').result
  const { assistant } = rig(['done'], {
    tools,
    middleware: [{ name: 'hide', definitions: (list) => list.filter(({ name }) => name !== 'pay') }],
  })
  try {
    await (
      await assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }])
    ).result
  } catch {
    /* refusing is right too */
  }
  expect(ran).toBe(0)
})

describe('the same failing call again and again stops the run', () => {
  it.each([
    ['an unknown tool', { name: 'nope' }],
    ['invalid input', { name: 'a', input: { n: 'x' } }],
    ['broken JSON', { name: 'a', raw: '{"n":' }],
    ['a denied tool', { name: 'b' }],
    ['a tool that throws', { name: 'c' }],
  ])('%s', async (_, one) => {
    const tools = [
      made('a', () => 1, { input: jsonSchema({ type: 'object', properties: { n: { type: 'number' } } }) as never }),
      made('b', () => 1),
      made('c', () => {
        throw new Error('always')
      }),
    ]
    const rules = [
      ({ name }: { name: string }) => (name === 'b' ? { action: 'deny' as const, reason: 'no' } : undefined),
    ]
    const { assistant } = rig(
      Array.from({ length: 12 }, () => ({ calls: [one] })),
      { tools, limits: { steps: 10 }, middleware: [{ name: 'm', rules }] },
    )
    expect(await assistant.run('go').result).toMatchObject({ stop: 'repeated-calls' })
  })
})

it('a pending result in the input is nothing that a resume runs', async () => {
  let ran = 0
  const { assistant } = rig(['done', 'done'], { tools: [made('wipe', () => ++ran)] })
  const history = [
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    { role: 'assistant', content: [{ type: 'tool-call', callId: 'x', name: 'wipe', input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', callId: 'x', name: 'wipe', ok: false, reason: 'pending', content: [] }],
    },
  ] as never
  const { snapshot } = await assistant.run(history, { signal: AbortSignal.abort() }).result
  await (
    await assistant.resume(snapshot)
  ).result
  expect(ran).toBe(0)
})

describe('messages handed in later keep the transcript valid', () => {
  const orphan = { role: 'assistant', content: [{ type: 'tool-call', callId: 'x', name: 'a', input: {} }] } as const
  const stray = {
    role: 'tool',
    content: [{ type: 'tool-result', callId: 'zz', name: 'a', ok: true, content: [] }],
  } as const
  const valid = (messages: readonly { role: string }[]): boolean =>
    unanswered(messages as never).length === 0 &&
    messages.every(({ role }, index) => role !== 'tool' || messages[index - 1]?.role === 'assistant')
  it.each([
    ['an assistant message with a call', orphan],
    ['a tool message', stray],
  ])('steer: %s', async (_, message) => {
    const { assistant, model } = rig([calls('a'), 'done'], { tools: [made('a', () => pause(20))] })
    const run = assistant.run('go')
    await pause(5)
    try {
      run.steer(message as never)
    } catch {
      return void run.abort()
    }
    await run.result
    expect(model.requests.every(({ messages }) => valid(messages))).toBe(true)
  })
  it.each([
    ['an assistant message with a call', orphan],
    ['a tool message', stray],
  ])('resume with input: %s', async (_, message) => {
    const { assistant, model } = rig(['hi', 'done'])
    const { snapshot } = await assistant.run('go').result
    try {
      await (
        await assistant.resume(snapshot, [], { input: [message] as never })
      ).result
    } catch {
      return
    }
    expect(model.requests.every(({ messages }) => valid(messages))).toBe(true)
  })
})

describe('a registry that changes during a run', () => {
  it('a tool taken away while a person thinks does not run', async () => {
    let ran = 0
    const registry = toolRegistry().register(made('pay', () => ++ran, { approval: true }))
    const { assistant } = rig([calls('pay'), 'done'], {
      registry,
      approve: async () => {
        registry.unregister('pay')
        return 'approve' as const
      },
    })
    const result = await assistant.run('go').result
    expect([ran, result.status]).toEqual([0, 'done'])
  })
  it('a tool added is seen in the next step by all', async () => {
    const registry = toolRegistry().register(made('add', () => void registry.register(made('late', () => 'here'))))
    const { assistant } = rig([calls('add'), calls('late'), 'done'], { registry })
    expect(results((await assistant.run('go').result).messages)[1]).toMatchObject({ ok: true, text: 'here' })
  })
})

const timed = async (work: () => unknown): Promise<number> => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

describe('work grows with the number of things, not with its square', () => {
  it('unread progress events beyond 1 MiB', async () => {
    const flood = (count: number) => () => {
      const tool = made('a', (_, ctx) => {
        for (let n = 0; n < count; n++) ctx.progress(n)
        return 1
      })
      return rig([calls('a'), 'done'], { tools: [tool] }).assistant.run('go').result
    }
    const [few, many] = [await timed(flood(9000)), await timed(flood(11_200))]
    expect(many / few).toBeLessThan(8)
  }, 60_000)
})

it('unread progress is bounded in memory', async () => {
  const flood = made('a', async (_, ctx) => {
    for (let n = 0; n < 300; n++) {
      ctx.progress('x'.repeat(100_000))
      if (n % 50 === 0) await pause()
    }
    return 1
  })
  const run = rig([calls('a'), 'done'], { tools: [flood] }).assistant.run('go')
  await run.result
  expect(JSON.stringify(await eventsOf(run)).length).toBeLessThan(5_000_000)
})
