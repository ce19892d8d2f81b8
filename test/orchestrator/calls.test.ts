// What holds for the calls of steps: retries, times, lists of items, policy, approval, middleware, limits.
import { describe, expect, it } from 'vitest'
import type { Middleware } from '../../src/middleware/middleware.ts'
import { policy } from '../../src/policy/policy.ts'
import { limitToolCalls } from '../../src/middleware/limits.ts'
import { copied, ends, eventsOf, made, planOf, rig } from './rig.ts'

describe('tries', () => {
  it('tries a failed tool again within one call, asked about once, and waits twice as long each time', async () => {
    const { flow, kit, note, log } = rig()
    const asked: string[] = []
    const flaky = made(
      'flaky',
      (input: { n: number }, { attempt, idempotencyKey }) => {
        note(`try ${attempt} ${input.n} ${idempotencyKey.split('/')[1]}`)
        input.n = 0
        if (attempt < 3) throw new Error('not yet')
        return attempt
      },
      { approval: true },
    )
    const run = flow([flaky], { approve: ({ callId }) => (asked.push(callId), 'approve') }).run(
      planOf({ id: 'a', tool: 'flaky', input: { n: 5 }, retry: { retries: 4, delayMs: 10 } }),
    )
    const events = await eventsOf(run)
    expect(ends(await run.result)).toEqual(['a ok'])
    expect(asked).toEqual(['a'])
    expect(log).toEqual(['try 1 5 a @0', 'try 2 5 a @10', 'try 3 5 a @30'])
    const told = events.filter(({ type }) => ['tool-start', 'retry', 'tool-end'].includes(type))
    expect(told).toMatchObject([
      { type: 'tool-start', callId: 'a' },
      { type: 'retry', callId: 'a', attempt: 1, delayMs: 10, reason: 'failed' },
      { type: 'retry', callId: 'a', attempt: 2, delayMs: 20, reason: 'failed' },
      { type: 'tool-end', callId: 'a' },
    ])
    expect(kit.clock.pending()).toBe(0)
  })

  it('gives up after its tries, keeps the approved edit on each, and tries no denial again', async () => {
    const { flow, note, log } = rig()
    const tools = [
      made(
        'fail',
        ({ n }: { n: number }) => {
          note(`fail ${n}`)
          throw new Error('always')
        },
        { approval: true },
      ),
      made('no', () => 1, { approval: true }),
    ]
    const result = await flow(tools, {
      approve: ({ name }) => (name === 'no' ? 'deny' : { decision: 'edit', input: { n: 2 } }),
    }).run(
      planOf(
        { id: 'a', tool: 'fail', input: { n: 1 }, retry: { retries: 1 } },
        { id: 'b', tool: 'no', retry: { retries: 3 } },
      ),
    ).result
    expect(result.steps).toMatchObject([
      { status: 'failed', reason: 'failed', message: 'always' },
      { status: 'failed', reason: 'denied' },
    ])
    expect(log).toEqual(['fail 2 @0', 'fail 2 @100'])
  })

  it('gives each try its own time, and a tool that never ends is left behind', async () => {
    const { flow, note, log, kit } = rig()
    const hang = made('hang', (_, { signal }) => {
      note('starts')
      signal.addEventListener('abort', () => note('hears of it'))
      return new Promise(() => {})
    })
    const result = await flow([hang]).run(
      planOf({ id: 'a', tool: 'hang', timeoutMs: 50, retry: { retries: 1, delayMs: 5 } }),
    ).result
    expect(result.steps).toMatchObject([{ status: 'failed', reason: 'timeout' }])
    expect(log).toEqual(['starts @0', 'hears of it @50', 'starts @55', 'hears of it @105'])
    expect(kit.clock.pending()).toBe(0)
  })

  it('ends the wait for the next try with the run', async () => {
    const { flow, kit } = rig()
    const fail = made('fail', () => Promise.reject(new Error('no')))
    const run = flow([fail]).run(planOf({ id: 'a', tool: 'fail', retry: { retries: 9, delayMs: 1000 } }))
    kit.host.timer(10, () => run.abort())
    expect(ends(await run.result)).toEqual(['a cancelled'])
    expect(kit.clock.pending()).toBe(0)
  })

  it('lets onError stand in for a failure, but not for a cancelled step', async () => {
    const { flow, work } = rig()
    const result = await flow([work]).run(
      planOf(
        { id: 'a', tool: 'work', input: { fails: true }, onError: { value: { instead: [1] } } },
        { id: 'b', tool: 'work', input: { value: { $from: 'a', path: 'instead.0' } } },
        { id: 'c', tool: 'work', input: { fails: true }, onError: 'fail' },
      ),
    ).result
    expect(ends(result)).toEqual(['a ok', 'b ok', 'c failed'])
    expect(result.steps[1]?.value).toEqual({ value: 1 })
  })
})

describe('forEach', () => {
  it('makes a call for each item, in order, within the concurrency of the run, and lets others in between', async () => {
    const { flow, work, log } = rig()
    const run = flow([work], { concurrency: 2 }).run(
      planOf(
        { id: 'list', tool: 'work', input: { value: [3, 2, 1] } },
        {
          id: 'each',
          tool: 'work',
          forEach: { $from: 'list', path: 'value' },
          input: { ms: 10, value: { $item: true } },
        },
        { id: 'other', tool: 'work', after: ['list'] },
        { id: 'none', tool: 'work', forEach: [] },
        { id: 'coded', tool: 'work', forEach: () => [{ n: 1 }], input: (_, item, index) => ({ value: [item, index] }) },
      ),
    )
    const { steps } = await run.result
    expect(steps.map((step) => step.value).slice(1)).toEqual([
      [{ value: 3 }, { value: 2 }, { value: 1 }],
      { value: null },
      [],
      [{ value: [{ n: 1 }, 0] }],
    ])
    const starts = log.filter((line) => line.includes('starts')).map((line) => line.split(' ')[0])
    expect(starts).toEqual(['list', 'coded.0', 'each.0', 'other', 'each.1', 'each.2'])
  })

  it('finishes the other items of one that failed, and names it', async () => {
    const { flow, work, log } = rig()
    const input = { ms: { $item: true, path: 'ms' }, fails: { $item: true, path: 'fails' } } as const
    const items = [
      { ms: 20, fails: false },
      { ms: 10, fails: true },
      { ms: 30, fails: true },
    ]
    const result = await flow([work]).run(
      planOf(
        { id: 'a', tool: 'work', forEach: items, input },
        { id: 'b', tool: 'work', forEach: items, input, onError: { value: 'none' } },
        { id: 'c', tool: 'work', after: ['a'] },
      ),
    ).result
    expect(ends(result)).toEqual(['a failed', 'b ok', 'c skipped because a'])
    expect(result.steps[0]).toMatchObject({ reason: 'failed', message: 'Item 1 (and 1 more): a.1 broke' })
    expect(result.steps[1]?.value).toEqual([{ value: null }, 'none', 'none'])
    expect(log).toContain('a.2 ends @30')
  })
})

describe('people and rules', () => {
  it('denies what the policy denies, asks what it asks, and runs on beside a question', async () => {
    const { flow, work, log } = rig()
    const asked: string[] = []
    const rules = policy({ tools: { deny: ['no'], ask: ['pay'] } } as never)
    const tools = [work, made('no', () => 1), made('pay', () => 'paid')]
    const result = await flow(tools, {
      policy: rules,
      approve: ({ callId, why }) => {
        asked.push(`${callId} ${why}`)
        return 'approve'
      },
    }).run(
      planOf(
        { id: 'a', tool: 'no' },
        { id: 'b', tool: 'pay' },
        { id: 'c', tool: 'work', input: { ms: 10 } },
        { id: 'd', tool: 'work', after: ['b'] },
      ),
    ).result
    expect(ends(result)).toEqual(['a failed', 'b ok', 'c ok', 'd ok'])
    expect(result.steps[0]?.reason).toBe('denied')
    expect(asked).toEqual(['b policy'])
    expect(log).toContain('d starts @0')
  })

  it('leaves the place of a call that waits for a person to others', async () => {
    const { flow, work, log, kit } = rig()
    const pay = made('pay', () => 'paid', { approval: true })
    const run = flow([work, pay], { concurrency: 1, approvalWaitMs: Infinity }).run(
      planOf({ id: 'a', tool: 'pay' }, { id: 'b', tool: 'work', input: { ms: 10 } }, { id: 'c', tool: 'work' }),
    )
    kit.host.timer(100, () => run.decide({ callId: 'a', decision: 'approve' }))
    expect(ends(await run.result)).toEqual(['a ok', 'b ok', 'c ok'])
    expect(log.at(-1)).toBe('c ends @10')
  })

  it('wraps each call in middleware, and keeps exclusive tools alone', async () => {
    const { flow, work, log, kit, note } = rig()
    const seen: string[] = []
    const watch: Middleware = {
      name: 'watch',
      async tool(call, next) {
        seen.push(call.context.callId)
        return next(call)
      },
    }
    const alone = made(
      'alone',
      async () => {
        note('alone starts')
        await kit.sleep(10)
        note('alone ends')
        return 1
      },
      { mode: 'exclusive' },
    )
    await flow([work, alone], { middleware: [watch] }).run(
      planOf({ id: 'a', tool: 'work', input: { ms: 5 } }, { id: 'b', tool: 'alone' }, { id: 'c', tool: 'work' }),
    ).result
    expect(seen).toEqual(['a', 'b', 'c'])
    expect(log).toEqual(['a starts @0', 'a ends @5', 'alone starts @5', 'alone ends @15', 'c starts @15', 'c ends @15'])
  })

  it('gives tools what the run was given, and tells observers', async () => {
    const { flow } = rig()
    const told: string[] = []
    const tool = made('look', (_, { deps, run }) => [deps, run.session] as never)
    const { steps } = await flow([tool], {
      deps: 'all',
      hooks: { onToolStart: ({ callId }) => told.push(callId) },
    }).run(planOf({ id: 'a', tool: 'look' }), { deps: 'mine', session: 's' }).result
    expect(steps[0]?.value).toEqual({ result: ['mine', 's'] })
    expect(told).toEqual(['a'])
  })

  it('counts the calls that middleware limits, over a resume too', async () => {
    const { flow } = rig()
    const limited = flow([made('look', () => 1), made('pay', () => 1, { approval: true })], {
      middleware: [limitToolCalls({ look: 2 }), limitToolCalls(4)],
    })
    const waiting = await limited.run(
      planOf(
        { id: 'a', tool: 'look', forEach: [1, 2, 3], onError: { value: 'no' } },
        { id: 'b', tool: 'pay' },
        { id: 'c', tool: 'pay', after: ['b'] },
        { id: 'd', tool: 'pay', after: ['c'] },
      ),
    ).result
    expect(waiting.steps[0]?.value).toEqual([{ result: 1 }, { result: 1 }, 'no'])
    const answers = [{ callId: 'b', decision: 'approve' as const }]
    const next = await (await limited.resume(copied(waiting.snapshot), answers)).result
    const last = await (await limited.resume(copied(next.snapshot), [{ callId: 'c', decision: 'approve' }])).result
    expect(ends(last)).toEqual(['a ok', 'b ok', 'c ok', 'd failed'])
    expect(last.steps[3]?.reason).toBe('limit')
  })

  it('refuses options that cannot work', () => {
    const { flow } = rig()
    for (const concurrency of [0, -1, NaN, 'many' as never])
      expect(() => flow([], { concurrency })).toThrow(expect.objectContaining({ code: 'config-invalid' }))
  })
})
