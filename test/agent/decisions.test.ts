// Decisions of odd shapes and at odd moments, and aborts at any.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonSchema } from '../../src/schema/check.ts'
import { call, calls, eventsOf, made, pause, rig, unanswered, within } from './rig.ts'

const number = jsonSchema({
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
}) as never

describe('decisions of odd shapes', () => {
  it.each([
    ['null', [null]],
    ['a number', [5]],
    ['no list', { callId: 'call_1', decision: 'approve' }],
    ['a word', 'approve'],
    ['null as the list', null],
    ['a word from the prototype', [{ callId: 'call_1', decision: 'constructor' }]],
    ['an edit without input', [{ callId: 'call_1', decision: 'edit' }]],
    ['an edit that does not fit', [{ callId: 'call_1', decision: 'edit', input: { n: 'x' } }]],
    ['an approval of nobody', [{ callId: '__proto__', decision: 'approve' }]],
    ['a result where a decision is wanted', [{ callId: 'call_1', result: 1 }]],
    ['a reason that is no text', [{ callId: 'call_1', decision: 'deny', reason: {} }]],
  ])('%s is refused with our error, and the snapshot is still good', async (_, decisions) => {
    let paid = 0
    const { assistant } = rig([call('pay', { n: 1 }), 'done'], {
      tools: [made('pay', () => ++paid, { approval: true, input: number })],
    })
    const { snapshot } = await assistant.run('go').result
    await expect(assistant.resume(snapshot, decisions as never)).rejects.toMatchObject({ name: 'SameloopError' })
    expect(paid).toBe(0)
    const run = await assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }])
    expect(await run.result).toMatchObject({ status: 'done' })
  })

  it('a decision that changes between check and use is taken as it was checked', async () => {
    let paid = 0
    const { assistant } = rig([call('pay', { n: 1 }), 'done'], {
      tools: [
        made(
          'pay',
          ({ n }: never) => {
            paid = n
          },
          { approval: true, input: number } as never,
        ),
      ],
      approvalWaitMs: 500,
    })
    const run = assistant.run('go')
    await pause(10)
    let reads = 0
    const sly = {
      callId: 'call_1',
      get decision() {
        return reads++ < 1 ? 'deny' : 'approve'
      },
    }
    try {
      run.decide(sly as never)
    } catch {
      /* refusing is right too */
    }
    await pause(30)
    run.abort()
    await run.result
    expect(paid).toBe(0)
  })
})

describe('re-entrant decisions', () => {
  it('inside onEvent, at the request itself', async () => {
    let paid = 0
    let asked = 0
    let decide: (id: string) => unknown = () => {}
    const { assistant } = rig([calls('pay', 'pay'), 'done'], {
      tools: [made('pay', () => ++paid, { approval: true })],
      approve: () => {
        asked++
        return 'defer'
      },
      hooks: {
        onEvent: (event) => {
          if (event.type === 'approval-request') decide(event.callId)
        },
      },
    })
    const run = assistant.run('go')
    decide = (callId) => run.decide({ callId, decision: 'approve' })
    expect(await within(run.result)).toMatchObject({ status: 'done' })
    expect(paid).toBe(2)
    expect(asked).toBe(0)
  })
  it('inside approve and inside another tool', async () => {
    let paid = 0
    let decide: (id: string) => unknown = () => {}
    const { assistant } = rig([calls('pay', 'other'), 'done'], {
      tools: [
        made('pay', () => ++paid, { approval: true }),
        made('other', async () => {
          await pause(10)
          decide('call_1')
        }),
      ],
      approve: () => void 0,
    })
    const run = assistant.run('go')
    decide = (callId) => run.decide({ callId, decision: 'approve' })
    expect(await within(run.result)).toMatchObject({ status: 'done' })
    expect(paid).toBe(1)
  })
  it('after the end a decision is refused or the settled one', async () => {
    const { assistant } = rig([calls('pay'), 'done'], { tools: [made('pay', () => 1, { approval: true })] })
    const run = assistant.run('go')
    await run.result
    expect(() => run.decide({ callId: 'call_1', decision: 'approve' })).toThrow(
      expect.objectContaining({ code: 'run-suspended' }),
    )
    expect(() => run.decide(null as never)).toThrow(expect.objectContaining({ code: 'run-unknown-call' }))
  })
})

it('an approval for merged calls runs both after a resume', async () => {
  let paid = 0
  const { assistant } = rig([calls('pay', 'pay'), 'done'], { tools: [made('pay', () => ++paid, { approval: true })] })
  const { snapshot, pending } = await assistant.run('go').result
  expect(pending).toHaveLength(1)
  const run = await assistant.resume(JSON.parse(JSON.stringify(snapshot)), [{ callId: 'call_1', decision: 'approve' }])
  expect(await run.result).toMatchObject({ status: 'done' })
  expect(paid).toBe(2)
})

describe('abort at any moment', () => {
  it('the transcript is valid, the run ends, the snapshot goes on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), fc.boolean(), async (ms, reads) => {
        const tools = [
          made('slow', async () => {
            await pause(15)
            return 1
          }),
          made('deaf', () => pause(40)),
          made('asks', () => 1, {
            approval: async () => {
              await pause(10)
              return true
            },
            describeCall: async () => {
              await pause(5)
              return { summary: 's' }
            },
          }),
          made('client', undefined as never),
        ]
        const { assistant } = rig(
          [
            calls('slow'),
            [{ wait: 10 }, 'half', { error: { code: 'model-connection', message: 'gone', retryable: true } }],
            calls('slow', 'deaf', 'asks', 'client'),
          ],
          { tools, approvalWaitMs: 20 },
        )
        const run = assistant.run('go')
        const reading = reads ? eventsOf(run) : undefined
        await pause(ms)
        run.abort()
        const result = await within(run.result)
        expect(result).not.toBe('hung')
        if (result === 'hung') return
        expect(unanswered(result.messages)).toEqual([])
        const events = await within(reading ?? eventsOf(run))
        expect(events === 'hung' ? [] : events.filter(({ type }) => type === 'run-end')).toHaveLength(1)
        JSON.stringify(result.snapshot)
      }),
      { numRuns: 40 },
    )
  })
  it('before the start and after the end', async () => {
    const signal = AbortSignal.abort('x')
    expect(await rig(['done']).assistant.run('go', { signal }).result).toMatchObject({ status: 'aborted' })
    const run = rig(['done']).assistant.run('go')
    await run.result
    run.abort()
    expect(await run.result).toMatchObject({ status: 'done' })
  })
  it('while the reader blocks the model by back-pressure', async () => {
    const { assistant } = rig([Array.from({ length: 2000 }, () => 'x')])
    const run = assistant.run('go')
    const iterator = run[Symbol.asyncIterator]()
    await iterator.next()
    await pause(20)
    run.abort()
    expect(await within(run.result)).toMatchObject({ status: 'aborted' })
  })
})
