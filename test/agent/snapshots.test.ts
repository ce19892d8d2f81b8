// Snapshots that were tampered with, used twice, or taken at odd moments.
import { describe, expect, it } from 'vitest'
import { webHost } from '../../src/host/web-host.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { runStore } from '../../src/journal/run-store.ts'
import { signed } from '../../src/journal/signed.ts'
import type { Snapshot } from '../../src/run/snapshot.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { anyObject, call, calls, made, pause, rig, unanswered, within } from './rig.ts'

const number = jsonSchema({
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
}) as never

describe('an import', () => {
  it('asks about every pending call, also of a tool that needs no approval', async () => {
    let ran = 0
    const tools = [
      made('pay', () => 'paid', { approval: true, input: anyObject }),
      made('wipe', () => ++ran, { input: anyObject }),
    ]
    const { snapshot } = await rig([call('pay', { n: 1 })], { tools }).assistant.run('go').result
    // The sender turns the waiting call into another one.
    const forged = JSON.parse(JSON.stringify(snapshot).replaceAll('"pay"', '"wipe"')) as Snapshot
    const { tools: prints } = snapshot.body as never as { tools: Record<string, string> }
    Object.assign((forged.body as never as { tools: object }).tools, prints)
    const { assistant } = rig(['done'], { tools })
    const run = await assistant.resume(forged, [], { trust: 'import' })
    const result = await run.result
    expect(ran).toBe(0)
    expect(result).toMatchObject({ status: 'suspended' })
  })

  it('asks about pending calls that the list of requests does not name', async () => {
    let ran = 0
    const tools = [made('wipe', () => ++ran)]
    const { snapshot } = await rig([calls('wipe'), 'done'], {
      tools: [made('wipe', () => 1, { approval: true })],
    }).assistant.run('go').result
    const run = await rig(['done'], { tools }).assistant.resume({ ...snapshot, pending: [] }, [], { trust: 'import' })
    await run.result
    expect(ran).toBe(0)
  })

  it('repairs a transcript with unanswered calls before the model sees it', async () => {
    const { snapshot } = await rig([calls('a'), { finish: 'length' }], { tools: [made('a', () => 1)] }).assistant.run(
      'go',
    ).result
    const body = snapshot.body as never as { messages: readonly object[] }
    const forged = { ...snapshot, body: { ...body, messages: body.messages.slice(0, 2) } } as never
    const { assistant, model } = rig(['done'], { tools: [made('a', () => 1)] })
    await (
      await assistant.resume(forged, [], { trust: 'import' })
    ).result
    expect(unanswered(model.requests[0]?.messages ?? [])).toEqual([])
  })
})

describe('single use', () => {
  it('two resumes at once: one wins', async () => {
    for (const store of [undefined, memoryStore()]) {
      let paid = 0
      const tools = [made('pay', () => ++paid, { approval: true })]
      const one = rig([calls('pay'), 'done', 'done'], { tools, env: { host: webHost, store } as never })
      const { snapshot } = await one.assistant.run('go').result
      const two = rig(['done'], { tools, env: { host: webHost, store } as never })
      const who = store ? two : one
      const settled = await Promise.allSettled(
        [one, who, one].map(({ assistant }) => assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }])),
      )
      for (const each of settled) if (each.status === 'fulfilled') await each.value.result
      expect(paid).toBe(1)
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    }
  })

  it('a store that fails once does not use the snapshot up', async () => {
    const store = memoryStore()
    let failures = 0
    const lease = (run: string) => (failures-- > 0 ? Promise.reject(new Error('network')) : store.lease(run))
    const flaky = runStore({ ...store, lease })
    const { assistant } = rig([calls('pay'), 'done'], {
      tools: [made('pay', () => 1, { approval: true })],
      env: { host: webHost, store: flaky },
    })
    const { snapshot } = await assistant.run('go').result
    failures = 1
    await expect(assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }])).rejects.toThrow()
    const run = await assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }])
    expect(await run.result).toMatchObject({ status: 'done' })
  })
})

describe('a stop by a limit is not for ever', () => {
  it('repeated-calls: new input goes on', async () => {
    const turns = [1, 2, 3, 4].map(() => calls('a'))
    const { assistant, model } = rig([...turns, 'a new answer'], { tools: [made('a', () => 'same')] })
    const { snapshot, stop } = await assistant.run('go').result
    expect(stop).toBe('repeated-calls')
    const run = await assistant.resume(snapshot, [], { input: 'Do something else' })
    expect(await run.result).toMatchObject({ status: 'done', text: 'a new answer' })
    expect(model.requests).toHaveLength(5)
  })

  it('tool-calls: a higher limit goes on', async () => {
    const { assistant } = rig([calls('a', 'a'), 'an answer'], { tools: [made('a', () => 1)], limits: { toolCalls: 1 } })
    const { snapshot, stop } = await assistant.run('go').result
    expect(stop).toBe('tool-calls')
    const run = await assistant.resume(snapshot, [], { limits: { toolCalls: 10 } })
    expect(await run.result).toMatchObject({ status: 'done' })
  })

  it('steps: a higher limit goes on', async () => {
    const { assistant } = rig([calls('a'), 'an answer'], { tools: [made('a', () => 1)], limits: { steps: 1 } })
    const { snapshot, stop } = await assistant.run('go').result
    expect(stop).toBe('steps')
    expect(await (await assistant.resume(snapshot, [], { limits: { steps: 5 } })).result).toMatchObject({
      status: 'done',
    })
  })
})

describe('what somebody steered is not lost', () => {
  const heard = (messages: unknown): boolean => JSON.stringify(messages).includes('and hurry')
  it('when the run suspends', async () => {
    const { assistant, model } = rig([calls('pay'), 'done'], { tools: [made('pay', () => 1, { approval: true })] })
    const run = assistant.run('go')
    run.steer('and hurry')
    const { snapshot } = await run.result
    await (
      await assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }])
    ).result
    expect(heard(model.requests.at(-1)?.messages)).toBe(true)
  })
  it('when it comes during a return-direct step', async () => {
    const { assistant } = rig([calls('a'), 'done'], {
      tools: [
        made(
          'a',
          async () => {
            await pause(20)
            return 1
          },
          { returnDirect: true },
        ),
      ],
    })
    const run = assistant.run('go')
    await pause(5)
    run.steer('and hurry')
    expect(heard((await run.result).messages)).toBe(true)
  })
  it('when it comes during a step that ends custom', async () => {
    const { assistant } = rig([calls('a'), 'done'], {
      tools: [
        made('a', async () => {
          await pause(20)
          return 1
        }),
      ],
      stopWhen: () => true,
    })
    const run = assistant.run('go')
    await pause(5)
    run.steer('and hurry')
    const { messages, snapshot } = await run.result
    expect(heard([messages, snapshot])).toBe(true)
  })
  it('when the run is aborted', async () => {
    const { assistant } = rig([[{ wait: 100 }, 'done']])
    const run = assistant.run('go')
    await pause(5)
    run.steer('and hurry')
    run.abort()
    const { messages, snapshot } = await run.result
    expect(heard([messages, snapshot])).toBe(true)
  })
  it('after the end, but refused', async () => {
    const run = rig(['done']).assistant.run('go')
    await run.result
    expect(() => run.steer('and hurry')).toThrow(/.*/)
  })
})

describe('a snapshot with one field changed', () => {
  const base = async (): Promise<Snapshot> => {
    const tools = [
      made('pay', () => 1, { approval: true, input: number }),
      made('quick', () => 'q', { input: anyObject }),
    ]
    const { snapshot } = await rig(
      [
        {
          calls: [
            { name: 'pay', input: { n: 1 } },
            { name: 'quick', input: { a: [1, { b: 2 }] } },
          ],
        },
      ],
      { tools },
    ).assistant.run('go').result
    return JSON.parse(JSON.stringify(snapshot)) as Snapshot
  }
  const odd = [
    null,
    0,
    -1,
    1e308,
    '',
    'x',
    '__proto__',
    'constructor',
    [],
    [null],
    {},
    { type: 'tool-call' },
    true,
    'pending',
    [[]],
  ]
  const places = (value: unknown, path: (string | number)[] = []): (string | number)[][] =>
    typeof value === 'object' && value !== null
      ? [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))]
      : [path]

  it('is refused or runs to a clean end: no engine error, no unvalidated input, no invalid transcript', async () => {
    const snapshot = await base()
    const faults = new Map<string, string>()
    for (const path of places(snapshot).slice(1)) {
      for (const value of [...odd, undefined]) {
        const copy = structuredClone(snapshot) as never
        const holder = path.slice(0, -1).reduce((at: never, key) => at[key], copy) as Record<string | number, unknown>
        if (value === undefined) delete holder[path.at(-1) as never]
        else holder[path.at(-1) as never] = value
        const got: unknown[] = []
        const tools = [
          made('pay', (input) => void got.push(input), { approval: true, input: number }),
          made('quick', () => 'q', { input: anyObject }),
        ]
        const { assistant, model } = rig(['done'], { tools })
        const label = `${path.join('.')} = ${JSON.stringify(value)}`
        try {
          const run = await assistant.resume(copy, [{ callId: 'call_1', decision: 'approve' }])
          const result = await within(run.result, 3000)
          if (result === 'hung') faults.set(label, 'hung')
          else {
            JSON.stringify(result.snapshot)
            if (result.error?.code === 'run-internal') faults.set(label, result.error.message)
            else if (!['done', 'suspended', 'stopped', 'aborted', 'failed'].includes(result.status))
              faults.set(label, `status ${result.status}`)
            else if (typeof result.stop !== 'string' || (result.status === 'done' && model.requests.length === 0))
              faults.set(label, `stop ${result.stop} without a model call`)
            else if (unanswered(model.requests[0]?.messages ?? []).length > 0)
              faults.set(label, 'unanswered calls sent to the model')
          }
        } catch (error) {
          if ((error as Error).name !== 'SameloopError') faults.set(label, `rejected with ${String(error)}`)
        }
        for (const input of got)
          if (typeof (input as { n?: unknown })?.n !== 'number') faults.set(label, 'ran on unvalidated input')
      }
    }
    expect(Object.fromEntries(faults)).toEqual({})
  }, 60_000)

  it('is refused when it is signed', async () => {
    const seal = signed('a secret of many characters')
    const tools = [made('pay', () => 1, { approval: true, input: number })]
    const { snapshot } = await rig([call('pay', { n: 1 })], { tools, snapshots: seal }).assistant.run('go').result
    const sent = JSON.parse(JSON.stringify(snapshot)) as Snapshot
    for (const path of places(sent).slice(1)) {
      for (const value of odd) {
        const copy = structuredClone(sent) as never
        const holder = path.slice(0, -1).reduce((at: never, key) => at[key], copy) as Record<string | number, unknown>
        if (JSON.stringify(holder[path.at(-1) as never]) === JSON.stringify(value)) continue
        holder[path.at(-1) as never] = value
        const { assistant } = rig(['done'], { tools, snapshots: seal })
        await expect(
          assistant.resume(copy, [{ callId: 'call_1', decision: 'approve' }]),
          path.join('.'),
        ).rejects.toMatchObject({ name: 'SameloopError' })
      }
    }
  })
})

it('an import stays one until somebody has answered, over every stop', async () => {
  let ran = 0
  const tools = [made('wipe', () => ++ran)]
  const asking = [made('wipe', () => 1, { approval: true })]
  const { snapshot } = await rig([calls('wipe'), 'done'], { tools: asking }).assistant.run('go').result
  const { assistant } = rig(['done', 'done'], { tools })
  const first = await (await assistant.resume(snapshot, [], { trust: 'import' })).result
  expect([first.status, first.pending[0]?.why, ran]).toEqual(['suspended', 'import', 0])
  const second = await (await assistant.resume(first.snapshot, [])).result
  expect([second.status, ran]).toEqual(['suspended', 0])
  const third = await (await assistant.resume(second.snapshot, [{ callId: 'call_1', decision: 'approve' }])).result
  expect([third.status, ran]).toEqual(['done', 1])
})
