// Guarantees about limits and the ways a run ends.
import type { Scenario } from '../kit.ts'
import { add, cast, checkTranscript, echo, lastResults, play } from './cast.ts'

const say = (text: string): { calls: { name: string; input: { text: string } }[] } => ({
  calls: [{ name: 'echo', input: { text } }],
})

export const limitScenarios: readonly Scenario[] = [
  {
    name: 'the step limit stops before the next model call and keeps all work',
    run: async (kit) => {
      const turns = [1, 2, 3, 4].map((value) => say(String(value)))
      const actors = cast(kit, turns, { tools: [echo], limits: { steps: 3 } })
      const { result } = await play(kit, actors)
      kit.equal([result.status, result.stop, actors.model.requests.length], ['stopped', 'steps', 3])
      checkTranscript(kit, result.messages)
      const run = await actors.assistant.resume(result.snapshot, [], { limits: { steps: 4 } })
      kit.equal((await run.result).steps, 4)
    },
  },
  {
    name: 'with finalAnswer the model says one last thing without tools',
    run: async (kit) => {
      const actors = cast(kit, [say('a'), 'the best I have'], {
        tools: [echo],
        limits: { steps: 1 },
        finalAnswer: true,
      })
      const { result } = await play(kit, actors)
      kit.equal([result.status, result.stop, result.text], ['stopped', 'steps', 'the best I have'])
      kit.equal(actors.model.requests[1]?.settings.toolChoice, 'none')
    },
  },
  {
    name: 'surplus tool calls are answered with the limit and the run stops before the next model call',
    run: async (kit) => {
      const calls = [1, 2, 3].map((value) => ({ name: 'echo', input: { text: String(value) } }))
      const { result } = await play(kit, cast(kit, [{ calls }, 'x'], { tools: [echo], limits: { toolCalls: 2 } }))
      kit.equal(
        [result.stop, lastResults(result.messages).map(({ reason }) => reason ?? 'ran')],
        ['tool-calls', ['ran', 'ran', 'limit']],
      )
      const named = await play(
        kit,
        cast(kit, [{ calls: [...calls, { name: 'add', input: { a: 1, b: 1 } }] }], {
          tools: [echo, add],
          limits: { toolCalls: { echo: 1, constructor: 0 } },
        }),
      )
      kit.equal(
        lastResults(named.result.messages).map(({ reason }) => reason ?? 'ran'),
        ['ran', 'limit', 'limit', 'ran'],
      )
    },
  },
  {
    name: 'token, cost and time limits stop before the next model call',
    run: async (kit) => {
      const usage = { usage: { input: 100, output: 20, costUsd: 0.5 } } as const
      for (const [limits, stop] of [
        [{ tokens: 200 }, 'tokens'],
        [{ costUsd: 0.9 }, 'cost'],
        [{ milliseconds: 15 }, 'time'],
      ] as const) {
        const turns = [1, 2, 3].map((value) => [{ wait: 10 }, usage, say(String(value))] as const)
        const { result } = await play(kit, cast(kit, turns, { tools: [echo], limits }))
        kit.equal([result.status, result.stop, result.steps], ['stopped', stop, 2])
      }
    },
  },
  {
    name: 'usage adds up, and what nobody counted stays unknown',
    run: async (kit) => {
      const { result } = await play(
        kit,
        cast(
          kit,
          [
            [{ usage: { input: 5, output: 1 } }, say('x')],
            [{ usage: { input: 7, output: 2, cacheRead: 4 } }, 'ok'],
          ],
          { tools: [echo] },
        ),
      )
      kit.equal(result.usage, { input: 12, output: 3, cacheRead: 4 })
      kit.equal('reasoning' in result.usage, false)
      const mixed = await play(
        kit,
        cast(
          kit,
          [
            [{ usage: { total: 10 } }, say('x')],
            [{ usage: { input: 100, output: 50 } }, 'ok'],
          ],
          { tools: [echo] },
        ),
      )
      kit.equal(mixed.result.usage.total, 160)
    },
  },
  {
    name: 'every finish reason has its stop, and an unknown one is warned about',
    run: async (kit) => {
      const ends = [
        ['stop', 'done', 'end'],
        ['length', 'stopped', 'output-limit'],
        ['content-filter', 'stopped', 'content-filter'],
        ['refusal', 'stopped', 'refusal'],
        ['stop-sequence', 'done', 'stop-sequence'],
        ['unknown', 'done', 'end'],
      ] as const
      for (const [finish, status, stop] of ends) {
        const { result, events } = await play(kit, cast(kit, [['Hi', { finish, rawReason: 'raw' }]]))
        kit.equal([result.status, result.stop, result.text], [status, stop, 'Hi'])
        kit.equal(
          events.some((event) => event.type === 'warning' && event.code === 'unknown-finish-reason'),
          finish === 'unknown',
        )
      }
    },
  },
  {
    name: 'calls of a refused answer are not run',
    run: async (kit) => {
      const { result } = await play(kit, cast(kit, [[say('x'), { finish: 'refusal' }]], { tools: [echo] }))
      kit.equal([result.stop, lastResults(result.messages)[0]?.reason], ['refusal', 'aborted'])
    },
  },
  {
    name: 'stopWhen ends the run with stop custom',
    run: async (kit) => {
      const { result } = await play(
        kit,
        cast(kit, [say('a'), say('b'), 'x'], { tools: [echo], stopWhen: ({ step }) => step === 2 }),
      )
      kit.equal([result.status, result.stop, result.steps], ['stopped', 'custom', 2])
    },
  },
]
