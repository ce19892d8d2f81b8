// When steps start, what they are given, and how a plan ends.
import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { fatal } from '../../src/tool/fatal.ts'
import { copied, ends, eventsOf, made, planOf, rig } from './rig.ts'

const value = (from: string): { $from: string; path: string } => ({ $from: from, path: 'value' })

describe('dataflow', () => {
  it('runs a diamond: both sides at once, then what needs both, and gives results as written', async () => {
    const { flow, work, log } = rig()
    const diamond = planOf(
      { id: 'm', tool: 'work', input: { value: [value('a'), value('b')] } },
      { id: 'a', tool: 'work', input: { ms: 20, value: 1 } },
      { id: 'b', tool: 'work', input: { ms: 10, value: 2 } },
    )
    const { status, steps } = await flow([work]).run(diamond).result
    expect(log).toEqual(['a starts @0', 'b starts @0', 'b ends @10', 'a ends @20', 'm starts @20', 'm ends @20'])
    expect(status).toBe('done')
    expect(steps).toEqual([
      { id: 'm', status: 'ok', value: { value: [1, 2] } },
      { id: 'a', status: 'ok', value: { value: 1 } },
      { id: 'b', status: 'ok', value: { value: 2 } },
    ])
  })

  it('finishes the siblings of a failure and skips what needs it, however far', async () => {
    const { flow, work } = rig()
    const run = flow([work]).run(
      planOf(
        { id: 'a', tool: 'work', input: { fails: true } },
        { id: 'b', tool: 'work', input: { ms: 30, value: 2 } },
        { id: 'm', tool: 'work', input: { value: [value('a'), value('b')] } },
        { id: 'n', tool: 'work', after: ['m'] },
      ),
    )
    const result = await run.result
    expect(ends(result)).toEqual(['a failed', 'b ok', 'm skipped because a', 'n skipped because a'])
    expect([result.status, result.stop, result.error?.code, result.error?.data['step']]).toEqual([
      'failed',
      'failed',
      'plan-step-failed',
      'a',
    ])
    expect(result.steps[0]).toEqual({ id: 'a', status: 'failed', reason: 'failed', message: 'a broke' })
  })

  it('starts each step when its own inputs are there, whatever else is slow', async () => {
    const { flow, work, log } = rig()
    await flow([work]).run(
      planOf(
        { id: 'slow', tool: 'work', input: { ms: 100 } },
        { id: 'fast', tool: 'work', input: { ms: 10 } },
        { id: 'next', tool: 'work', input: { ms: 10 }, after: ['fast'] },
        { id: 'last', tool: 'work', after: ['next'] },
      ),
    ).result
    expect(log.indexOf('last ends @20')).toBeGreaterThan(0)
    expect(log.at(-1)).toBe('slow ends @100')
  })

  it('never has more calls at once than it may, and starts them as they are written', async () => {
    const { flow, work, log } = rig()
    const steps = Array.from({ length: 5 }, (_, index) => ({ id: `s${index}`, tool: 'work', input: { ms: 10 } }))
    await flow([work], { concurrency: 2 }).run(planOf(...steps)).result
    expect(log.filter((line) => line.includes('starts'))).toEqual([
      's0 starts @0',
      's1 starts @0',
      's2 starts @10',
      's3 starts @10',
      's4 starts @20',
    ])
  })

  it('takes tools by name and by URI, and gives values as registry.call does', async () => {
    const registry = toolRegistry().register(
      made('say', () => 'hello'),
      { name: 'greet.say' },
    )
    const { flow } = rig()
    const { steps } = await flow([], { registry }).run(
      planOf(
        { id: 'a', tool: 'greet.say' },
        { id: 'b', tool: 'fn://greet.say', after: ['a'] },
        { id: 'c', tool: 'greet_say' },
      ),
    ).result
    const given = await registry.call('greet.say', {})
    expect(steps.map((step) => step.value)).toEqual([given, given, given])
  })

  it('refuses an invalid plan before anything runs', () => {
    const { flow, work, log } = rig()
    const { run } = flow([work])
    const wrong = [
      planOf({ id: 'a', tool: 'none' }),
      planOf({ id: 'a', tool: 'work', after: ['b'] }, { id: 'b', tool: 'work', after: ['a'] }),
      { version: 1, steps: [{ id: 'a' }] } as never,
      undefined as never,
    ]
    for (const one of wrong) expect(() => run(one)).toThrow(expect.objectContaining({ code: 'plan-invalid' }))
    expect(log).toEqual([])
  })

  it('connects the sources of its registry first, and looks at the plan again then', async () => {
    const { flow } = rig()
    const registry = toolRegistry().addSource({
      scheme: 'far',
      name: 'away',
      list: () => [made('get', () => 1)],
      close: async () => {},
    } as never)
    const there = orchestratorRuns(flow([], { registry }), 'far://away.get')
    const result = await there.result
    expect(ends(result)).toEqual(['a ok'])
    await registry.close()
    const missing = await orchestratorRuns(flow([], { registry }), 'far://away.other').result
    expect([missing.status, missing.error?.code, ...ends(missing)]).toEqual(['failed', 'plan-invalid', 'a cancelled'])
    await registry.close()
  })

  it('runs 10,000 steps in a row and side by side, also where each ends at once', async () => {
    const { flow } = rig()
    const count = 10_000
    const tools = [
      made('next', ({ n = 0 }: { n?: number }) => n + 1),
      made('fail', () => Promise.reject(new Error('no'))),
    ]
    const chain = Array.from({ length: count }, (_, index) => ({
      id: `s${index}`,
      tool: 'next',
      input: index ? { n: { $from: `s${index - 1}`, path: 'result' } } : {},
    }))
    const inRow = await flow(tools).run(planOf(...chain)).result
    expect(inRow.steps.at(-1)?.value).toEqual({ result: count })
    const wide = Array.from({ length: count }, (_, index) => ({ id: `s${index}`, tool: 'next' }))
    expect((await flow(tools).run(planOf(...wide)).result).status).toBe('done')
    const skipped = await flow(tools).run(planOf({ id: 's0', tool: 'fail' }, ...chain.slice(1))).result
    expect(skipped.steps.at(-1)).toEqual({ id: `s${count - 1}`, status: 'skipped', because: 's0' })
  }, 60_000)

  it('tells of each step, its call and its end', async () => {
    const { flow, work } = rig()
    const run = flow([work]).run(
      planOf(
        { id: 'a', tool: 'work', input: { fails: true } },
        { id: 'b', tool: 'work', input: { value: value('a') } },
        { id: 'c', tool: 'work', when: '1 > 2' },
      ),
    )
    const events = await eventsOf(run)
    const told = events.map((event) => ({ ...event, at: 0, durationMs: 0, run: '' }))
    expect(told.map(({ type }) => type)).toEqual([
      'run-start',
      'node-start',
      'tool-call',
      'tool-start',
      'node-end',
      'tool-end',
      'node-end',
      'node-end',
      'error',
      'run-end',
    ])
    expect(told[1]).toMatchObject({ node: 'a', kind: 'tool' })
    expect(told[2]).toMatchObject({ callId: 'a', name: 'work', input: { fails: true }, id: 'a' })
    expect(told[4]).toMatchObject({ node: 'c', status: 'skipped', because: 'when' })
    expect(told[6]).toMatchObject({ node: 'a', status: 'failed' })
    expect(told[7]).toMatchObject({ node: 'b', status: 'skipped', because: 'a' })
  })

  it('waits for a reader that is slow', async () => {
    const { flow } = rig()
    const steps = Array.from({ length: 2000 }, (_, index) => ({ id: `s${index}`, tool: 'next' }))
    let ran = 0
    const run = flow([made('next', () => ++ran)]).run(planOf(...steps))
    await run.result
    const slow = flow([made('next', async () => ++ran)]).run(planOf(...steps))
    ran = 0
    const events = slow[Symbol.asyncIterator]()
    await events.next()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(ran).toBeLessThan(400)
    while (!(await events.next()).done);
    expect([ran, (await slow.result).status]).toEqual([2000, 'done'])
  })
})

describe('what a step is given and leaves', () => {
  it('skips a step whose condition is false, and what refers to its value, but not what only comes after', async () => {
    const { flow, work } = rig()
    const result = await flow([work]).run(
      planOf(
        { id: 'a', tool: 'work', input: { value: 1 } },
        { id: 'no', tool: 'work', when: 'a.value > 1' },
        { id: 'yes', tool: 'work', when: (values) => (values['a'] as { value: number }).value === 1, after: ['a'] },
        { id: 'uses', tool: 'work', input: { value: value('no') } },
        { id: 'uses-that', tool: 'work', forEach: value('uses') },
        { id: 'later', tool: 'work', after: ['no', 'uses'] },
        { id: 'otherwise', tool: 'work', when: 'not no' },
      ),
    ).result
    expect(result.status).toBe('done')
    expect(ends(result)).toEqual([
      'a ok',
      'no skipped because when',
      'yes ok',
      'uses skipped because when',
      'uses-that skipped because when',
      'later ok',
      'otherwise ok',
    ])
  })

  it('shows functions the values of the steps before them and of no others', async () => {
    const { flow, work } = rig()
    const seen: unknown[] = []
    const { status } = await flow([work]).run(
      planOf(
        { id: 'a', tool: 'work', input: { value: 1 } },
        { id: 'b', tool: 'work', after: ['a'] },
        { id: 'other', tool: 'work' },
        {
          id: 'c',
          tool: 'work',
          after: ['b'],
          input: (values) => {
            seen.push({ ...values }, 'other' in values, values['other'], 'a' in values, Object.keys(values))
            return {}
          },
        },
      ),
    ).result
    expect(status).toBe('done')
    expect(seen).toEqual([{ a: { value: 1 }, b: { value: null } }, false, undefined, true, ['a', 'b']])
  })

  it('fails a step whose input, condition or list cannot be made, before its tool runs', async () => {
    const { flow, work, log } = rig()
    const throwing = (): never => {
      throw new Error('no such thing')
    }
    const result = await flow([work]).run(
      planOf(
        { id: 'path', tool: 'work', input: { value: { $from: 'a', path: 'value.x' } } },
        { id: 'a', tool: 'work' },
        { id: 'input', tool: 'work', input: throwing },
        { id: 'odd', tool: 'work', input: () => ({ value: 1n }) },
        { id: 'late', tool: 'work', input: async () => ({}) },
        { id: 'when', tool: 'work', when: throwing },
        { id: 'later', tool: 'work', when: (async () => false) as never },
        { id: 'each', tool: 'work', forEach: { $from: 'a', path: 'value' } },
        { id: 'many', tool: 'work', forEach: [1, 2, 3], maxItems: 2 },
        { id: 'mended', tool: 'work', input: throwing, onError: { value: 7 } },
        { id: 'schema', tool: 'work', input: () => ({ ms: 'soon' }) },
      ),
    ).result
    expect(log.map((line) => line.split(' ')[0])).toEqual(['a', 'a'])
    const reasons = result.steps.map(({ id, status, reason }) => `${id} ${status} ${reason ?? ''}`)
    expect(reasons).toEqual([
      'path failed invalid-input',
      'a ok ',
      'input failed invalid-input',
      'odd failed invalid-input',
      'late failed invalid-input',
      'when failed invalid-input',
      'later failed invalid-input',
      'each failed invalid-input',
      'many failed limit',
      'mended ok ',
      'schema failed invalid-input',
    ])
    expect(result.steps[9]?.value).toBe(7)
    expect(result.steps[2]?.message).toContain('no such thing')
  })

  it('fails a step whose result is no JSON, and keeps what is', async () => {
    const { flow } = rig()
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const results: Record<string, unknown> = {
      big: 1n,
      call: () => 1,
      inside: { call: () => 1 },
      cycle,
      map: new Map(),
      bytes: new Uint8Array(2),
      date: new Date(0),
      nothing: undefined,
      proto: JSON.parse('{"__proto__": {"x": 1}}'),
      holes: { gone: undefined, list: [undefined, 1] },
    }
    const tools = Object.entries(results).map(([name, result]) => made(name, () => result as never))
    const plan = planOf(...Object.keys(results).map((name) => ({ id: name, tool: name })))
    const result = await flow(tools).run(plan).result
    expect(ends(result).slice(0, 6)).toEqual([
      'big failed',
      'call failed',
      'inside failed',
      'cycle failed',
      'map failed',
      'bytes failed',
    ])
    expect(new Set(result.steps.slice(0, 6).map(({ reason }) => reason))).toEqual(new Set(['invalid-output']))
    expect(result.steps.slice(6).map((step) => step.value)).toEqual([
      { result: '1970-01-01T00:00:00.000Z' },
      { result: null },
      { result: JSON.parse('{"__proto__": {"x": 1}}') },
      { result: { list: [null, 1] } },
    ])
    expect(copied(result.steps)).toEqual(result.steps)
  })

  it('keeps values apart from what tools do with them later', async () => {
    const { flow } = rig()
    const shared = { list: [1] }
    const tools = [
      made('give', () => shared),
      made('spoil', (input: { given: { list: number[] } }) => {
        input.given.list.push(9)
        shared.list.push(8)
        return null
      }),
    ]
    const { steps } = await flow(tools).run(
      planOf(
        { id: 'a', tool: 'give' },
        { id: 'b', tool: 'spoil', input: { given: { $from: 'a', path: 'result' } } },
        { id: 'c', tool: 'spoil', after: ['b'], input: { given: { $from: 'a', path: 'result' } } },
      ),
    ).result
    expect(steps[0]?.value).toEqual({ result: { list: [1] } })
  })
})

describe('ends of a run', () => {
  it('ends with a fatal tool: what runs may finish, the rest is cancelled', async () => {
    const { flow, work, kit } = rig()
    const stop = made('stop', async () => {
      await kit.sleep(10)
      throw fatal('locked')
    })
    const result = await flow([work, stop], { concurrency: 2 }).run(
      planOf(
        { id: 'a', tool: 'work', input: { ms: 20, value: 1 } },
        { id: 'b', tool: 'stop', onError: { value: 1 } },
        { id: 'c', tool: 'work' },
        { id: 'd', tool: 'work', after: ['a'] },
      ),
    ).result
    expect([result.status, result.error?.code]).toEqual(['failed', 'tool-fatal'])
    expect(ends(result)).toEqual(['a ok', 'b failed', 'c cancelled', 'd cancelled'])
  })

  it('keeps what is done when it is aborted, whenever that is', async () => {
    for (const at of [0, 5, 15, 25]) {
      const { flow, work, kit } = rig()
      const run = flow([work]).run(
        planOf(
          { id: 'a', tool: 'work', input: { ms: 10 } },
          { id: 'b', tool: 'work', input: { ms: 10 }, after: ['a'] },
          { id: 'c', tool: 'work', after: ['b'] },
        ),
      )
      kit.host.timer(at, () => run.abort('enough'))
      const events = await eventsOf(run)
      const result = await run.result
      const done = at >= 20 ? 3 : Math.floor(at / 10)
      expect(result.status).toBe(done === 3 ? 'done' : 'aborted')
      expect(ends(result).filter((end) => end.endsWith('ok'))).toHaveLength(done)
      expect(ends(result).filter((end) => end.endsWith('cancelled'))).toHaveLength(3 - done)
      expect(events.filter(({ type }) => type === 'node-end')).toHaveLength(3)
      expect(events.at(-1)?.type).toBe('run-end')
    }
  })

  it('is aborted before it starts, by its signal and by its reader', async () => {
    const { flow, work } = rig()
    const one = planOf({ id: 'a', tool: 'work', input: { ms: 10 } })
    const aborted = await flow([work]).run(one, { signal: AbortSignal.abort('no') }).result
    expect([aborted.status, ...ends(aborted)]).toEqual(['aborted', 'a cancelled'])
    const left = flow([work]).run(one)
    for await (const event of left) if (event.type === 'tool-start') break
    expect((await left.result).status).toBe('aborted')
  })
})

function orchestratorRuns(flow: ReturnType<ReturnType<typeof rig>['flow']>, tool: string): ReturnType<typeof flow.run> {
  return flow.run(planOf({ id: 'a', tool }))
}
