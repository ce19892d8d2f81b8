// How runs end before their end: failures, aborts, limits of visits and of time.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { SameloopError } from '../../src/error/error.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { copied, eventsOf, giving, line, made, rig, visits, work } from './rig.ts'
import type { Loose } from '../workflow/kit.ts'

describe('a failed node', () => {
  it('fails the workflow with the node, the reason and the words', async () => {
    const { engine } = rig()
    const result = await engine().run(line([work('one', { fails: true })])).result
    expect(result).toMatchObject({ status: 'failed', stop: 'failed' })
    expect(result.error).toMatchObject({ code: 'workflow-failed', data: { node: 'one', reason: 'failed' } })
    expect(result.error?.message).toBe('The workflow "report" failed at node "one" (failed): one broke')
    expect(visits(result)).toEqual(['start ok', 'one failed (failed)'])
    await expect(engine().resume(copied(result.snapshot))).rejects.toThrow('its failure is final')
  })

  it('goes where "onError" says, with what went wrong', async () => {
    const { engine } = rig()
    const definition = giving('{{ one.error }}', [work('one', { fails: true }, { onError: 'end' })])
    expect((await engine().run(definition).result).output).toEqual({ reason: 'failed', message: 'one broke' })
  })

  it('is one whose template finds nothing, whose input does not fit or whose value is no JSON', async () => {
    const { engine, work: tool } = rig()
    const odd = made('odd', () => ({ at: 1n }))
    const at = async (node: Loose): Promise<unknown> =>
      (
        await engine({ tools: [tool, odd] }).run(
          giving('{{ one.error }}', [{ id: 'one', type: 'tool', onError: 'end', ...node }]),
        ).result
      ).output
    expect(await at({ tool: 'work', input: '{{ input.nothing }}' })).toMatchObject({
      reason: 'invalid-input',
      message: 'Cannot fill in {{ input.nothing }}: there is no "nothing" among no fields',
    })
    expect(await at({ tool: 'work', input: { ms: 'soon' } })).toMatchObject({ reason: 'invalid-input' })
    expect(await at({ tool: 'odd' })).toMatchObject({ reason: 'invalid-output' })
  })

  it('ends the run at once where a tool is fatal', async () => {
    const { engine } = rig()
    const fatal = made('fatal', () => {
      throw new SameloopError('tool-fatal', 'Disk gone')
    })
    const { error } = await engine({ tools: [fatal] }).run(
      line([{ id: 'x', type: 'tool', tool: 'fatal', onError: 'end' }]),
    ).result
    expect(error?.code).toBe('tool-fatal')
  })

  it('tries again as often as it says', async () => {
    const { engine } = rig()
    let tries = 0
    const shaky = made('shaky', () => {
      if (++tries < 3) throw new Error('no')
      return tries
    })
    const definition = giving('{{ x.result }}', [
      { id: 'x', type: 'tool', tool: 'shaky', retry: { retries: 2, delayMs: 10 } },
    ])
    expect((await engine({ tools: [shaky] }).run(definition).result).output).toBe(3)
  })

  it('gives up on a tool after its time', async () => {
    const { engine } = rig()
    const definition = giving('{{ x.error.reason }}', [work('x', { ms: 1000 }, { timeoutMs: 10, onError: 'end' })])
    expect((await engine().run(definition).result).output).toBe('timeout')
  })
})

describe('boundaries', () => {
  it('coerce the input of the workflow, of a node, and what both give', async () => {
    const { engine } = rig()
    const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const definition = giving(
      { n: '{{ one.value }}' },
      [
        work(
          'one',
          { ms: '0', value: '{{ input.n }}' },
          {
            inputSchema: { type: 'object', properties: { ms: { type: 'number' } } },
            outputSchema: { type: 'object', properties: { value: { type: 'number' } } },
          },
        ),
      ],
      { inputSchema: number, outputSchema: number },
    )
    expect((await engine().run(definition, { n: '50' }).result).output).toEqual({ n: 50 })
  })

  it('name the node and the field of what does not fit', async () => {
    const { engine } = rig()
    const definition = line([
      work('one', { value: 'x' }, { outputSchema: { type: 'object', properties: { value: { type: 'number' } } } }),
    ])
    const { error } = await engine().run(definition).result
    expect(error?.message).toContain('node "one" (invalid-output): "outputSchema": ')
    expect(error?.message).toContain('value')
    const ending = await engine().run(giving('text', [], { outputSchema: { type: 'number' } })).result
    expect(ending.error?.data).toEqual({ node: 'end', reason: 'invalid-output' })
  })

  it('refuse an input that does not fit before anything runs', () => {
    const { engine } = rig()
    const definition = line([], {
      inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    })
    expect(() => engine().run(definition, {})).toThrow(/Cannot run workflow "report": .*n/)
    expect(() => engine().run(line([]), [] as never)).toThrow('run workflow')
  })
})

describe('what is not there', () => {
  it('is refused by node, with the nearest names, before anything runs', () => {
    const { engine } = rig()
    const run = (nodes: readonly Loose[], options = {}): unknown => engine(options).run(line(nodes))
    expect(() => run([{ id: 'a', type: 'tool', tool: 'wrok' }])).toThrow(
      'node "a": there is no tool "wrok"; near are "work"',
    )
    expect(() => run([{ id: 'a', type: 'agent', agent: 'x', prompt: '' }])).toThrow('node "a": there is no agent "x"')
    expect(() => run([{ id: 'a', type: 'model', prompt: '' }], { models: { big: scriptedModel([]) } })).toThrow(
      'there is no model "default"; near are "big"',
    )
    expect(() => run([{ id: 'p', type: 'parallel', branches: { b: { type: 'tool', tool: 'none' } } }])).toThrow(
      'node "p.b": there is no tool',
    )
  })
})

describe('abort()', () => {
  const cases: readonly (readonly [string, Loose])[] = [
    ['a tool', work('x', { ms: 1000 })],
    ['a wait', { id: 'x', type: 'wait', ms: 1000 }],
    ['an event', { id: 'x', type: 'wait', event: 'e' }],
    ['an approval', { id: 'x', type: 'approval', message: 'ok?' }],
    ['branches', { id: 'x', type: 'parallel', branches: { a: { type: 'tool', tool: 'work', input: { ms: 1000 } } } }],
    ['items', { id: 'x', type: 'map', items: [1], each: { type: 'tool', tool: 'work', input: { ms: 1000 } } }],
    ['a model', { id: 'x', type: 'model', prompt: 'p' }],
    ['an agent', { id: 'x', type: 'agent', agent: 'helper', prompt: 'p' }],
  ]
  it.each(cases)('in %s ends the run, whose snapshot goes on', async (_, node) => {
    const options = (): object => ({
      approvalWaitMs: Infinity,
      models: { default: scriptedModel([[{ wait: 1000 }, 'hi']]) },
      agents: { helper: agent({ model: scriptedModel([[{ wait: 1000 }, 'hi']]) }) },
    })
    const { engine, kit } = rig()
    const run = engine(options()).run(line([node]))
    kit.host.timer(5, () => run.abort())
    const events = await eventsOf(run)
    const result = await run.result
    expect([result.status, result.stop]).toEqual(['aborted', 'aborted'])
    expect(visits(result)).toEqual(['start ok', 'x cancelled'])
    expect(events.filter(({ type }) => type === 'node-end').at(-1)).toMatchObject({ node: 'x', status: 'cancelled' })
    const approve = (request: { readonly wants: string }): object =>
      request.wants === 'result' ? { result: 1 } : { decision: request.wants === 'decision' ? 'approve' : 'deny' }
    const again = await rig()
      .engine({
        ...options(),
        approve: ((request: { why: string; wants: string }) =>
          request.why === 'unknown-outcome' ? 'retry' : approve(request)) as never,
      })
      .resume(copied(result.snapshot))
    const done = await again.result
    expect([done.error?.message, done.status]).toEqual([undefined, 'done'])
  })

  it('asks about a tool that may have had its effect', async () => {
    const { engine, kit } = rig()
    let sent = 0
    const send = made(
      'send',
      async () => {
        sent++
        await kit.sleep(1000)
        return 'sent'
      },
      { effect: 'unsafe' },
    )
    const run = engine({ tools: [send] }).run(line([{ id: 'x', type: 'tool', tool: 'send' }]))
    kit.host.timer(5, () => run.abort())
    const { snapshot } = await run.result
    const again = await (
      await rig()
        .engine({ tools: [send] })
        .resume(copied(snapshot))
    ).result
    expect([sent, again.pending[0]?.why]).toEqual([1, 'unknown-outcome'])
    const done = await (
      await rig()
        .engine({ tools: [send] })
        .resume(copied(again.snapshot), [{ callId: 'x', result: 'sent' }])
    ).result
    expect([sent, done.status]).toEqual([1, 'done'])
  })

  it('keeps the branches that were done', async () => {
    const { engine, kit, log } = rig()
    const definition = giving('{{ both }}', [
      {
        id: 'both',
        type: 'parallel',
        branches: {
          a: { type: 'tool', tool: 'work', input: { value: 1 } },
          b: { type: 'tool', tool: 'work', input: { ms: 1000, value: 2 } },
        },
      },
    ])
    const run = engine().run(definition)
    kit.host.timer(5, () => run.abort())
    const { snapshot } = await run.result
    const second = rig()
    const done = await (await second.engine().resume(copied(snapshot))).result
    expect(done.output).toEqual({ a: { value: 1 }, b: { value: 2 } })
    expect([log.filter((one) => one.startsWith('a ')).length, second.log.length]).toEqual([2, 2])
  })

  it('by the signal that was given, before anything', async () => {
    const { engine } = rig()
    const { status } = await engine().run(line([work('x')]), {}, { signal: AbortSignal.abort() }).result
    expect(status).toBe('aborted')
  })
})

describe('limits', () => {
  const circle = line([work('x'), { id: 'again', type: 'if', condition: 'false', then: 'end', else: 'x' }], {
    maxVisits: 10,
  })

  it('of visits stop the run, which may then go on as often again', async () => {
    const { engine } = rig()
    const first = await engine().run(circle).result
    expect(first).toMatchObject({ status: 'stopped', stop: 'steps', visitCount: 10 })
    const second = await (await rig().engine().resume(copied(first.snapshot))).result
    expect(second).toMatchObject({ status: 'stopped', stop: 'steps', visitCount: 20 })
  })

  it('of time stop the run in the middle of a node, which may then run again', async () => {
    const { engine, now } = rig()
    const definition = line([work('x', { ms: 60 }), work('y', { ms: 60 })], { timeoutMs: 100 })
    const first = await engine().run(definition).result
    expect([first.status, first.stop, now()]).toEqual(['stopped', 'time', 100])
    expect(visits(first)).toEqual(['start ok', 'x ok', 'y cancelled'])
    const second = await (await rig().engine().resume(copied(first.snapshot))).result
    expect(second.status).toBe('done')
  })

  it('of time leave out the time in which people are waited for, here and between resumes', async () => {
    const { engine, kit } = rig()
    const definition = line(
      [work('x', { ms: 60 }), { id: 'ask', type: 'approval', message: '?' }, work('y', { ms: 30 })],
      { timeoutMs: 100 },
    )
    const run = engine({ approvalWaitMs: Infinity }).run(definition)
    kit.host.timer(5000, () => run.decide({ callId: 'ask', decision: 'approve' }))
    expect((await run.result).status).toBe('done')
    const suspended = await rig().engine().run(definition).result
    expect(suspended.status).toBe('suspended')
    const late = rig()
    const more = await late.engine().resume(copied(suspended.snapshot), [{ callId: 'ask', decision: 'approve' }])
    expect((await more.result).status).toBe('done')
  })

  it('of time count over resumes', async () => {
    const definition = line(
      [work('x', { ms: 60 }), { id: 'ask', type: 'approval', message: '?' }, work('y', { ms: 60 })],
      { timeoutMs: 100 },
    )
    const suspended = await rig().engine().run(definition).result
    const result = await (
      await rig()
        .engine()
        .resume(copied(suspended.snapshot), [{ callId: 'ask', decision: 'approve' }])
    ).result
    expect([result.status, result.stop]).toEqual(['stopped', 'time'])
  })

  it('of branches at once come from the engine where the node says nothing', async () => {
    const { engine, now } = rig()
    const definition = line([
      { id: 'all', type: 'map', items: [1, 2, 3, 4], each: { type: 'tool', tool: 'work', input: { ms: 10 } } },
    ])
    await engine({ concurrency: 1 }).run(definition).result
    expect(now()).toBe(40)
  })
})

describe('runs within', () => {
  const step = (id: string, rest: Loose = {}): Loose => work(id, { ms: 20, value: id }, rest)

  it('go on while a branch waits for a person, and what they did stays done', async () => {
    const { engine, work: tool, log } = rig()
    const pay = made('pay', () => 'paid', { approval: true })
    const inner = giving('{{ second.value }}', [step('first'), step('second')], { name: 'inner' })
    const definition = giving('{{ both }}', [
      {
        id: 'both',
        type: 'parallel',
        branches: { a: { type: 'workflow', workflow: inner }, b: { type: 'tool', tool: 'pay' } },
      },
    ])
    const suspended = await engine({ tools: [tool, pay] }).run(definition).result
    expect(suspended.pending.map(({ callId }) => callId)).toEqual(['both/b'])
    expect(log.at(-1)).toBe('second ends @40')
    const second = rig()
    const run = await second
      .engine({ tools: [second.work, pay] })
      .resume(copied(suspended.snapshot), [{ callId: 'both/b', decision: 'approve' }])
    expect((await run.result).output).toEqual({ a: 'second', b: { result: 'paid' } })
    expect(second.log).toEqual([])
  })

  it('end with their own time, and with that of the whole', async () => {
    const inner = giving('{{ second.value }}', [step('first'), step('second')], { name: 'inner', timeoutMs: 30 })
    const node: Loose = {
      id: 'both',
      type: 'parallel',
      branches: { a: { type: 'workflow', workflow: inner } },
      onError: 'end',
    }
    const early = await rig()
      .engine()
      .run(giving('{{ both.error.message }}', [node])).result
    expect(early.output).toBe('Branch "a": The workflow "inner" ended stopped (time)')
    const { engine, now } = rig()
    const whole = await engine().run(giving('{{ both.error }}', [node], { timeoutMs: 25 })).result
    expect([whole.status, whole.stop, now()]).toEqual(['stopped', 'time', 25])
  })

  it('of agents go on where they were when all was aborted', async () => {
    let looked = 0
    const helper = (): ReturnType<typeof agent> =>
      agent({
        model: scriptedModel([
          ({ messages }) => (messages.length > 1 ? [{ wait: 1000 }, 'Seen'] : { calls: [{ name: 'look' }] }),
          ({ messages }) => (messages.length > 1 ? [{ wait: 1000 }, 'Seen'] : { calls: [{ name: 'look' }] }),
        ]),
        tools: [made('look', () => ++looked, { effect: 'unsafe' })],
      })
    const definition = giving('{{ ask.text }}', [{ id: 'ask', type: 'agent', agent: 'helper', prompt: 'Look' }])
    const { engine, kit } = rig()
    const run = engine({ agents: { helper: helper() } }).run(definition)
    kit.host.timer(500, () => run.abort())
    const { snapshot, status } = await run.result
    expect(status).toBe('aborted')
    const done = await (
      await rig()
        .engine({ agents: { helper: helper() } })
        .resume(copied(snapshot))
    ).result
    expect([done.output, looked]).toEqual(['Seen', 1])
  })

  it('that a tool began are no part of its node', async () => {
    const helper = agent({ model: scriptedModel([[{ wait: 1000 }, 'Hi']]) }).asTool({
      name: 'helper',
      description: 'x',
    })
    const outer = made('outer', (_, { call }) => call('helper', { task: 'x' }), { effect: 'read' })
    const { engine, kit } = rig()
    const run = engine({ tools: [outer, helper] }).run(line([{ id: 'x', type: 'tool', tool: 'outer' }]))
    kit.host.timer(5, () => run.abort())
    const { snapshot } = await run.result
    const again = await rig()
      .engine({ tools: [outer, agent({ model: scriptedModel(['Hi']) }).asTool({ name: 'helper', description: 'x' })] })
      .resume(copied(snapshot))
    expect((await again.result).status).toBe('done')
  })
})

describe('a wait that was cut off', () => {
  it('ends when it would have ended', async () => {
    const { engine, kit, now } = rig()
    const run = engine().run(line([{ id: 'nap', type: 'wait', ms: 1000 }]))
    kit.host.timer(300, () => run.abort())
    const { snapshot } = await run.result
    await kit.sleep(500)
    const again = await engine().resume(copied(snapshot))
    expect([(await again.result).status, now()]).toEqual(['done', 1000])
  })
})
