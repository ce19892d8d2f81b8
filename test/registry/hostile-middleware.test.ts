// Tool middleware that does what it should not: one result for each call, of a shape that everybody can read.
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../src/message/part.ts'
import type { ToolCall, ToolNext } from '../../src/middleware/middleware.ts'
import { anyObject, call, calls, made, pause, results, rig } from '../agent/rig.ts'
import { endsOf, played } from './hostile-kit.ts'

describe('tool middleware', () => {
  const wrapped = (tool: (call: ToolCall, next: ToolNext) => unknown, ran: unknown[] = []) =>
    played(
      (input: unknown) => {
        ran.push(input)
        return `run ${ran.length}`
      },
      { input: anyObject },
      { middleware: [{ name: 'm', tool }] },
    )

  it('may call next twice: the tool runs twice, and one result is told', async () => {
    const { told, events } = await wrapped(async (call, next) => (await next(call), next(call)))
    expect([told?.text, endsOf(events)]).toEqual(['run 2', 1])
  })

  it('may never call next: the tool does not run', async () => {
    const ran: unknown[] = []
    const { told } = await wrapped(({ outcomeOf }) => Promise.resolve(outcomeOf('canned')), ran)
    expect([told?.text, ran]).toEqual(['canned', []])
  })

  it('that calls next after the call is over runs nothing', async () => {
    const ran: unknown[] = []
    let later: Promise<Outcome> | undefined
    const { told, result } = await wrapped(async (call, next) => {
      const afterwards = async (): Promise<Outcome> => (await pause(30), next(call))
      later = afterwards()
      return call.outcomeOf('early')
    }, ran)
    expect([told?.text, result.status]).toEqual(['early', 'done'])
    expect(await later).toMatchObject({ ok: false, reason: 'aborted' })
    expect(ran).toEqual([])
  })

  it('that calls next after the time of the tool, or after an abort, runs nothing', async () => {
    let ran = 0
    const { told } = await played(
      () => ++ran,
      { timeoutMs: 20 },
      {
        middleware: [{ name: 'm', tool: async (call: ToolCall, next: ToolNext) => (await pause(50), next(call)) }],
      },
    )
    expect(told).toMatchObject({ ok: false, reason: 'timeout' })
    await pause(60)
    expect(ran).toBe(0)
  })

  it.each<[string, unknown]>([
    ['with a reason of its own', { ok: false, reason: 'tired', parts: [] }],
    ['that claims to wait for a person', { ok: false, reason: 'pending', parts: [] }],
    ['with parts that are none', { ok: true, value: 1, parts: [5, null], final: false }],
    ['with parts that are no JSON', { ok: true, value: 1, parts: [{ type: 'json', value: 1n }], final: false }],
    ['that is a promise of another kind', () => 1],
  ])('that gives an outcome %s is a failed call, and the run goes on', async (_, outcome) => {
    const { result, events, told } = await wrapped(async () => outcome)
    expect([result.status, endsOf(events), result.pending]).toEqual(['done', 1, []])
    expect(told).toMatchObject({ ok: false, reason: 'failed' })
    JSON.stringify(events)
  })

  it('that gives details that are no JSON gives none', async () => {
    const outcome = { ok: true, value: 1, parts: [{ type: 'text', text: 'fine' }], final: false, details: 1n }
    const { told, events } = await wrapped(async () => outcome)
    expect(told).toMatchObject({ ok: true, text: 'fine' })
    JSON.stringify(events)
  })

  it('that takes a question of a sub-agent for a failure cannot answer in its place', async () => {
    const inner = rig([calls('pay'), 'paid'], { tools: [made('pay', () => 'paid', { approval: true })] })
    const cover = {
      name: 'covers up',
      tool: async (call: ToolCall, next: ToolNext) => {
        const outcome = await next(call)
        return outcome.ok ? outcome : call.outcomeOf('never mind')
      },
    }
    const tools = [inner.assistant.asTool({ name: 'ask', description: 'Asks.' })]
    const { assistant } = rig([call('ask', { task: 'x' }), 'done'], { tools, middleware: [cover] })
    const { status, snapshot, messages } = await assistant.run('go').result
    expect([status, results(messages)[0]?.reason]).toEqual(['suspended', 'pending'])
    const run = await assistant.resume(snapshot, [{ callId: 'call_1/call_1', decision: 'approve' }])
    expect(await run.result).toMatchObject({ status: 'done', text: 'done' })
  })

  it('that changes the call changes a copy: events and transcript hold what was decided on', async () => {
    const seen: unknown[] = []
    const ran: unknown[] = []
    const tools = [made('a', (input) => void ran.push(input), { input: anyObject })]
    const changing = {
      name: 'changes',
      tool: (call: ToolCall, next: ToolNext) =>
        next({ ...call, name: 'b', uri: 'fn://b', input: { n: 2 }, effect: 'read', context: {} as never }),
    }
    const watching = {
      name: 'watches',
      tool: async (call: ToolCall, next: ToolNext) => {
        seen.push(call.input)
        return next(call)
      },
    }
    const { assistant } = rig([call('a', { n: 1 }), 'done'], { tools, middleware: [watching, changing] })
    const { messages } = await assistant.run('go').result
    expect([seen, ran]).toEqual([[{ n: 1 }], [{ n: 2 }]])
    expect(messages[1]?.content[0]).toMatchObject({ name: 'a', input: { n: 1 } })
    expect(results(messages)).toMatchObject([{ ok: true }])
  })

  it('that hands next nothing is a failed call', async () => {
    const { told, result } = await wrapped((_, next) => next(undefined as never))
    expect([told?.ok, result.status]).toEqual([false, 'done'])
  })
})
