// Hooks and approvers that throw, hang or answer twice: nothing is lost, and the run goes on or waits.
import { describe, expect, it } from 'vitest'
import { anyObject, call, calls, eventsOf, made, pause, results, rig, within } from '../agent/rig.ts'
import { endsOf, played, thenable } from './hostile-kit.ts'

describe('a hook', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws nothing',
      () => {
        throw undefined
      },
    ],
    ['never settles', () => new Promise(() => {})],
    [
      'gives a thenable that throws',
      () =>
        Object.defineProperty({}, ['th', 'en'].join(''), {
          get: () => {
            throw new Error('no')
          },
        }),
    ],
  ])('that %s changes nothing but what is reported', async (_, hook) => {
    const names = ['onEvent', 'onModelRequest', 'onToolStart', 'onToolEnd', 'onStep', 'onLateResult'] as const
    const late = () => pause(40)
    for (const name of names) {
      const { result, events, told } = await played(
        name === 'onLateResult' ? late : () => 'fine',
        { timeoutMs: 20 },
        {
          hooks: { [name]: hook },
        },
      )
      await pause(name === 'onLateResult' ? 40 : 0)
      expect([result.status, result.text, endsOf(events)]).toEqual(['done', 'done', 1])
      expect(told?.ok).toBe(name !== 'onLateResult')
      expect(events.at(-1)?.type).toBe('run-end')
    }
  })
})

describe('an approver', () => {
  const asking = made('pay', () => 'paid', { approval: true, input: anyObject })
  const twice = [call('pay', { n: 1 }), call('pay', { n: 2 }), 'done']

  it.each<[string, () => unknown]>([
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['answers nonsense', () => 'perhaps'],
    ['answers a number', () => 5],
    ['answers with a result where a decision is wanted', () => ({ result: 'paid' })],
    ['edits without an input', () => 'edit'],
    ['edits to what does not fit', () => ({ decision: 'edit', input: 'all' })],
    ['answers with a thenable that never settles in time', () => pause(20)],
  ])('that %s leaves the question open, and it can be answered later', async (_, approve) => {
    const one = rig(twice, { tools: [asking], approve: approve as never })
    const result = await within(one.assistant.run('go').result)
    if (result === 'hung') throw new Error('The run hung')
    expect([result.status, result.pending.map(({ callId }) => callId)]).toEqual(['suspended', ['call_1']])
    const run = await one.assistant.resume(result.snapshot, [{ callId: 'call_1', decision: 'approve' }])
    const later = await run.result
    expect(results(later.messages)[0]).toMatchObject({ ok: true, text: 'paid' })
  })

  it('that hangs keeps nobody else from deciding, and not the next question from suspending the run', async () => {
    let asked = 0
    const approve = (): Promise<undefined> | undefined => (asked++ ? undefined : new Promise(() => {}))
    const run = rig(twice, { tools: [asking], approve }).assistant.run('go')
    const watch = async (): Promise<void> => {
      for await (const event of run) {
        if (event.type === 'approval-request' && asked < 2) run.decide({ callId: event.callId, decision: 'approve' })
      }
    }
    const watched = watch()
    const result = await within(run.result)
    run.abort()
    await watched
    expect(result).toMatchObject({ status: 'suspended', pending: [{ callId: 'call_2' }] })
  })

  it('that hangs ends with the expiry of its question, and the run goes on', async () => {
    let asked = 0
    const approve = (): Promise<undefined> | undefined => (asked++ ? undefined : new Promise(() => {}))
    const run = rig(twice, { tools: [asking], approve, approvalExpiryMs: 20, approvalWaitMs: 0 }).assistant.run('go')
    const result = await within(run.result)
    run.abort()
    if (result === 'hung') throw new Error('The run hung')
    expect(results(result.messages)[0]).toMatchObject({ ok: false, reason: 'denied' })
    expect([result.status, result.pending.map(({ callId }) => callId)]).toEqual(['suspended', ['call_2']])
  })

  it('that answers twice is heard once: the tool runs once, and the second answer is the settled one', async () => {
    let ran = 0
    const tools = [made('pay', () => ++ran, { approval: true })]
    const settled: unknown[] = []
    const one = rig([calls('pay'), 'done'], {
      tools,
      approve: ({ callId }) => {
        settled.push(run.decide({ callId, decision: 'approve' }), run.decide({ callId, decision: 'deny' }))
        return 'deny'
      },
    })
    const run = one.assistant.run('go')
    expect((await run.result).status).toBe('done')
    expect(ran).toBe(1)
    expect(settled).toEqual([expect.objectContaining({ decision: 'approve' }), settled[0]])
  })

  it('that answers after the end is not heard', async () => {
    let ran = 0
    const tools = [made('pay', () => ++ran, { approval: true })]
    const run = rig([calls('pay'), 'done'], {
      tools,
      approve: async () => (await pause(30), 'approve' as const),
    }).assistant.run('go')
    await pause(5)
    run.abort()
    expect((await run.result).status).toBe('aborted')
    await pause(50)
    expect(ran).toBe(0)
  })

  it('that edits to what is no JSON is refused, and what it edits is a copy', async () => {
    const got: unknown[] = []
    const tools = [made('pay', (input) => void got.push(input), { approval: true, input: anyObject })]
    const given: Record<string, unknown>[] = [{ n: 1n }, { n: new Date(0), act: () => 1 }]
    for (const input of given) {
      const approve = () => ({ decision: 'edit', input }) as never
      const run = rig([call('pay', { n: 1 }), 'done'], { tools, approve }).assistant.run('go')
      const answered = (await eventsOf(run)).flatMap((event) =>
        event.type === 'approval-response' ? [JSON.stringify(event.input)] : [],
      )
      expect([(await run.result).status, answered]).toEqual(
        input === given[0] ? ['suspended', []] : ['done', ['{"n":"1970-01-01T00:00:00.000Z"}']],
      )
    }
    expect(got).toEqual([{ n: '1970-01-01T00:00:00.000Z' }])
  })

  it('of a tool that answers with what is neither yes, no nor a reason asks, and says nothing odd', async () => {
    for (const wish of [5, {}, undefined, null, Promise.resolve(5), thenable((done) => done(true))]) {
      const tools = [made('pay', () => 1, { approval: (() => wish) as never })]
      const { status, pending } = await rig([calls('pay'), 'done'], { tools }).assistant.run('go').result
      expect([status, pending[0]?.reason]).toEqual(['suspended', undefined])
    }
  })
})
