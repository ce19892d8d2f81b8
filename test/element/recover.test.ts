import { describe, expect, it } from 'vitest'
import { recoveredMessages } from '../../element/session/recover.ts'
import type { SavedChat } from '../../element/session/session.ts'
import { agent } from '../../src/index.ts'
import type { RunEvent } from '../../src/message/event.ts'
import type { Message, Part } from '../../src/message/part.ts'
import { messageText } from '../../src/message/text.ts'
import { repairTranscript } from '../../src/message/transcript.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { Run } from '../../src/run/run.ts'
import { tool } from '../../src/tool/define.ts'
import { parts, runRecords } from './events.ts'

const user: Message = { role: 'user', content: [{ type: 'text', text: 'go' }] }

const saved = (records: SavedChat['records'], messages: SavedChat['messages'] = [user]): SavedChat => ({
  version: 1,
  id: 's',
  records,
  messages,
  running: true,
})

const eventRecords = (events: readonly RunEvent[]): SavedChat['records'] =>
  events.map((event) => ({ type: 'event', event }))

const partsOf = (messages: readonly Message[]): readonly Part[] => messages.flatMap(({ content }) => content)

const end = (callId: string) =>
  ({
    type: 'tool-end',
    step: 1,
    callId,
    name: 'write',
    durationMs: 1,
    outcome: { ok: true, parts: parts('fine'), final: false },
  }) as const

describe('recoveredMessages()', () => {
  it('adds what was said and called in a step that was cut off, and says what is known of each call', () => {
    const call = (callId: string) => ({ type: 'tool-call', step: 1, callId, name: 'write', input: {} }) as const
    const records = runRecords('r', [
      { type: 'run-start' },
      { type: 'step-start', step: 1 },
      { type: 'text-delta', step: 1, id: 't', delta: 'I write' },
      ...['c1', 'c2', 'c3'].map(call),
      { type: 'tool-start', step: 1, callId: 'c1', name: 'write', attempt: 1 },
      { type: 'tool-start', step: 1, callId: 'c2', name: 'write', attempt: 1 },
      end('c1'),
    ])
    const [, said, results] = recoveredMessages(saved(records))
    expect(said).toMatchObject({ role: 'assistant', content: [{ text: 'I write' }, { callId: 'c1' }, {}, {}] })
    expect(results?.content).toMatchObject([
      { callId: 'c1', ok: true, content: parts('fine') },
      { callId: 'c2', ok: false, reason: 'unknown-outcome' },
      { callId: 'c3', ok: false, reason: 'aborted' },
    ])
  })

  it('drops half of an answer', () => {
    const records = runRecords('r', [
      { type: 'run-start' },
      { type: 'step-start', step: 1 },
      { type: 'text-delta', step: 1, id: 't', delta: 'Half of' },
    ])
    expect(recoveredMessages(saved(records))).toEqual([user])
  })

  it('puts a result in the place of the pending one, also where later steps were saved', () => {
    const reopened: readonly Message[] = [
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'c1', name: 'write', input: {} }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', callId: 'c1', name: 'write', ok: false, reason: 'pending', content: [] }],
      },
    ]
    const next: readonly Message[] = [
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'c2', name: 'write', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', callId: 'c2', name: 'write', ok: true, content: [] }] },
    ]
    const records = runRecords('r', [
      { type: 'run-start', resumed: true },
      end('c1'),
      { type: 'step-end', step: 1, finish: 'tool-calls', usage: {} },
      { type: 'step-start', step: 2 },
      { type: 'tool-call', step: 2, callId: 'c2', name: 'write', input: {} },
    ])
    const result = { type: 'tool-result', callId: 'c1', name: 'write', ok: true, content: parts('fine') }
    expect(recoveredMessages(saved(records, reopened))[1]?.content).toEqual([result])
    const messages = recoveredMessages(saved(records, [...reopened, ...next]))
    expect(messages[1]?.content).toEqual([result])
    expect(messages.slice(2)).toEqual(next)
  })

  it('leaves a conversation that was at rest as it is', () => {
    expect(recoveredMessages({ ...saved([], [user]), running: false })).toEqual([user])
  })

  it('gives each call and each finished answer once, wherever the events and the messages were cut', async () => {
    const kept: (readonly Message[])[] = [[user]]
    const echo = tool({ name: 'echo', description: 'Echoes', effect: 'read', execute: () => 'echo' })
    const model = scriptedModel([
      ['same', { calls: [{ name: 'echo' }] }],
      ['same', { calls: [{ name: 'echo' }, { name: 'nothing' }] }],
      'an answer',
      'the end',
    ])
    const hooks = { onStep: (_: number, added: readonly Message[]) => void kept.push([user, ...added]) }
    const run: Run = agent({ model, tools: [echo], hooks }).run([user])
    const events: RunEvent[] = []
    for await (const event of run) {
      events.push(event)
      if (event.type === 'text-delta' && event.step === 3 && events.length > 0) run.steer('and?')
    }
    const whole = (await run.result).messages
    expect(whole.filter(({ role }) => role === 'user').length).toBeGreaterThan(1)
    for (const [known, base] of kept.entries()) {
      for (let cut = 0; cut <= events.length; cut++) {
        const messages = recoveredMessages(saved(eventRecords(events.slice(0, cut)), base))
        const ids = partsOf(messages).flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
        const said = messages.map(messageText).filter((text) => text === 'an answer' || text === 'the end')
        expect([known, cut, repairTranscript(messages).repairs]).toEqual([known, cut, []])
        expect([known, cut, new Set(ids).size, new Set(said).size]).toEqual([known, cut, ids.length, said.length])
        expect(messages.slice(0, base.length)).toEqual(base)
      }
    }
    // Without hooks nothing but the events is there.
    const steered = whole.findIndex(({ role }, index) => role === 'user' && index > 0)
    expect(recoveredMessages(saved(eventRecords(events))).slice(0, steered)).toEqual(whole.slice(0, steered))
  })
})
