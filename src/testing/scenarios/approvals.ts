// Guarantees about asking people, suspending and resuming.
import type { Answer } from '../../message/decision.ts'
import { jsonSchema } from '../../schema/check.ts'
import { tool } from '../../tool/define.ts'
import type { Scenario } from '../kit.ts'
import { amount, cast, checkTranscript, echo, lastResults, pay, play, resumed, stored } from './cast.ts'

export const approvalScenarios: readonly Scenario[] = [
  {
    name: 'of two calls of which one is denied the other runs, and both are answered in call order',
    run: async (kit) => {
      const calls = [amount(1), { name: 'echo', input: { text: 'free' } }]
      const approve = (): Answer => ({ decision: 'deny', reason: 'too dear' })
      const { result } = await play(kit, cast(kit, [{ calls }, 'ok'], { tools: [pay(kit), echo], approve }))
      const [denied, free] = lastResults(result.messages)
      kit.equal([denied?.reason, free?.text], ['denied', 'free'])
      kit.includes(denied?.text ?? '', 'too dear')
    },
  },
  {
    name: 'a decision made in the reading loop needs no waiting time',
    run: async (kit) => {
      const { assistant } = cast(kit, [{ calls: [amount(5)] }, 'paid it'], { tools: [pay(kit)] })
      const run = assistant.run('go')
      for await (const event of run) {
        kit.clock.touch()
        if (event.type !== 'approval-request') continue
        await kit.sleep(10_000)
        run.decide({ callId: event.callId, decision: 'approve' })
      }
      kit.equal(await run.text, 'paid it')
    },
  },
  {
    name: 'an unanswered request suspends the run once the free calls are done',
    run: async (kit) => {
      const calls = [amount(5), { name: 'echo', input: { text: 'free' } }]
      const { result } = await play(kit, cast(kit, [{ calls }], { tools: [pay(kit), echo] }))
      kit.equal([result.status, result.stop, result.pending.length], ['suspended', 'approval', 1])
      kit.equal(
        lastResults(result.messages).map(({ ok, reason }) => reason ?? ok),
        ['pending', true],
      )
      checkTranscript(kit, result.messages)
    },
  },
  {
    name: 'a suspended run resumes with its id and step, runs what was decided, and goes on counting',
    run: async (kit) => {
      const actors = cast(kit, [{ calls: [amount(5), { name: 'echo', input: { text: 'free' } }] }, 'done'], {
        tools: [pay(kit), echo],
      })
      const { result, events } = await play(kit, actors)
      const after = await resumed(kit, actors, stored(result.snapshot), [{ callId: 'call_1', decision: 'approve' }])
      kit.equal([after.status, after.text, after.steps], ['done', 'done', 2])
      kit.equal(
        lastResults(after.messages).map(({ text }) => text),
        ['paid 5', 'free'],
      )
      kit.check(after.snapshot.seq > (events.at(-1)?.seq ?? Infinity), 'seq goes on')
      kit.equal(after.snapshot.run, result.snapshot.run)
    },
  },
  {
    name: 'a run in which some calls stay open suspends again without asking the model',
    run: async (kit) => {
      const actors = cast(kit, [{ calls: [amount(1), amount(2)] }, 'done'], { tools: [pay(kit)] })
      const { result } = await play(kit, actors)
      const once = await resumed(kit, actors, stored(result.snapshot), [{ callId: 'call_2', decision: 'approve' }])
      kit.equal(
        [once.status, once.pending.map(({ callId }) => callId), actors.model.requests.length],
        ['suspended', ['call_1'], 1],
      )
      const twice = await resumed(kit, actors, stored(once.snapshot), [{ callId: 'call_1', decision: 'deny' }])
      kit.equal(
        [twice.status, lastResults(twice.messages).map(({ reason, text }) => reason ?? text)],
        ['done', ['denied', 'paid 2']],
      )
    },
  },
  {
    name: 'a decision for a call never made is refused, and the same decision twice gives the settled state',
    run: async (kit) => {
      const { assistant } = cast(kit, [{ calls: [amount(5)] }, 'ok'], { tools: [pay(kit)], approvalWaitMs: Infinity })
      const run = assistant.run('go')
      for await (const event of run) {
        kit.clock.touch()
        if (event.type !== 'approval-request') continue
        await kit.throws(() => run.decide({ callId: 'forged', decision: 'approve' }), 'run-unknown-call')
        await kit.throws(() => run.decide({ callId: 'call_1', decision: 'maybe' as 'approve' }), 'run-invalid-decision')
        const first = run.decide({ callId: 'call_1', decision: 'deny', reason: 'no' })
        kit.equal(run.decide({ callId: 'call_1', decision: 'approve' }), first)
      }
      kit.equal(lastResults((await run.result).messages)[0]?.reason, 'denied')
    },
  },
  {
    name: 'deciding a suspended run names resume',
    run: async (kit) => {
      const { assistant } = cast(kit, [{ calls: [amount(5)] }], { tools: [pay(kit)] })
      const run = assistant.run('go')
      await run.result
      await kit.throws(() => run.decide({ callId: 'call_1', decision: 'approve' }), 'run-suspended')
      await kit.throws(() => run.decide({ callId: 'other', decision: 'approve' }), 'run-unknown-call')
      await kit.throws(() => run.text, 'run-not-done')
    },
  },
  {
    name: 'approve-session covers the exact input, or what approvalScope says, and deny-always the whole tool',
    run: async (kit) => {
      const asked: unknown[] = []
      const approve = (request: { readonly name: string; readonly input: unknown }): Answer => {
        asked.push([request.name, request.input])
        return request.name === 'block' ? 'deny-always' : 'approve-session'
      }
      const wide = pay(kit, { name: 'wide', approvalScope: () => 'any amount', repeatable: true })
      const block = pay(kit, { name: 'block' })
      const exact = pay(kit, { repeatable: true })
      const turn = (value: number) => ({
        calls: ['pay', 'wide', 'block'].map((name) => ({ name, input: { amount: value } })),
      })
      const actors = cast(kit, [turn(1), turn(1), turn(2), 'ok'], { tools: [exact, wide, block], approve })
      const { result } = await play(kit, actors)
      kit.equal(asked, [
        ['pay', { amount: 1 }],
        ['wide', { amount: 1 }],
        ['block', { amount: 1 }],
        ['pay', { amount: 2 }],
      ])
      kit.equal(
        lastResults(result.messages).map(({ ok }) => ok),
        [true, true, false],
      )
    },
  },
  {
    name: 'session grants hold for the session and never for the agent',
    run: async (kit) => {
      let asked = 0
      const approve = (): Answer => (asked++, 'approve-session')
      const turns = [1, 2, 3].flatMap(() => [{ calls: [amount(1)] }, 'ok'])
      const { assistant } = cast(kit, turns, { tools: [pay(kit)], approve })
      for (const session of ['ann', 'ann', 'bob']) await assistant.run('go', { session }).result
      kit.equal(asked, 2)
    },
  },
  {
    name: 'identical requests merge into one question',
    run: async (kit) => {
      let asked = 0
      const approve = (): Answer => (asked++, 'approve')
      const { result } = await play(
        kit,
        cast(kit, [{ calls: [amount(7), amount(7), amount(8)] }, 'ok'], { tools: [pay(kit)], approve }),
      )
      kit.equal(asked, 2)
      kit.equal(
        lastResults(result.messages).map(({ text }) => text),
        ['paid 7', 'paid 7', 'paid 8'],
      )
    },
  },
  {
    name: 'merged requests that suspend are decided together',
    run: async (kit) => {
      const actors = cast(kit, [{ calls: [amount(7), amount(7)] }, 'ok'], { tools: [pay(kit)] })
      const { result } = await play(kit, actors)
      kit.equal(result.pending.length, 1)
      const after = await resumed(kit, actors, stored(result.snapshot), [{ callId: 'call_1', decision: 'approve' }])
      kit.equal(
        lastResults(after.messages).map(({ text }) => text),
        ['paid 7', 'paid 7'],
      )
    },
  },
  {
    name: 'an edited input is validated again, and what was approved is what runs',
    run: async (kit) => {
      const { assistant } = cast(kit, [{ calls: [amount(100)] }, 'ok'], { tools: [pay(kit)], approvalWaitMs: Infinity })
      const run = assistant.run('go')
      for await (const event of run) {
        kit.clock.touch()
        if (event.type === 'tool-start') kit.note('started', event.callId)
        if (event.type !== 'approval-request') continue
        await kit.throws(
          () => run.decide({ callId: 'call_1', decision: 'edit', input: { amount: 'lots' } }),
          'run-invalid-decision',
        )
        await kit.throws(() => run.decide({ callId: 'call_1', decision: 'edit' }), 'run-invalid-decision')
        kit.equal(run.decide({ callId: 'call_1', decision: 'edit', input: { amount: '3' } }), {
          callId: 'call_1',
          decision: 'edit',
          input: { amount: 3 },
        })
      }
      kit.equal(lastResults((await run.result).messages)[0]?.text, 'paid 3')
    },
  },
  {
    name: 'an approve that throws or defers leaves the request open',
    run: async (kit) => {
      const approve = (request: { readonly callId: string }): Answer => {
        if (request.callId === 'call_1') throw new Error('no signal')
        return 'defer'
      }
      const { result, events } = await play(
        kit,
        cast(kit, [{ calls: [amount(1), amount(2)] }], { tools: [pay(kit)], approve }),
      )
      kit.equal([result.status, result.pending.length], ['suspended', 2])
      kit.check(
        events.some((event) => event.type === 'observer-error' && event.observer === 'approve'),
        'the throw is reported',
      )
    },
  },
  {
    name: 'a slow approve counts as work, so the run does not suspend',
    run: async (kit) => {
      const approve = async (): Promise<Answer> => {
        await kit.sleep(60_000)
        return 'approve'
      }
      const { result } = await play(kit, cast(kit, [{ calls: [amount(1)] }, 'ok'], { tools: [pay(kit)], approve }))
      kit.equal(result.status, 'done')
    },
  },
  {
    name: 'a client-side tool waits for its result, which is checked like any other',
    run: async (kit) => {
      const output = jsonSchema<{ city: string }>({
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      })
      const where = tool({ name: 'where', description: 'Where the user is.', output })
      const actors = cast(kit, [{ calls: [{ name: 'where' }, { name: 'where', callId: 'second' }] }, 'ok'], {
        tools: [where],
      })
      const { result } = await play(kit, actors)
      kit.equal(
        [result.status, result.stop, result.pending.map(({ wants }) => wants)],
        ['suspended', 'client-tool', ['result', 'result']],
      )
      await kit.throws(
        () => actors.assistant.resume(result.snapshot, [{ callId: 'second', decision: 'approve' }]),
        'run-invalid-decision',
      )
      const after = await resumed(kit, actors, stored(result.snapshot), [
        { callId: 'call_1', result: { city: 'Tokyo' } },
        { callId: 'second', result: { town: 'Tokyo' } },
      ])
      kit.equal(
        lastResults(after.messages).map(({ reason, text }) => reason ?? text),
        ['{"city":"Tokyo"}', 'invalid-output'],
      )
    },
  },
]
