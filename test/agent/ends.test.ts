// Nothing a user's function does may keep a run from ending.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { fatal } from '../../src/tool/fatal.ts'
import { calls, eventsOf, made, pause, results, rig, unanswered, within } from './rig.ts'

const never = (): Promise<never> => new Promise(() => {})

describe('an abort ends the run at once', () => {
  it.each([
    ['an approval function', { tools: [made('a', () => 1, { approval: never })] }],
    [
      'describeCall',
      { tools: [made('a', () => 1, { approval: true, describeCall: never })], approvalWaitMs: Infinity },
    ],
    ['prepareStep', { prepareStep: never }],
    ['instructions', { instructions: never }],
    ['stopWhen', { tools: [made('a', () => 1)], stopWhen: never }],
    ['approve', { tools: [made('a', () => 1, { approval: true })], approve: never }],
  ] as const)('while %s is still thinking', async (_, options) => {
    const { assistant } = rig([calls('a'), 'done'], options as never)
    const run = assistant.run('go')
    await pause(20)
    run.abort()
    const result = await within(run.result)
    expect(result).not.toBe('hung')
    if (result === 'hung') return
    expect(result.status).toBe('aborted')
    expect(unanswered(result.messages)).toEqual([])
  })

  it('when a tool aborts its own run as it starts', async () => {
    let abort = (): void => {}
    const { assistant } = rig([calls('a')], { tools: [made('a', () => (abort(), never()))] })
    const run = assistant.run('go')
    abort = () => run.abort()
    expect(await within(run.result)).toMatchObject({ status: 'aborted' })
  })

  it('when an observer aborts at tool-start, and the tool is not run', async () => {
    let ran = 0
    let abort = (): void => {}
    const tools = [made('a', () => (ran++, never()))]
    const { assistant } = rig([calls('a')], { tools, hooks: { onToolStart: () => abort() } })
    const run = assistant.run('go')
    abort = () => run.abort()
    expect(await within(run.result)).toMatchObject({ status: 'aborted' })
    expect(ran).toBe(0)
  })
})

it('a fatal tool ends the run although another call waits for its approval function', async () => {
  const tools = [
    made('a', () => 1, { approval: never }),
    made('b', async () => {
      await pause(5)
      throw fatal('over')
    }),
  ]
  const { assistant } = rig([calls('a', 'b')], { tools })
  expect(await within(assistant.run('go').result)).toMatchObject({ status: 'failed' })
})

describe('an approval that covers several open calls', () => {
  it('answers each of them once, and later calls can still suspend the run', async () => {
    const tool = made('pay', () => 'paid', {
      approval: true,
      approvalScope: ({ n }: never) => (n > 100 ? 'big' : 'small'),
      input: jsonSchema({ type: 'object' }) as never,
    } as never)
    const { assistant } = rig(
      [
        { calls: [1, 2, 3, 4].map((n) => ({ name: 'pay', input: { n } })) },
        { calls: [{ name: 'pay', input: { n: 200 } }] },
      ],
      { tools: [tool], approvalWaitMs: 30 },
    )
    const run = assistant.run('go')
    await pause(10)
    run.decide({ callId: 'call_1', decision: 'approve-session' })
    const result = await within(run.result)
    expect(result).toMatchObject({ status: 'suspended' })
    const events = await eventsOf(run)
    const answered = events.flatMap((event) => (event.type === 'approval-response' ? [event.callId] : []))
    expect(answered.sort()).toEqual(['call_1', 'call_2', 'call_3', 'call_4'])
  })
})

describe('options that cannot work are refused as config errors', () => {
  const model = rig([]).model
  it.each([
    ['concurrency 0', { concurrency: 0 }],
    ['concurrency NaN', { concurrency: NaN }],
    ['concurrency -1', { concurrency: -1 }],
    ['limits.steps NaN', { limits: { steps: NaN } }],
    ['limits.tokens NaN', { limits: { tokens: NaN } }],
    ['limits.costUsd NaN', { limits: { costUsd: NaN } }],
    ['limits.milliseconds NaN', { limits: { milliseconds: NaN } }],
    ['approvalWaitMs NaN', { approvalWaitMs: NaN }],
    ['timeoutMs NaN', { tools: [made('a', () => 1, { timeoutMs: NaN })] }],
    ['an unknown mode', { tools: [made('a', () => 1, { mode: 'alone' as never })] }],
    ['no model', { model: undefined }],
    ['a model without stream', { model: { id: 'x', provider: 'x', capabilities: {} } }],
    ['tools that are no list', { tools: 5 }],
    ['null among the tools', { tools: [null] }],
  ])('%s', (_, options) => {
    let thrown: unknown
    try {
      agent({ model, env: { host: webHost }, ...(options as object) } as never)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ name: 'SameloopError', code: expect.stringMatching(/^config-/) })
  })
})

describe('a seal that fails', () => {
  it('still ends the run and its events', async () => {
    const snapshots = { sign: () => Promise.reject(new Error('no key')), verify: async () => true }
    const { assistant } = rig(['hello'], { snapshots })
    const run = assistant.run('go')
    const result = await within(run.result.catch(() => 'rejected' as const))
    expect(result).not.toBe('hung')
    expect(result).not.toBe('rejected')
    const events = await within(eventsOf(run))
    expect(events === 'hung' ? 'hung' : events.at(-1)?.type).toBe('run-end')
  })
})

describe('calls from inside a tool', () => {
  const inner = made('inner', () => 'inside')
  it('work in an exclusive tool', async () => {
    const outer = made('outer', (_, ctx) => ctx.call('inner', {}), { mode: 'exclusive', timeoutMs: 300 })
    const { assistant } = rig([calls('outer'), 'done'], { tools: [inner, outer] })
    const result = await assistant.run('go').result
    expect(results(result.messages)[0]).toMatchObject({ ok: true })
  })

  it('work where as many outer calls run as there are slots', async () => {
    const outer = made('outer', (_, ctx) => ctx.call('inner', {}), { timeoutMs: 300 })
    const { assistant } = rig([calls('outer'), 'done'], { tools: [inner, outer], concurrency: 1 })
    const result = await assistant.run('go').result
    expect(results(result.messages)[0]).toMatchObject({ ok: true })
  })

  it('do not run once the outer call has timed out', async () => {
    let ran = 0
    const effect = made('effect', () => ++ran)
    const outer = made(
      'outer',
      async (_, ctx) => {
        await pause(60)
        return ctx.call('effect', {})
      },
      { timeoutMs: 20 },
    )
    const { assistant } = rig([calls('outer'), [{ wait: 150 }, 'done']], { tools: [effect, outer] })
    await assistant.run('go').result
    expect(ran).toBe(0)
  })

  it('do not run after the run has ended, and no event follows the last one', async () => {
    let ran = 0
    const seen: string[] = []
    const effect = made('effect', () => ++ran)
    const outer = made('outer', (_, ctx) => {
      setTimeout(() => void ctx.call('effect', {}).catch(() => {}), 30)
      return 'ok'
    })
    const { assistant } = rig([calls('outer'), 'done'], {
      tools: [effect, outer],
      hooks: { onEvent: ({ type }) => seen.push(type) },
    })
    await assistant.run('go').result
    await pause(80)
    expect(seen.at(-1)).toBe('run-end')
    expect(ran).toBe(0)
  })

  it('two of them that wait for a person suspend the run', async () => {
    const pay = made('pay', () => 'paid', { approval: true, input: jsonSchema({ type: 'object' }) as never })
    const outer = made('outer', (_, ctx) => Promise.all([ctx.call('pay', { n: 1 }), ctx.call('pay', { n: 2 })]), {
      timeoutMs: 5000,
    })
    const { assistant } = rig([calls('outer'), 'done'], { tools: [pay, outer] })
    expect(await within(assistant.run('go').result)).not.toBe('hung')
  })

  // A tool in the middle of its work cannot be put away and run again from its start.
  it('that nobody decides about fail inside the outer call, and the run goes on', async () => {
    let paid = 0
    const pay = made('pay', () => ++paid, { approval: true })
    const outer = made('outer', (_, ctx) => ctx.call('pay', {}))
    const { assistant } = rig([calls('outer'), 'done'], { tools: [pay, outer] })
    const result = await assistant.run('go').result
    expect([result.status, result.pending.length, paid]).toEqual(['done', 0, 0])
    expect(results(result.messages)[0]).toMatchObject({ ok: false, reason: 'failed' })
  })

  it('count for limits.toolCalls', async () => {
    let paid = 0
    const pay = made('pay', () => ++paid)
    const outer = made('outer', async (_, ctx) => {
      for (let i = 0; i < 5; i++) await ctx.call('pay', {}).catch(() => {})
    })
    const { assistant } = rig([calls('outer'), 'done'], { tools: [pay, outer], limits: { toolCalls: { pay: 2 } } })
    await assistant.run('go').result
    expect(paid).toBe(2)
  })

  it('of itself are cut off at a depth', async () => {
    let depth = 0
    const self = made('self', async (_, ctx) => {
      // Without this guard of the test's own the process hangs (microtasks) or dies (the stack).
      if (++depth > 3000) throw new Error('no end in sight')
      await Promise.resolve()
      return ctx.call('self', {})
    })
    const { assistant } = rig([calls('self'), 'done'], { tools: [self], concurrency: Infinity })
    expect(await within(assistant.run('go').result, 5000)).toMatchObject({ status: 'done' })
    expect(depth).toBeLessThan(1000)
  })

  it('a tool denied by the policy stays denied', async () => {
    let ran = 0
    const rules = [
      ({ name }: { name: string }) => (name === 'secret' ? { action: 'deny' as const, reason: 'no' } : undefined),
    ]
    const tools = [made('secret', () => ++ran), made('outer', (_, ctx) => ctx.call('secret', {}))]
    const { assistant } = rig([calls('outer'), 'done'], { tools, middleware: [{ name: 'm', rules }] })
    const result = await assistant.run('go').result
    expect(ran).toBe(0)
    expect(results(result.messages)[0]).toMatchObject({ ok: false })
  })

  it('still find the other tools after a resume', async () => {
    const outer = made('outer', (_, ctx) => ctx.call('inner', {}), { approval: true })
    const { assistant } = rig([calls('outer'), 'done'], { tools: [inner, outer] })
    const { snapshot } = await assistant.run('go').result
    const run = await assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }])
    expect(results((await run.result).messages)[0]).toMatchObject({ ok: true })
  })
})

it('a return-direct tool that was approved on resume ends the run', async () => {
  const { assistant, model } = rig([calls('a'), 'one turn too many'], {
    tools: [made('a', () => 'answer', { approval: true, returnDirect: true })],
  })
  const { snapshot } = await assistant.run('go').result
  const run = await assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }])
  expect(await run.result).toMatchObject({ stop: 'return-direct', text: 'answer' })
  expect(model.requests).toHaveLength(1)
})
