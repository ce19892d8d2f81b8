// Sub-agents that are aborted, time out, ask or end while others work.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { RunEvent } from '../../src/message/event.ts'
import type { Model } from '../../src/model/model.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { fatal } from '../../src/tool/fatal.ts'
import { call, calls, copied, eventsOf, made, pause, pay, results, rig, sub, task, unanswered, within } from './rig.ts'

/** A model that takes its time. */
const slowly = (model: Model, ms: number): Model => ({
  ...model,
  async *stream(request, options) {
    await pause(ms)
    yield* model.stream(request, options)
  },
})

describe('waiting for people and for work', () => {
  it('does not suspend while a sibling sub-agent thinks after its tools', async () => {
    const paid: unknown[] = []
    const waits = sub('waits', [call('pay', { amount: 1 }), 'x'], { tools: [pay(paid)] })
    const quick = made('quick', async () => 'ok')
    const model = slowly(scriptedModel([calls('quick'), call('pay', { amount: 2 }), 'y']), 20)
    const thinks = agent({ model, tools: [quick, pay(paid)] }).asTool({ name: 'thinks', description: 'x' })
    const { assistant } = rig([{ calls: [task('waits'), task('thinks')] }], { tools: [waits, thinks] })
    const { pending, snapshot } = await assistant.run('x').result
    expect(pending.map(({ callId }) => callId)).toEqual(['call_1/call_1', 'call_2/call_2'])
    expect(snapshot.status).toBe('suspended')
  })

  it('a tool that calls an agent which asks is told that nobody decided', async () => {
    const paid: unknown[] = []
    const research = sub('research', [call('pay', { amount: 1 }), 'x'], { tools: [pay(paid)] })
    const outer = made('outer', async (_, ctx) => ctx.call('research', { task: 'y' }))
    const { assistant } = rig([calls('outer'), 'done'], { tools: [research, outer] })
    const result = await within(assistant.run('x').result)
    if (result === 'hung') throw new Error('hung')
    expect(unanswered(result.messages)).toEqual([])
    const pending = results(result.messages).filter(({ reason }) => reason === 'pending').length
    expect([result.status, pending, result.pending.length]).toEqual(['done', 0, 0])
  })
})

describe('a sub-agent that timed out', () => {
  it('a sub-agent that timed out leaves no question behind', async () => {
    const paid: unknown[] = []
    const research = agent({ model: scriptedModel([call('pay', { amount: 1 }), 'x']), tools: [pay(paid)] })
    const tools = [research.asTool({ name: 'research', description: 'x', timeoutMs: 15 })]
    const model = slowly(scriptedModel([call('research', { task: 'x' }), 'done']), 20)
    const run = agent({ model, tools, approvalWaitMs: 60_000 }).run('x')
    const ids: string[] = []
    let decided: unknown
    for await (const event of run) {
      if (event.type === 'approval-request') ids.push(event.callId)
      if (event.type === 'tool-end' && !event.path) {
        try {
          run.decide({ callId: ids[0] as string, decision: 'approve' })
          decided = 'accepted'
        } catch (error) {
          decided = (error as { code: string }).code
        }
      }
    }
    const { status, messages } = await run.result
    expect([status, results(messages)[0]?.reason, decided, paid]).toEqual(['done', 'timeout', 'run-unknown-call', []])
  })

  it('a sub-agent that timed out does not suspend the run by its question', async () => {
    const paid: unknown[] = []
    const research = agent({ model: scriptedModel([call('pay', { amount: 1 }), 'x']), tools: [pay(paid)] })
    const tools = [
      research.asTool({ name: 'research', description: 'x', timeoutMs: 15 }),
      made('quick', () => pause(1)),
    ]
    const model = slowly(scriptedModel([call('research', { task: 'x' }), calls('quick'), 'done']), 20)
    const run = agent({ model, tools, approvalWaitMs: 30 }).run('x')
    void eventsOf(run)
    const result = await within(run.result)
    if (result === 'hung') throw new Error('hung')
    expect([result.status, result.pending]).toEqual(['done', []])
  })

  it('a preview in the making when the sub-agent times out asks nobody', async () => {
    const described = made('pay', () => 1, {
      approval: true,
      describeCall: async () => {
        await pause(40)
        return { summary: 'x' }
      },
    })
    const research = agent({ model: scriptedModel([calls('pay'), 'x']), tools: [described] })
    const tools = [research.asTool({ name: 'research', description: 'x', timeoutMs: 15 })]
    const model = slowly(scriptedModel([call('research', { task: 'x' }), 'done']), 50)
    const run = agent({ model, tools, approvalWaitMs: 60_000 }).run('x')
    const events = await eventsOf(run)
    expect(events.filter(({ type }) => type === 'approval-request')).toEqual([])
  })
})

describe('a fatal tool', () => {
  it('stops a sub-agent from starting further calls', async () => {
    let started = 0
    const step = made(
      'step',
      async () => {
        started++
        await pause(15)
      },
      { repeatable: true },
    )
    const research = sub('research', [...Array.from({ length: 10 }, () => calls('step')), 'x'], { tools: [step] })
    const dead = made('dead', async () => {
      await pause(20)
      throw fatal('locked')
    })
    const { assistant } = rig([{ calls: [task('research'), { name: 'dead' }] }], { tools: [research, dead] })
    const { status, messages } = await assistant.run('x').result
    expect([status, unanswered(messages)]).toEqual(['failed', []])
    expect(started).toBeLessThan(4)
  })
})

describe('events of a sub-agent', () => {
  it('an observer of a sub-agent that throws does not break the order of seq', async () => {
    const look = made('look', () => 1)
    const hooks = {
      onToolEnd: () => {
        throw new Error('bad')
      },
    }
    const research = sub('research', [calls('look'), 'x'], { tools: [look], hooks })
    const { assistant } = rig([{ calls: [task('research')] }, 'done'], { tools: [research] })
    const run = assistant.run('x')
    const events = await eventsOf(run)
    expect(events.map(({ type }) => type)).toContain('observer-error')
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  })

  it.each(['abort', 'timeout'])('nested tool-start has a tool-end before that of the outer call on %s', async (how) => {
    const slow = made('slow', () => pause(200))
    const inner = agent({ model: scriptedModel([calls('slow'), 'x']), tools: [slow] })
    const timeoutMs = how === 'timeout' ? 15 : Infinity
    const tools = [inner.asTool({ name: 'research', description: 'x', timeoutMs })]
    const { assistant } = rig([{ calls: [task('research')] }, 'done'], { tools })
    const run = assistant.run('x')
    if (how === 'abort') setTimeout(() => run.abort(), 15)
    const events: RunEvent[] = await eventsOf(run)
    const lines = events
      .filter(({ type }) => type === 'tool-start' || type === 'tool-end')
      .map((event) => `${event.type}${event.path ? ' nested' : ''}`)
    expect(lines).toEqual(['tool-start', 'tool-start nested', 'tool-end nested', 'tool-end'])
  })
})

describe('an agent that calls itself', () => {
  it('an agent that calls itself for ever is stopped by a limit', async () => {
    let depth = 0
    const model: Model = {
      ...scriptedModel([]),
      async *stream() {
        depth++
        if (depth > 200) throw new Error('too deep')
        yield [
          { type: 'tool-input-start', index: 0, callId: `c${depth}`, name: 'self' },
          { type: 'tool-input-delta', index: 0, delta: '{"task":"again"}' },
          { type: 'finish', reason: 'tool-calls', usage: {} },
        ]
      },
    } as Model
    const registry = toolRegistry()
    const assistant = agent({ model, registry, limits: { steps: 1 } })
    registry.register(assistant.asTool({ name: 'self', description: 'x' }))
    const result = await within(assistant.run('x').result, 4000)
    expect(result === 'hung' ? 'hung' : result.status).toBe('stopped')
    expect(depth).toBeLessThan(100)
  })
})

describe('a run with sub-agents', () => {
  it('deciding within the onEvent hook of a sub-agent event keeps the run whole', async () => {
    const paid: unknown[] = []
    const hooks = {
      onEvent: (event: any) => {
        if (event.type === 'approval-request') run.decide({ callId: event.callId, decision: 'approve' })
      },
    }
    const { assistant } = rig([{ calls: [task('a'), task('a'), task('a')] }, 'done'], {
      tools: [
        sub('a', [call('pay', { amount: 1 }), call('pay', { amount: 2 }), call('pay', { amount: 3 }), 'x', 'y', 'z'], {
          tools: [pay(paid)],
        }),
      ],
      hooks,
    })
    const run = assistant.run('x')
    const result = await within(run.result)
    expect(result === 'hung' ? result : [result.status, unanswered(result.messages), paid.length]).toEqual([
      'done',
      [],
      3,
    ])
  })

  it('aborting in the hook that hears of the question answers all', async () => {
    const paid: unknown[] = []
    const hooks = { onEvent: (event: any) => event.type === 'approval-request' && run.abort() }
    const { assistant } = rig([{ calls: [task('a'), task('a')] }, 'done'], {
      tools: [sub('a', [call('pay', { amount: 1 }), call('pay', { amount: 2 })], { tools: [pay(paid)] })],
      hooks,
      approvalWaitMs: Infinity,
    })
    const run = assistant.run('x')
    const result = await within(run.result)
    expect(result === 'hung' ? result : [result.status, unanswered(result.messages), result.pending]).toEqual([
      'aborted',
      [],
      [],
    ])
  })

  it('a reader that leaves a detached run with a sub-agent lets it end', async () => {
    const slow = made('slow', () => pause(10))
    const { assistant } = rig([{ calls: [task('a')] }, 'done'], {
      tools: [sub('a', [calls('slow'), 'x'], { tools: [slow] })],
    })
    const run = assistant.run('x', { detached: true })
    for await (const event of run) if (event.path) break
    const result = await within(run.result)
    expect(result === 'hung' ? result : result.status).toBe('done')
  })
})

describe('several sub-agents', () => {
  it('a merged question survives the timeout of the sub-agent that asked first', async () => {
    const paid: unknown[] = []
    const shared = pay(paid)
    const mk = (name: string, timeoutMs: number) =>
      agent({ model: scriptedModel([call('pay', { amount: 1 }), 'x']), tools: [shared] }).asTool({
        name,
        description: 'x',
        timeoutMs,
      })
    const { assistant } = rig([{ calls: [task('a'), task('b')] }, 'done'], {
      tools: [mk('a', 15), mk('b', 100000)],
      approvalWaitMs: 1000,
    })
    const run = assistant.run('x')
    const ids: string[] = []
    setTimeout(() => run.decide({ callId: ids[0] as string, decision: 'approve' }), 50)
    for await (const event of run) if (event.type === 'approval-request') ids.push(event.callId)
    const { messages } = await run.result
    expect([ids.length, paid.length, results(messages).map(({ reason }) => reason)]).toEqual([
      1,
      1,
      ['timeout', undefined],
    ])
  })

  it('fatal in the middle agent stops the questions of its sub-agent', async () => {
    const paid: unknown[] = []
    const dead = made('dead', async () => {
      await pause(10)
      throw fatal('locked')
    })
    const deep = sub('deep', [call('pay', { amount: 1 }), 'x'], { tools: [pay(paid)] })
    const mid = sub('mid', [{ calls: [task('deep'), { name: 'dead' }] }, 'x'], { tools: [deep, dead] })
    const { assistant } = rig([{ calls: [task('mid')] }, 'done'], { tools: [mid], approvalWaitMs: 1000 })
    const result = await within(assistant.run('x').result, 600)
    expect(result === 'hung' ? result : [result.status, result.pending, results(result.messages)[0]?.text]).toEqual([
      'done',
      [],
      expect.stringContaining('locked'),
    ])
  })

  it('fatal in a sub-agent with waiting question elsewhere', async () => {
    const paid: unknown[] = []
    const dead = made('dead', async () => {
      await pause(10)
      throw fatal('locked')
    })
    const a = sub('a', [call('pay', { amount: 1 }), 'x'], { tools: [pay(paid)] })
    const { assistant } = rig([{ calls: [task('a'), { name: 'dead' }] }, 'done'], {
      tools: [a, dead],
      approvalWaitMs: 1000,
    })
    const result = await within(assistant.run('x').result, 600)
    expect(result === 'hung' ? result : [result.status, result.pending, unanswered(result.messages)]).toEqual([
      'failed',
      [],
      [],
    ])
  })

  it('abort during connect of a sub-agent', async () => {
    const registry = toolRegistry().addSource({
      scheme: 'mcp',
      name: 's',
      connect: () => new Promise(() => {}),
      list: () => [],
    })
    const a = agent({ model: scriptedModel(['x']), registry }).asTool({ name: 'a', description: 'x' })
    const run = rig([{ calls: [task('a')] }, 'done'], { tools: [a] }).assistant.run('x')
    setTimeout(() => run.abort(), 10)
    const result = await within(run.result)
    expect(result === 'hung' ? result : [result.status, unanswered(result.messages)]).toEqual(['aborted', []])
  })

  it('the run ends and no question is left, at whichever of many moments it is aborted', async () => {
    for (let at = 0; at < 40; at++) {
      const paid: unknown[] = []
      const slow = made('slow', () => pause(1))
      const turns = () =>
        [calls('slow'), { calls: [{ name: 'pay', input: { amount: 1 } }, { name: 'slow' }] }, 'x'] as ScriptedTurn[]
      const deep = () =>
        agent({ model: slowly(scriptedModel(turns()), 1), tools: [pay(paid), slow] }).asTool({
          name: 'deep',
          description: 'x',
        })
      const mid = agent({
        model: slowly(scriptedModel([{ calls: [task('deep'), { name: 'slow' }] }, 'x']), 1),
        tools: [deep(), slow],
      }).asTool({ name: 'mid', description: 'x' })
      const { assistant } = rig([{ calls: [task('mid'), task('deep')] }, 'done'], {
        tools: [mid, deep()],
        approvalWaitMs: at % 2 ? 3 : 1000,
      })
      const run = assistant.run('x')
      const state = Object.getOwnPropertySymbols(run)
        .map((s) => (run as any)[s])
        .find((x) => x?.queue)
      setTimeout(() => run.abort(), at / 2)
      const events = await eventsOf(run)
      const result = await within(run.result)
      if (result === 'hung') throw new Error('hung ' + at)
      expect(unanswered(result.messages)).toEqual([])
      expect(['aborted', 'suspended', 'done']).toContain(result.status)
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1))
      await pause(5)
      expect([at, state.requests.length, state.working]).toEqual([at, 0, 0])
      if (result.status === 'aborted') {
        const again = rig(['ok'], { tools: [mid, deep()] }).assistant
        const r = await (await again.resume(copied(result.snapshot), [])).result
        expect(r.status).toBe('done')
      }
    }
  }, 20000)

  it('called together by a tool are not denied while one of them works', async () => {
    const paid: unknown[] = []
    let release = (): void => undefined
    const freed = new Promise<void>((resolve) => (release = resolve))
    const a = sub('a', [call('pay', { amount: 1 }), 'x'], { tools: [pay(paid)] })
    const b = sub('b', [calls('slow'), 'x'], { tools: [made('slow', () => freed)] })
    const both = made('both', (_, ctx) => Promise.all([ctx.call('a', { task: 'x' }), ctx.call('b', { task: 'x' })]))
    const asked: string[] = []
    const hooks = { onEvent: (event: RunEvent) => event.type === 'approval-request' && asked.push(event.callId) }
    const run = rig([calls('both'), 'done'], { tools: [a, b, both], hooks }).assistant.run('x')
    while (!asked.length) await pause(1)
    await pause(10)
    expect(run.decide({ callId: 'call_1/1/call_1', decision: 'approve' })).toMatchObject({ decision: 'approve' })
    release()
    await run.result
    expect(paid.length).toBe(1)
  })
})
