// Guarantees about a step as a whole: order, time, abort, identity of calls.
import type { RunEvent } from '../../message/event.ts'
import type { Message } from '../../message/part.ts'
import { tool } from '../../tool/define.ts'
import type { Scenario } from '../kit.ts'
import { add, cast, checkTranscript, echo, lastResults, noteResult, play, wait } from './cast.ts'

const ends = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'tool-end' ? [event.callId] : []))

export const stepScenarios: readonly Scenario[] = [
  {
    name: 'the same call twice in a step runs once and has one result',
    run: async (kit) => {
      let ran = 0
      const count = tool({ name: 'count', description: 'Counts.', execute: () => ++ran })
      const call = { name: 'count', callId: 'same' }
      const { result, events } = await play(kit, cast(kit, [{ calls: [call, call] }, 'ok'], { tools: [count] }))
      kit.equal(ran, 1)
      kit.equal(lastResults(result.messages).length, 1)
      kit.check(
        events.some((event) => event.type === 'warning' && event.code === 'duplicate-call'),
        'a warning',
      )
    },
  },
  {
    name: 'the same call twice runs once also where its id was used in an earlier step',
    run: async (kit) => {
      let ran = 0
      const count = tool({ name: 'count', description: 'Counts.', execute: () => ++ran })
      const call = { name: 'count', callId: 'same' }
      const { result } = await play(
        kit,
        cast(kit, [{ calls: [call] }, { calls: [call, call] }, 'ok'], { tools: [count] }),
      )
      kit.equal([ran, lastResults(result.messages).length], [2, 1])
      checkTranscript(kit, result.messages)
    },
  },
  {
    name: 'any other reuse of a call id, and a missing one, gets a fresh id',
    run: async (kit) => {
      const first = {
        calls: [
          { name: 'echo', input: { text: 'a' }, callId: 'x' },
          { name: 'echo', input: { text: 'b' }, callId: 'x' },
        ],
      }
      const second = {
        calls: [
          { name: 'echo', input: { text: 'c' }, callId: 'x' },
          { name: 'echo', input: { text: 'd' }, callId: null },
        ],
      }
      const { result, events } = await play(kit, cast(kit, [first, second, 'ok'], { tools: [echo] }))
      const ids = result.messages.flatMap((message) =>
        message.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])),
      )
      kit.equal(new Set(ids).size, 4)
      kit.equal(ids[0], 'x')
      kit.equal(events.filter((event) => event.type === 'warning' && event.code === 'call-id-replaced').length, 3)
      checkTranscript(kit, result.messages)
    },
  },
  {
    name: 'results are in call order, and each tool-end leaves as soon as its tool is done',
    run: async (kit) => {
      const calls = [30, 10, 20].map((ms) => ({ name: 'wait', input: { ms } }))
      const { result, events } = await play(kit, cast(kit, [{ calls }, 'ok'], { tools: [wait(kit)] }))
      kit.equal(ends(events), ['call_2', 'call_3', 'call_1'])
      kit.equal(
        lastResults(result.messages).map(({ text }) => text),
        ['waited 30', 'waited 10', 'waited 20'],
      )
    },
  },
  {
    name: 'no more tools run at once than the concurrency, and exclusive ones run alone',
    run: async (kit) => {
      const alone = wait(kit, { name: 'alone', mode: 'exclusive' })
      const calls = [
        { name: 'wait', input: { ms: 10, id: 'a' } },
        { name: 'wait', input: { ms: 10, id: 'b' } },
        { name: 'wait', input: { ms: 10, id: 'c' } },
        { name: 'alone', input: { ms: 5, id: 'alone' } },
        { name: 'wait', input: { ms: 5, id: 'd' } },
      ]
      const started = kit.clock.now()
      await play(kit, cast(kit, [{ calls }, 'ok'], { tools: [wait(kit), alone], concurrency: 2 }))
      kit.equal(kit.clock.now() - started, 30)
    },
  },
  {
    name: 'a tool that ignores its signal is left behind at its deadline, and its late result is reported',
    run: async (kit) => {
      const late: unknown[] = []
      const deaf = wait(kit, { name: 'deaf', timeoutMs: 30, effect: 'unsafe' })
      const script = [{ calls: [{ name: 'deaf', input: { ms: 100 } }] }, [{ wait: 200 }, 'ok'] as const]
      const { result, events } = await play(
        kit,
        cast(kit, script, {
          tools: [deaf],
          hooks: { onLateResult: (call, outcome) => late.push([call.callId, outcome.ok]) },
        }),
      )
      const [answer] = lastResults(result.messages)
      kit.equal(answer?.reason, 'timeout')
      kit.includes(answer?.text ?? '', 'may have had its effect')
      kit.check(
        events.some((event) => event.type === 'warning' && event.code === 'late-result'),
        'a warning while the run lives',
      )
      kit.equal(late, [['call_1', true]])
    },
  },
  {
    name: 'a late result after the run is told to the hook only',
    run: async (kit) => {
      const late: unknown[] = []
      const deaf = wait(kit, { name: 'deaf', timeoutMs: 30 })
      const { events } = await play(
        kit,
        cast(kit, [{ calls: [{ name: 'deaf', input: { ms: 100 } }] }, 'ok'], {
          tools: [deaf],
          hooks: { onLateResult: (call) => late.push(call.callId) },
        }),
      )
      kit.equal(events.at(-1)?.type, 'run-end')
      await kit.sleep(200)
      kit.equal(late, ['call_1'])
    },
  },
  {
    name: 'the signal of a tool aborts at its deadline',
    run: async (kit) => {
      const polite = tool({
        name: 'polite',
        description: 'Listens to its signal.',
        timeoutMs: 20,
        effect: 'read',
        execute: async (_, { signal }) => {
          await kit.sleep(1000, signal).catch(() => kit.note('stopped at', kit.clock.now()))
          return 'x'
        },
      })
      const { result } = await play(kit, cast(kit, [{ calls: [{ name: 'polite' }] }, 'ok'], { tools: [polite] }))
      kit.equal(lastResults(result.messages)[0]?.reason, 'timeout')
    },
  },
  {
    name: 'an abort while tools run keeps finished results and answers the others aborted',
    run: async (kit) => {
      const { assistant } = cast(
        kit,
        [
          {
            calls: [
              { name: 'wait', input: { ms: 10 } },
              { name: 'wait', input: { ms: 1000 } },
            ],
          },
        ],
        { tools: [wait(kit)] },
      )
      const run = assistant.run('go')
      kit.host.timer(50, () => run.abort('enough'))
      await kit.trace(run)
      const result = await run.result
      noteResult(kit, result)
      kit.equal([result.status, result.stop], ['aborted', 'aborted'])
      kit.equal(
        lastResults(result.messages).map(({ ok, reason }) => reason ?? ok),
        [true, 'aborted'],
      )
      checkTranscript(kit, result.messages)
    },
  },
  {
    name: 'an abort in the middle of an answer keeps what was said and needs no patience from the model',
    run: async (kit) => {
      const { assistant } = cast(kit, [['Half of ', { wait: 100 }, 'it']])
      const controller = new AbortController()
      const run = assistant.run('go', { signal: controller.signal })
      kit.host.timer(20, () => controller.abort('stop'))
      await kit.trace(run)
      const result = await run.result
      noteResult(kit, result)
      kit.equal([result.status, result.text], ['aborted', 'Half of '])
      kit.equal(result.messages.length, 2)
    },
  },
  {
    name: 'an aborted run resumes where it was',
    run: async (kit) => {
      const { assistant } = cast(kit, [{ calls: [{ name: 'wait', input: { ms: 500 } }] }, 'went on'], {
        tools: [wait(kit)],
      })
      const run = assistant.run('go')
      kit.host.timer(10, () => run.abort())
      await kit.trace(run)
      const { snapshot } = await run.result
      const again = await assistant.resume(snapshot)
      await kit.trace(again)
      const result = await again.result
      noteResult(kit, result)
      kit.equal([result.status, result.text, again.id === run.id], ['done', 'went on', true])
      checkTranscript(kit, result.messages)
    },
  },
  {
    name: 'history with unanswered calls, stray and doubled results is repaired and reported',
    run: async (kit) => {
      const call = (callId: string) => ({ type: 'tool-call', callId, name: 'echo', input: { text: callId } }) as const
      const given = (callId: string) =>
        ({ type: 'tool-result', callId, name: 'echo', ok: true, content: [{ type: 'text', text: callId }] }) as const
      const history: readonly Message[] = [
        { role: 'user', content: [{ type: 'text', text: 'one' }] },
        { role: 'assistant', content: [call('a'), call('b')] },
        { role: 'tool', content: [given('b')] },
        { role: 'tool', content: [given('b'), given('zzz')] },
        { role: 'assistant', content: [call('c')] },
        { role: 'user', content: [{ type: 'text', text: 'two' }] },
        { role: 'tool', content: [given('c')] },
      ]
      const actors = cast(kit, ['ok'], { tools: [echo] })
      const { result, events } = await play(kit, actors, history)
      checkTranscript(kit, actors.model.requests[0]?.messages ?? [])
      kit.check(
        events.filter((event) => event.type === 'warning' && event.code === 'history-repaired').length >= 3,
        'each repair is reported',
      )
      kit.equal(result.added.length, 1)
    },
  },
  {
    name: 'equal calls within one step are no repetition',
    run: async (kit) => {
      const calls = [1, 2, 3, 4].map(() => ({ name: 'add', input: { a: 1, b: 1 } }))
      const { result } = await play(kit, cast(kit, [{ calls }, 'ok'], { tools: [add] }))
      kit.equal(
        lastResults(result.messages).map(({ ok }) => ok),
        [true, true, true, true],
      )
    },
  },
  {
    name: 'the same call with the same result is warned at the third time and stops the run at the next',
    run: async (kit) => {
      let ran = 0
      const poke = tool({ name: 'poke', description: 'Pokes.', execute: () => (ran++, 'nothing') })
      const turns = Array.from({ length: 6 }, () => ({ calls: [{ name: 'poke' }] }))
      const { result } = await play(kit, cast(kit, turns, { tools: [poke] }))
      kit.equal([result.status, result.stop, ran, result.steps], ['stopped', 'repeated-calls', 2, 4])
      checkTranscript(kit, result.messages)
    },
  },
  {
    name: 'polling with changing results, and a repeatable tool, are no repetition',
    run: async (kit) => {
      let ran = 0
      const poll = tool({ name: 'poll', description: 'Polls.', effect: 'read', execute: () => ++ran })
      const same = tool({ name: 'same', description: 'Same.', effect: 'read', repeatable: true, execute: () => 'same' })
      const turns = Array.from({ length: 5 }, () => ({ calls: [{ name: 'poll' }, { name: 'same' }] }))
      const { result } = await play(kit, cast(kit, [...turns, 'ok'], { tools: [poll, same] }))
      kit.equal([result.status, ran], ['done', 5])
    },
  },
  {
    name: 'return-direct ends the run without a further model turn when all successful calls are',
    run: async (kit) => {
      const direct = tool({
        name: 'direct',
        description: 'Answers.',
        returnDirect: true,
        effect: 'read',
        execute: () => 'the answer',
      })
      const bad = tool({
        name: 'bad',
        description: 'Fails.',
        execute: () => {
          throw new Error('no')
        },
      })
      const { result } = await play(
        kit,
        cast(kit, [{ calls: [{ name: 'direct' }, { name: 'bad' }] }], { tools: [direct, bad] }),
      )
      kit.equal([result.status, result.stop, result.text, result.steps], ['done', 'return-direct', 'the answer', 1])
      const mixed = await play(
        kit,
        cast(kit, [{ calls: [{ name: 'direct' }, { name: 'echo', input: { text: 'x' } }] }, 'went on'], {
          tools: [direct, echo],
        }),
      )
      kit.equal([mixed.result.stop, mixed.result.text], ['end', 'went on'])
    },
  },
  {
    name: 'hooks that throw or reject are reported and the loop goes on',
    run: async (kit) => {
      const boom = (): never => {
        throw new Error('observer broke')
      }
      const hooks = { onToolStart: boom, onToolEnd: async () => boom(), onStep: boom, onModelRequest: boom }
      const { result, events } = await play(
        kit,
        cast(kit, [{ calls: [{ name: 'echo', input: { text: 'x' } }] }, 'ok'], { tools: [echo], hooks }),
      )
      kit.equal(result.status, 'done')
      const broken = new Set(events.flatMap((event) => (event.type === 'observer-error' ? [event.observer] : [])))
      kit.equal([...broken].sort(), ['onModelRequest', 'onStep', 'onToolEnd', 'onToolStart'])
    },
  },
  {
    name: 'hooks see the start and end of what ran, and not of what was denied or did not fit',
    run: async (kit) => {
      const seen: string[] = []
      const hooks = {
        onToolStart: (call: { callId: string }) => seen.push(`start ${call.callId}`),
        onToolEnd: (call: { callId: string }) => seen.push(`end ${call.callId}`),
      }
      const secret = tool({ name: 'secret', description: 'Secret.', approval: true, execute: () => 'x' })
      const calls = [{ name: 'echo', input: { text: 'x' } }, { name: 'echo', input: {} }, { name: 'secret' }]
      await play(kit, cast(kit, [{ calls }, 'ok'], { tools: [echo, secret], hooks, approve: () => 'deny' }))
      kit.equal(seen, ['start call_1', 'end call_1'])
    },
  },
]
