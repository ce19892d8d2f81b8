// Guarantees about agents as tools of other agents.
import { scriptedModel } from '../../model/scripted-model.ts'
import { agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/options.ts'
import type { ScriptedTurn } from '../../model/scripted-model.ts'
import { policy } from '../../policy/policy.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Kit, Scenario } from '../kit.ts'
import { amount, cast, checkTranscript, echo, lastResults, pay, play, resumed, stored, wait } from './cast.ts'

function helper(turns: readonly ScriptedTurn[], options: Partial<AgentOptions>): Tool {
  return agent({ model: scriptedModel(turns, { chunk: 7 }), ...options }).asTool({
    name: 'helper',
    description: 'Helps.',
  })
}

const ask = { calls: [{ name: 'helper', input: { task: 'help me' } }] }

/** An outer agent over an inner one that may pay. */
const payers = (kit: Kit, outer: readonly ScriptedTurn[], inner: readonly ScriptedTurn[]): ReturnType<typeof cast> =>
  cast(kit, outer, { tools: [helper(inner, { tools: [pay(kit), echo] })] })

export const subAgentScenarios: readonly Scenario[] = [
  {
    name: 'an agent is a tool: its events are nested by path, its usage is summed, its text is the result',
    run: async (kit) => {
      const inner = [
        [
          {
            calls: [
              { name: 'echo', input: { text: 'a' } },
              { name: 'wait', input: { ms: 10 } },
            ],
          },
          { usage: { total: 5 } },
        ],
        ['found it', { usage: { total: 7 } }],
      ] as never
      const actors = cast(kit, [[ask, { usage: { total: 1 } }] as never, 'done'], {
        tools: [helper(inner, { tools: [echo, wait(kit)] }), echo],
      })
      const { events, result } = await play(kit, actors)
      kit.equal(lastResults(result.messages), [{ ok: true, reason: undefined, text: 'found it' }])
      kit.equal([result.status, result.usage.total], ['done', 13])
      kit.equal(events.filter(({ type, path }) => type === 'run-end' || (type === 'tool-end' && path)).length, 3)
    },
  },
  {
    name: 'a question of a sub-agent suspends the whole, and the decision reaches it in another program',
    run: async (kit) => {
      const first = payers(kit, [ask], [{ calls: [amount(5), { name: 'echo', input: { text: 'b' } }] }])
      const { result } = await play(kit, first)
      kit.equal(
        result.pending.map(({ callId, path }) => [callId, path]),
        [['call_1/call_1', ['call_1']]],
      )
      kit.equal(lastResults(result.messages)[0]?.reason, 'pending')
      const second = payers(kit, ['all done'], ['paid it'])
      const decision = { callId: 'call_1/call_1', decision: 'edit', input: { amount: '7' } } as const
      const after = await resumed(kit, second, stored(result.snapshot), [decision])
      checkTranscript(kit, after.messages)
      kit.equal([after.status, lastResults(after.messages)[0]?.text], ['done', 'paid it'])
      kit.check(
        kit.lines().some((line) => line.includes('paid') && line.includes('7') && !line.includes('"5"')),
        'the edited amount was paid',
      )
    },
  },
  {
    name: 'a sub-agent is narrowed by the policy of the agent above it, and ends with it',
    run: async (kit) => {
      const inner = [{ calls: [{ name: 'echo', input: { text: 'x' } }] }, 'refused']
      const actors = cast(kit, [ask, 'done'], {
        tools: [helper(inner, { tools: [echo] })],
        policy: policy({ tools: { deny: ['echo'] } }),
      })
      const { events } = await play(kit, actors)
      const end = events.find(({ type, path }) => type === 'tool-end' && path)
      kit.check(
        end?.type === 'tool-end' && !end.outcome.ok && end.outcome.reason === 'denied',
        'the inner call is denied',
      )
      const slow = [{ calls: [{ name: 'wait', input: { ms: 1000 } }] }]
      const { assistant } = cast(kit, [ask], { tools: [helper(slow, { tools: [wait(kit)] })] })
      const run = assistant.run('go')
      const tracing = kit.trace(run)
      await kit.sleep(10)
      run.abort()
      await tracing
      const result = await run.result
      kit.equal([result.status, lastResults(result.messages)[0]?.reason], ['aborted', 'aborted'])
    },
  },
]
