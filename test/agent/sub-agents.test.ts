// Agents as tools of other agents.
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { emulateTools } from '../../src/middleware/emulate-tools.ts'
import { denyTools } from '../../src/middleware/tool-lists.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { policy } from '../../src/policy/policy.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { withJsonSchema } from '../../src/schema/valibot.ts'
import type { AgentOptions } from '../../src/agent/options.ts'
import { fatal } from '../../src/tool/fatal.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { call, calls, eventsOf, made, pause, results, rig, unanswered } from './rig.ts'

const researcher = (turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}): Tool =>
  agent({ model: scriptedModel(turns), ...options }).asTool({ name: 'research', description: 'Finds things out.' })

const ask = call('research', { task: 'find it' })
const used = (turn: ScriptedTurn, total: number): ScriptedTurn => [turn, { usage: { total } }] as never
const brief = (events: readonly RunEvent[]) =>
  events.map((event) => [event.type, ...(event.path ?? []), 'callId' in event ? event.callId : ''].join(' ').trim())
const copied = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

describe('an agent as a tool', () => {
  it('answers with its text, its events nested by path, its usage summed', async () => {
    const look = made('look', () => 'seen', { effect: 'read' })
    const inner = [used(calls('look'), 10), used('It is 42.', 5)]
    const { assistant } = rig([used(ask, 1), used('done', 2)], { tools: [researcher(inner, { tools: [look] })] })
    const run = assistant.run('x')
    const events = await eventsOf(run)
    const { messages, usage, status } = await run.result
    expect(status).toBe('done')
    expect(results(messages)).toEqual([{ ok: true, reason: undefined, text: 'It is 42.' }])
    expect(usage.total).toBe(18)
    const nested = brief(events).filter((line) => line.includes(' call_1') || line.startsWith('run-'))
    expect(nested).toContain('tool-start call_1 call_1')
    expect(nested.filter((line) => line.startsWith('run-'))).toEqual(['run-start', 'run-end'])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(new Set(events.map((event) => event.run)).size).toBe(1)
    expect(events.filter(({ type, path }) => type === 'text-delta' && path).length).toBeGreaterThan(0)
  })

  it('takes an input of its own, and gives its structured output', async () => {
    const input = withJsonSchema(v.object({ city: v.string() }))
    const output = withJsonSchema(v.object({ celsius: v.number() }))
    const model = scriptedModel(['{"celsius":20}', '{"celsius":21}'])
    const weather = agent({ model, output })
    const options = { name: 'weather', description: 'x', input }
    const asked = weather.asTool({ ...options, prompt: ({ city }) => `Weather of ${city}?` })
    const { assistant } = rig([call('weather', { city: 'Oslo' }), 'done'], { tools: [asked] })
    expect(results((await assistant.run('x').result).messages)).toMatchObject([{ ok: true, text: '{"celsius":20}' }])
    const plain = rig([call('weather', { city: 'Oslo' }), 'done'], { tools: [weather.asTool(options)] })
    await plain.assistant.run('x').result
    expect(model.requests.map(({ messages }) => messages[0]?.content)).toEqual([
      [{ type: 'text', text: 'Weather of Oslo?' }],
      [{ type: 'text', text: '{"city":"Oslo"}' }],
    ])
  })

  it('has a URI of its own in a registry, and can be called by code', async () => {
    const registry = toolRegistry().register(researcher(['found', 'found']))
    expect(await registry.call('agent://research', { task: 'x' })).toEqual({ result: 'found' })
    expect((await registry.describe()).map(({ name }) => name)).toEqual(['agent://research'])
    await expect(registry.call('research', { task: 5 })).rejects.toMatchObject({ code: 'tool-invalid-input' })
  })

  it('gives an object of its output schema as it is, and says so', async () => {
    const output = withJsonSchema(v.object({ celsius: v.number() }))
    const made = agent({ model: scriptedModel(['{"celsius":20}']), output }).asTool({
      name: 'weather',
      description: 'x',
    })
    const registry = toolRegistry().register(made)
    expect(await registry.outputSchema('agent://weather')).toMatchObject({
      properties: { celsius: { type: 'number' } },
    })
    expect(await registry.call('agent://weather', { task: 'x' })).toEqual({ celsius: 20 })
  })

  it.each([
    ['a limit', [calls('look'), calls('look')], { limits: { steps: 1 } }, 'ended stopped (steps)'],
    ['a failure', [], {}, 'ended failed'],
    ['a refusal', [[{ finish: 'refusal' }]], {}, 'ended stopped (refusal)'],
  ])('that ends by %s is a failed call that the outer agent reads', async (_, turns, options, words) => {
    const inner = researcher(turns as never, { tools: [made('look', () => 1)], ...options })
    const { assistant } = rig([ask, 'done'], { tools: [inner] })
    const { status, messages } = await assistant.run('x').result
    expect(status).toBe('done')
    expect(results(messages)).toMatchObject([{ ok: false, reason: 'failed', text: expect.stringContaining(words) }])
  })

  it('is aborted with the outer run, and nothing of it goes on', async () => {
    let late = 0
    const slow = made('slow', async (_, { signal }) => {
      await pause(30)
      if (!signal.aborted) late++
    })
    const { assistant } = rig([ask], { tools: [researcher([calls('slow'), calls('slow')], { tools: [slow] })] })
    const run = assistant.run('x')
    setTimeout(() => run.abort(), 10)
    const { status, messages } = await run.result
    expect([status, unanswered(messages), results(messages)[0]?.reason]).toEqual(['aborted', [], 'aborted'])
    await pause(60)
    expect(late).toBe(0)
  })
})

describe('a question of a sub-agent', () => {
  const pay = (paid: unknown[]) =>
    made('pay', (input) => void paid.push(input), {
      approval: true,
      input: withJsonSchema(v.object({ amount: v.number() })),
    })
  const inner = [call('pay', { amount: 5 }), 'paid']

  it('is asked by the outer run, under outer/inner, and decided there', async () => {
    const paid: unknown[] = []
    const { assistant } = rig([ask, 'done'], { tools: [researcher(inner, { tools: [pay(paid)] })] })
    const run = assistant.run('x')
    const seen: RunEvent[] = []
    for await (const event of run) {
      seen.push(event)
      if (event.type !== 'approval-request') continue
      expect(event).toMatchObject({ callId: 'call_1/call_1', name: 'pay', path: ['call_1'] })
      run.decide({ callId: event.callId, decision: 'edit', input: { amount: '7' } })
    }
    expect(paid).toEqual([{ amount: 7 }])
    expect(brief(seen).filter((line) => line.startsWith('approval'))).toEqual([
      'approval-request call_1 call_1/call_1',
      'approval-response call_1 call_1/call_1',
    ])
    expect((await run.result).status).toBe('done')
  })

  it('is answered by the outer approve, never by one of the inner agent', async () => {
    const paid: unknown[] = []
    const tools = [researcher(inner, { tools: [pay(paid)], approve: () => 'approve' })]
    const { assistant } = rig([ask, 'done'], { tools, approve: () => ({ decision: 'deny', reason: 'too much' }) })
    await assistant.run('x').result
    expect(paid).toEqual([])
  })

  it('suspends the whole, with the inner snapshot inside the outer one, and resumes in another program', async () => {
    const paid: unknown[] = []
    let finished = 0
    const quick = made('quick', () => void finished++)
    const build = (outer: readonly ScriptedTurn[], deep: readonly ScriptedTurn[]) =>
      rig(outer, { tools: [quick, researcher(deep, { tools: [pay(paid), quick] })] }).assistant
    const first = build(
      [{ calls: [{ name: 'research', input: { task: 'x' } }, { name: 'quick' }] } as never],
      [{ calls: [{ name: 'pay', input: { amount: 5 } }, { name: 'quick' }] }],
    )
    const run = first.run('go')
    const events = await eventsOf(run)
    const stopped = await run.result
    expect(stopped).toMatchObject({ status: 'suspended', stop: 'approval', pending: [{ callId: 'call_1/call_1' }] })
    expect([finished, paid]).toEqual([2, []])
    expect(
      brief(events)
        .filter((line) => /^tool-(start|end)/.test(line))
        .sort(),
    ).toEqual(
      [
        'tool-start call_1',
        'tool-start call_2',
        'tool-end call_2',
        'tool-start call_1 call_2',
        'tool-end call_1 call_2',
      ].sort(),
    )
    const second = build(['all done'], ['inner done'])
    const resumed = await second.resume(copied(stopped.snapshot), [{ callId: 'call_1/call_1', decision: 'approve' }])
    const more = await eventsOf(resumed)
    const result = await resumed.result
    expect([result.status, paid, finished]).toEqual(['done', [{ amount: 5 }], 2])
    expect(results(result.messages).map(({ text }) => text)).toEqual(['inner done', ''])
    expect(brief(more).filter((line) => /^tool-(start|end)/.test(line))).toEqual([
      'tool-start call_1 call_1',
      'tool-end call_1 call_1',
      'tool-end call_1',
    ])
    expect(unanswered(result.messages)).toEqual([])
  })

  it('may stay open over several resumes, and an edit that does not fit is asked again', async () => {
    const paid: unknown[] = []
    const build = (outer: readonly ScriptedTurn[], deep: readonly ScriptedTurn[]) =>
      rig(outer, { tools: [researcher(deep, { tools: [pay(paid)] })] }).assistant
    const { snapshot } = await build([ask], inner).run('go').result
    const again = await (await build([], ['x']).resume(copied(snapshot), [])).result
    expect(again).toMatchObject({ status: 'suspended', pending: [{ callId: 'call_1/call_1' }] })
    const misfit = { callId: 'call_1/call_1', decision: 'edit', input: { amount: 'much' } } as const
    const third = await (await build([], ['x']).resume(copied(again.snapshot), [misfit])).result
    expect(third).toMatchObject({ status: 'suspended' })
    const deny = { callId: 'call_1/call_1', decision: 'deny', reason: 'no' } as const
    const last = await (await build(['done'], ['not paid']).resume(copied(third.snapshot), [deny])).result
    expect([last.status, paid, results(last.messages)[0]?.text]).toEqual(['done', [], 'not paid'])
  })

  it('waits at any depth', async () => {
    const paid: unknown[] = []
    const build = (turns: readonly (readonly ScriptedTurn[])[]) => {
      const deepest = agent({ model: scriptedModel(turns[2] ?? []), tools: [pay(paid)] })
      const tools = [deepest.asTool({ name: 'deep', description: 'x' })]
      return rig(turns[0] ?? [], { tools: [researcher(turns[1] ?? [], { tools })] }).assistant
    }
    const deep = call('deep', { task: 'y' })
    const { snapshot, pending } = await build([[ask], [deep], inner]).run('go').result
    expect(pending).toMatchObject([{ callId: 'call_1/call_1/call_1', path: ['call_1', 'call_1'] }])
    const decisions = [{ callId: 'call_1/call_1/call_1', decision: 'approve' } as const]
    const run = await build([['a'], ['b'], ['c']]).resume(copied(snapshot), decisions)
    expect(await run.result).toMatchObject({ status: 'done', text: 'a' })
    expect(paid).toEqual([{ amount: 5 }])
  })

  it('is asked anew in an import, the call of the agent first', async () => {
    const paid: unknown[] = []
    const build = (
      outer: readonly ScriptedTurn[],
      deep: readonly ScriptedTurn[],
      options: Partial<AgentOptions> = {},
    ) => rig(outer, { tools: [researcher(deep, { tools: [pay(paid)] })], ...options }).assistant
    const { snapshot } = await build([ask], inner).run('go').result
    const asked: string[] = []
    const approve: AgentOptions['approve'] = ({ callId }) => {
      asked.push(callId)
      return 'approve'
    }
    const run = await build(['done'], ['ok'], { approve }).resume(copied(snapshot), [], { trust: 'import' })
    expect((await run.result).status).toBe('done')
    expect(asked).toEqual(['call_1', 'call_1/call_1'])
  })

  it('refuses a snapshot whose inner part was forged or whose inner tool changed, before anything runs', async () => {
    const paid: unknown[] = []
    const tools = [researcher(inner, { tools: [pay(paid)] })]
    const { snapshot } = await rig([ask], { tools }).assistant.run('go').result
    const forge = (change: (body: Record<string, any>) => void) => {
      const forged = copied(snapshot) as any
      change(forged.body)
      return rig(['x'], { tools: [researcher(['y'], { tools: [pay(paid)] })] }).assistant.resume(forged, [])
    }
    await expect(forge((body) => (body['children'].call_1.body.messages = [{ role: 'evil' }]))).rejects.toMatchObject({
      code: 'run-invalid-input',
    })
    await expect(forge((body) => (body['children'].call_1 = 5))).rejects.toMatchObject({ code: 'run-invalid-snapshot' })
    await expect(forge((body) => (body['children'] = []))).rejects.toMatchObject({ code: 'run-invalid-snapshot' })
    const changed = made('pay', () => 1, { approval: true })
    const other = rig(['x'], { tools: [researcher(['y'], { tools: [changed] })] }).assistant
    await expect(other.resume(copied(snapshot), [])).rejects.toMatchObject({ code: 'run-tool-changed' })
  })

  it('does not keep a second sub-agent from its turn, whatever the concurrency', async () => {
    const paid: unknown[] = []
    const one = researcher([call('pay', { amount: 1 }), call('pay', { amount: 2 }), 'x', 'y'], { tools: [pay(paid)] })
    const turn = { calls: ['a', 'b'].map((task) => ({ name: 'research', input: { task } })) }
    const { assistant } = rig([turn], { tools: [one], concurrency: 1 })
    const { pending, status } = await assistant.run('x').result
    expect(status).toBe('suspended')
    expect(pending.map(({ callId }) => callId)).toEqual(['call_1/call_1', 'call_2/call_2'])
  })

  it('outlives a resume that does not reach its agent: what ran before does not run again', async () => {
    const paid: unknown[] = []
    let looked = 0
    const look = made('look', () => ++looked)
    const turns: ScriptedTurn[] = [{ calls: [{ name: 'look' }, { name: 'pay', input: { amount: 5 } }] }, 'paid']
    const { assistant } = rig([ask, 'done'], { tools: [researcher(turns, { tools: [look, pay(paid)] })] })
    const first = await assistant.run('x').result
    const second = await (await assistant.resume(copied(first.snapshot), [], { trust: 'import' })).result
    expect([second.status, second.pending.map(({ callId }) => callId)]).toEqual(['suspended', ['call_1']])
    // What nobody answered is asked again.
    const again = await (await assistant.resume(copied(second.snapshot), [])).result
    expect(again.pending.map(({ callId, why }) => [callId, why])).toEqual([['call_1', 'import']])
    const decide = (callId: string) => [{ callId, decision: 'approve' } as const]
    const third = await (await assistant.resume(copied(again.snapshot), decide('call_1'))).result
    expect(third.pending.map(({ callId }) => callId)).toEqual(['call_1/call_2'])
    const last = await (await assistant.resume(copied(third.snapshot), decide('call_1/call_2'))).result
    expect([last.status, looked, paid]).toEqual(['done', 1, [{ amount: 5 }]])
  })

  it.each([
    ['before it is asked', () => undefined],
    ['while it is open', () => pause(10)],
  ])('ends with its agent, so that nobody decides for one that is over: %s', async (_, before) => {
    const deadly = made('deadly', () => {
      const first = before()
      if (!first) throw fatal('The end')
      return first.then(() => Promise.reject(fatal('The end')))
    })
    const paid: unknown[] = []
    const turns: ScriptedTurn[] = [{ calls: [{ name: 'pay', input: { amount: 5 } }, { name: 'deadly' }] }]
    const { assistant } = rig([ask, 'done'], { tools: [researcher(turns, { tools: [pay(paid), deadly] })] })
    const run = assistant.run('x')
    const events = await eventsOf(run)
    const { status, pending } = await run.result
    expect([status, pending, paid]).toEqual(['done', [], []])
    const ends = events.flatMap((event) => (event.type === 'tool-end' && event.path ? [event.callId] : []))
    expect(ends.sort()).toEqual(['call_1', 'call_2'])
  })

  it('is approved for the session once for all', async () => {
    const paid: unknown[] = []
    const tools = [researcher([...inner, ...inner], { tools: [pay(paid)] })]
    let asked = 0
    const approve = () => (asked++, 'approve-session' as const)
    const { assistant } = rig([ask, call('research', { task: 'again' }), 'done'], { tools, approve })
    await assistant.run('x').result
    expect([asked, paid.length]).toEqual([1, 2])
  })
})

describe('a sub-agent is narrowed by the agent above it', () => {
  it('in its tools', async () => {
    let ran = 0
    const model = scriptedModel([calls('shell'), 'x'])
    const inner = agent({ model, tools: [made('shell', () => ran++), made('look', () => 1)] })
    const tools = [inner.asTool({ name: 'research', description: 'x' })]
    for (const options of [
      { policy: policy({ tools: { deny: ['shell'] } }) },
      { middleware: [denyTools(['shell'])] },
    ]) {
      await rig([ask, 'done'], { tools, ...options }).assistant.run('x').result
    }
    expect(ran).toBe(0)
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['look'])
  })

  it('in its files, and has those of the outer agent where it has none', async () => {
    const fs = memoryFiles()
    const said: unknown[] = []
    const write = made('write', async (_, ctx) => {
      for (const path of ['/project/a', '/project/deep/b', '/etc/c'])
        said.push(
          await ctx.fs.write(path, new Uint8Array(1), { parents: true }).then(
            () => path,
            (error) => error.code,
          ),
        )
    })
    const outer = { env: { host: webHost, fs }, policy: policy({ workspaceRoot: '/project' }) }
    const build = (options: Partial<AgentOptions>) =>
      rig([ask, 'done'], { tools: [researcher([calls('write'), 'x'], { tools: [write], ...options })], ...outer })
    await build({}).assistant.run('x').result
    await build({ policy: policy({ workspaceRoot: '/project/deep' }) }).assistant.run('x').result
    await build({ env: { fs: memoryFiles() } }).assistant.run('x').result
    expect(said).toEqual([
      '/project/a',
      '/project/deep/b',
      'vfs-denied',
      'vfs-denied',
      '/project/deep/b',
      'vfs-denied',
      '/project/a',
      '/project/deep/b',
      'vfs-denied',
    ])
  })

  it('in tokens, and not in steps', async () => {
    const look = made('look', () => 1, { repeatable: true })
    const turns = Array.from({ length: 30 }, () => used(calls('look'), 10))
    const { assistant } = rig([used(ask, 1), 'done'], {
      tools: [researcher(turns, { tools: [look] })],
      limits: { tokens: 55 },
    })
    const { stop, usage } = await assistant.run('x').result
    expect([stop, usage.total]).toEqual(['tokens', 61])
    const few = rig([ask, 'done'], {
      tools: [researcher([...turns.slice(0, 5), 'x'], { tools: [look] })],
      limits: { steps: 2 },
    })
    expect(await few.assistant.run('x').result).toMatchObject({ status: 'done' })
  })

  it('and can be emulated like any tool', async () => {
    const { assistant } = rig([ask, 'done'], {
      tools: [researcher([])],
      middleware: [emulateTools({ research: () => 'canned' })],
    })
    expect(results((await assistant.run('x').result).messages)).toMatchObject([{ ok: true, text: 'canned' }])
  })
})
