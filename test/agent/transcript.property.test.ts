// Whatever a model says, tools do and people decide: the transcript stays valid and the run ends as it says.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import type { Agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Answer, Decision } from '../../src/message/decision.ts'
import type { Message } from '../../src/message/part.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedItem, ScriptedTurn } from '../../src/model/scripted-model.ts'
import type { Run, RunResult } from '../../src/run/run.ts'
import type { Snapshot } from '../../src/run/snapshot.ts'
import { kit } from '../../src/testing/kit.ts'
import type { Kit } from '../../src/testing/kit.ts'
import { fatal } from '../../src/tool/fatal.ts'
import { tool } from '../../src/tool/define.ts'

const runs = process.env['SAMELOOP_LONG'] === '1' ? 3000 : 150

const call = fc.record({
  name: fc.constantFrom('quick', 'slow', 'broken', 'asks', 'client', 'deadly', 'nope', '__proto__'),
  raw: fc.constantFrom('{}', '{"a":1}', '{"a":', '', '[]', 'null'),
  callId: fc.constantFrom('x', 'y', null, undefined),
})
const item: fc.Arbitrary<ScriptedItem> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<ScriptedItem>('hello', { wait: 20 }, { reasoning: 'hm' }) },
  { weight: 3, arbitrary: fc.array(call, { maxLength: 4 }).map((calls) => ({ calls })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<ScriptedItem>(
      { error: { code: 'model-connection', message: 'gone', retryable: true } },
      { error: { code: 'model-request', message: 'no' } },
      { finish: 'length' },
      { finish: 'refusal' },
    ),
  },
)
const script = fc.array(fc.array(item, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }) as fc.Arbitrary<
  ScriptedTurn[]
>

function expectValid(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const calls =
      message.role === 'assistant'
        ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
        : []
    const next = messages[index + 1]
    if (message.role === 'tool') expect(messages[index - 1]?.role).toBe('assistant')
    if (calls.length === 0) return
    expect(next?.role).toBe('tool')
    expect(next?.content.map((part) => (part.type === 'tool-result' ? part.callId : part.type))).toEqual(calls)
  })
  const ids = messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])),
  )
  expect(new Set(ids).size).toBe(ids.length)
}

function expectEvents(events: readonly RunEvent[], pending: ReadonlySet<string>): void {
  expect(events.at(-1)?.type).toBe('run-end')
  expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1)
  const called = events.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []))
  for (const callId of called) {
    const ends = events.filter((event) => event.type === 'tool-end' && event.callId === callId).length
    expect(ends, callId).toBe(pending.has(callId) ? 0 : 1)
  }
  events.forEach(({ seq }, index) => expect(seq).toBeGreaterThan(events[index - 1]?.seq ?? 0))
}

interface World {
  readonly assistant: Agent
  readonly world: Kit
  /** How often each approved call ran, by call id. */
  readonly ran: Map<string, number>
}

function setUp(turns: readonly ScriptedTurn[], approve: () => Answer | undefined): World {
  const world = kit(webHost)
  const ran = new Map<string, number>()
  const tools = [
    tool({ name: 'quick', description: 'Quick.', effect: 'read', execute: () => 'done' }),
    tool({
      name: 'slow',
      description: 'Slow.',
      timeoutMs: 25,
      execute: async (_, { rawInput }) => (await world.sleep('a' in (rawInput as object) ? 10 : 50), 'slow'),
    }),
    tool({ name: 'broken', description: 'Broken.', execute: async () => Promise.reject(new Error('no')) }),
    tool({
      name: 'asks',
      description: 'Asks.',
      approval: true,
      execute: (_, { callId }) => {
        ran.set(callId, (ran.get(callId) ?? 0) + 1)
        return 'approved'
      },
    }),
    tool({ name: 'client', description: 'Client.' }),
    tool({
      name: 'deadly',
      description: 'Deadly.',
      execute: () => {
        throw fatal('end')
      },
    }),
  ]
  const model = scriptedModel(turns, { chunk: 2 })
  return { world, ran, assistant: agent({ model, env: { host: world.host }, tools, approve }) }
}

/** Reads a run to its end and checks all that must hold whatever happened. */
async function expectSound(run: Run, { world }: World): Promise<RunResult> {
  const events: RunEvent[] = []
  for await (const event of run) {
    world.clock.touch()
    events.push(event)
  }
  const result = await run.result
  expectValid(result.messages)
  const results = result.messages.flatMap(({ content }) => content)
  const open = results.flatMap((part) =>
    part.type === 'tool-result' && part.reason === 'pending' ? [part.callId] : [],
  )
  expectEvents(events, new Set(open))
  expect(result.pending.length > 0).toBe(result.status === 'suspended')
  expect(JSON.parse(JSON.stringify(result.snapshot)).seq).toBe(events.at(-1)?.seq)
  return result
}

describe('agent()', () => {
  it('keeps the transcript valid for any script, abort and decision', async () => {
    const answers = fc.constantFrom<Answer | undefined>(
      'approve',
      'deny',
      'defer',
      'approve-session',
      'deny-always',
      undefined,
    )
    const abortTimes = fc.option(fc.integer({ min: 0, max: 60 }))
    await fc.assert(
      fc.asyncProperty(script, answers, abortTimes, async (turns, answer, abortAt) => {
        const made = setUp(turns, () => answer)
        const run = made.assistant.run('go')
        if (abortAt !== null) made.world.host.timer(abortAt, () => run.abort())
        await expectSound(run, made)
        made.world.clock.stop()
      }),
      { numRuns: runs },
    )
  }, 600_000)

  it('keeps it valid over any number of resumes, and runs an approved call once', async () => {
    const word = fc.constantFrom('approve', 'deny', 'skip', 'result')
    await fc.assert(
      fc.asyncProperty(script, fc.array(word, { minLength: 12, maxLength: 12 }), async (turns, words) => {
        const made = setUp(turns, () => 'defer')
        let result = await expectSound(made.assistant.run('go'), made)
        for (let round = 0; round < 6 && result.status === 'suspended'; round++) {
          const snapshot = JSON.parse(JSON.stringify(result.snapshot)) as Snapshot
          const decisions = snapshot.pending.flatMap(({ callId, wants }, index): Decision[] => {
            const choice = words[(round * 2 + index) % words.length]
            if (choice === 'skip') return []
            if (choice === 'deny') return [{ callId, decision: 'deny' }]
            return [wants === 'result' ? { callId, result: 'from the client' } : { callId, decision: 'approve' }]
          })
          result = await expectSound(await made.assistant.resume(snapshot, decisions), made)
          await expect(made.assistant.resume(snapshot, decisions)).rejects.toMatchObject({ code: 'run-snapshot-used' })
        }
        expect([...made.ran.values()].every((count) => count === 1)).toBe(true)
        made.world.clock.stop()
      }),
      { numRuns: runs },
    )
  }, 600_000)
})
