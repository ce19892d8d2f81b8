// What is left of a run that nobody runs any more, cut off after each of its events.
import { describe, expect, it } from 'vitest'
import { lostHistory } from '../../src/journal/lost-history.ts'
import { agent } from '../../src/index.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { openCalls, repairTranscript } from '../../src/message/transcript.ts'
import type { Message } from '../../src/message/part.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { tool } from '../../src/tool/define.ts'

const echo = tool({ name: 'echo', description: 'Echoes', effect: 'read', execute: (_, { callId }) => `echo ${callId}` })
const ask = tool({ name: 'ask', description: 'Asks first', approval: true, execute: () => 'approved' })
const turns = [
  ['I look', { calls: [{ name: 'echo' }, { name: 'nothing' }, { name: 'echo', raw: '{' }] }],
  ['and ask', { calls: [{ name: 'echo' }, { name: 'ask' }] }],
  { calls: [{ name: 'echo' }] },
  'done',
] as const

const user: Message = { role: 'user', content: [{ type: 'text', text: 'go' }] }

async function eventsOf(run: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

/** Whether each call has one result, as a provider wants it. */
const isValid = (messages: readonly Message[]): boolean => repairTranscript(messages).repairs.length === 0

describe('lostHistory()', () => {
  it('gives a valid transcript wherever the run was cut, and whole steps as the run itself had them', async () => {
    const assistant = agent({ model: scriptedModel(turns), tools: [echo, ask] })
    const first = assistant.run([user])
    const before = await eventsOf(first)
    const suspended = await first.result
    for (let cut = 0; cut < before.length; cut++) {
      const { messages } = lostHistory([user], before.slice(0, cut), 'The run was interrupted')
      expect([cut, isValid(messages)]).toEqual([cut, true])
      const whole = before.slice(0, cut).filter(({ type }) => type === 'step-end').length
      expect(messages.slice(0, 1 + 2 * whole)).toEqual(suspended.messages.slice(0, 1 + 2 * whole))
    }
    const second = await assistant.resume(suspended.snapshot, [
      { callId: suspended.pending[0]!.callId, decision: 'approve' },
    ])
    const after = await eventsOf(second)
    const { messages: wanted } = await second.result
    for (let cut = 0; cut <= after.length; cut++) {
      const { messages, lost } = lostHistory(suspended.messages, after.slice(0, cut), 'The run was interrupted')
      expect([cut, isValid(messages)]).toEqual([cut, true])
      expect(
        messages
          .flatMap(({ content }) => content)
          .some((part) => part.type === 'tool-result' && part.reason === 'pending'),
      ).toBe(false)
      for (const { reason } of lost) expect(['aborted', 'unknown-outcome']).toContain(reason)
    }
    expect(lostHistory(suspended.messages, after, 'x').messages).toEqual(wanted)
  })

  it('tells a call that had started from one that had not', async () => {
    const assistant = agent({ model: scriptedModel(turns), tools: [echo, ask] })
    const events = await eventsOf(assistant.run([user]))
    const started = events.findIndex(({ type }) => type === 'tool-start')
    const reasons = (cut: number) =>
      lostHistory([user], events.slice(0, cut), 'Cut').lost.map(({ callId, reason }) => [callId, reason])
    expect(reasons(started)).toEqual([
      ['call_1', 'aborted'],
      ['call_2', 'aborted'],
      ['call_3', 'aborted'],
    ])
    expect(reasons(started + 1)[0]).toEqual(['call_1', 'unknown-outcome'])
  })

  it('answers the calls of a suspended run that is stopped', async () => {
    const assistant = agent({ model: scriptedModel(turns), tools: [echo, ask] })
    const { messages, pending } = await assistant.run([user]).result
    const stopped = lostHistory(messages, [], 'The run was stopped')
    expect(stopped.lost.map(({ callId, reason }) => [callId, reason])).toEqual([[pending[0]!.callId, 'aborted']])
    const calls = openCalls(stopped.messages.at(-2)!)
    expect(stopped.messages.at(-1)!.content.map((part) => part.type === 'tool-result' && part.callId)).toEqual(
      calls.map(({ callId }) => callId),
    )
  })

  it('leaves out what came from a sub-agent', () => {
    const inner: RunEvent = {
      type: 'tool-call',
      step: 1,
      callId: 'inner',
      name: 'x',
      input: {},
      seq: 1,
      at: 0,
      run: 'r',
      path: ['outer'],
    }
    expect(lostHistory([user], [inner], 'Cut')).toEqual({ messages: [user], lost: [] })
  })
})
