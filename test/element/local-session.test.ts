import { describe, expect, it } from 'vitest'
import { localSession } from '../../element/session/local.ts'
import { recoveredMessages } from '../../element/session/recover.ts'
import type { ChatSession, SavedChat } from '../../element/session/session.ts'
import { agent } from '../../src/index.ts'
import type { Hooks, Tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { settle } from '../host.ts'
import { parts, runRecords } from './events.ts'

const write = (written: string[]): Tool => ({
  name: 'write',
  description: 'Writes',
  approval: true,
  execute: () => {
    written.push('x')
    return 'written'
  },
})

const typesOf = ({ records }: ChatSession): readonly string[] =>
  records.map((record) => (record.type === 'event' ? record.event.type : record.type))

const callWrite: ScriptedTurn = { calls: [{ name: 'write' }] }

interface Made {
  readonly session: ChatSession
  readonly saves: SavedChat[]
  readonly written: string[]
}

function made(
  turns: readonly ScriptedTurn[],
  options: { readonly saved?: SavedChat; readonly waitMs?: number } = {},
): Made {
  const written: string[] = []
  const saves: SavedChat[] = []
  const model = scriptedModel(turns)
  let agentMade: ReturnType<typeof agent> | undefined
  const make = (hooks: Hooks) =>
    (agentMade ??= agent({ model, tools: [write(written)], hooks, approvalWaitMs: options.waitMs ?? 0 }))
  const onSave = (saved: SavedChat): void => void saves.push(JSON.parse(JSON.stringify(saved)) as SavedChat)
  const session = localSession({
    agent: make,
    onSave,
    ...(options.saved === undefined ? {} : { saved: options.saved }),
  })
  return { session, saves, written }
}

const callIdOf = ({ records }: ChatSession): string => {
  const asked = records.flatMap((record) =>
    record.type === 'event' && record.event.type === 'approval-request' ? [record.event.callId] : [],
  )
  return asked.at(-1) ?? ''
}

async function idle(session: ChatSession): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await settle()
  expect(session.records.length).toBeGreaterThan(0)
}

describe('localSession()', () => {
  it('sends, records every event and keeps the conversation for the next message', async () => {
    const { session, saves } = made(['one', 'two'])
    await session.send('a')
    await session.send('b')
    expect(typesOf(session).filter((type) => type === 'user' || type === 'run-end')).toEqual([
      'user',
      'run-end',
      'user',
      'run-end',
    ])
    expect(saves.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(saves.at(-1)?.running).toBe(false)
  })

  it('suspends on a question, and a decision goes on with the same run', async () => {
    const { session, written } = made([callWrite, 'done'])
    await session.send('a')
    expect(written).toEqual([])
    await session.decide({ callId: callIdOf(session), decision: 'approve' })
    await idle(session)
    expect(written).toEqual(['x'])
    expect(typesOf(session).at(-1)).toBe('run-end')
  })

  it('answers a question of an agent that waits', async () => {
    const { session, written } = made([callWrite, 'done'], { waitMs: Infinity })
    const sent = session.send('a')
    await idle(session)
    await session.decide({ callId: callIdOf(session), decision: 'approve' })
    await sent
    expect(written).toEqual(['x'])
  })

  it('goes on after a reload with the question still open', async () => {
    const before = made([callWrite])
    await before.session.send('a')
    const saved = before.saves.at(-1) as SavedChat
    const { session, written } = made(['done'], { saved })
    expect(session.id).toBe(before.session.id)
    await session.decide({ callId: callIdOf(session), decision: 'approve' })
    await idle(session)
    expect(written).toEqual(['x'])
    expect(typesOf(session).at(-1)).toBe('run-end')
  })

  it('says so when a run was cut off by a reload, and continues with what had finished', async () => {
    const before = made([callWrite], { waitMs: Infinity })
    void before.session.send('a')
    await idle(before.session)
    const saved = before.saves.at(-1) as SavedChat
    expect(saved.running).toBe(true)
    const { session } = made(['went on'], { saved })
    expect(typesOf(session).at(-1)).toBe('interrupted')
    await session.continue?.()
    expect(typesOf(session).at(-1)).toBe('run-end')
    before.session.close()
  })

  it('refuses a decision for nothing in words', async () => {
    const { session } = made(['one'])
    await session.send('a')
    await expect(session.decide({ callId: 'x', decision: 'approve' })).rejects.toThrow('Nothing waits')
  })

  it('lets a question go when it is stopped, and takes a new message', async () => {
    const { session, written } = made([callWrite, 'fine'])
    await session.send('a')
    session.stop()
    expect(typesOf(session).at(-1)).toBe('dropped')
    await session.send('b')
    expect(typesOf(session).at(-1)).toBe('run-end')
    expect(written).toEqual([])
  })

  it('stops a run that works', async () => {
    const { session } = made([{ wait: 60_000 }])
    const sent = session.send('a')
    await idle(session)
    session.stop()
    await sent
    const last = session.records.at(-1)
    expect(last?.type === 'event' && last.event.type === 'run-end' && last.event.status).toBe('aborted')
  })

  it('adds a message to the run that works instead of starting a second', async () => {
    const { session } = made([[{ wait: 1 }, 'one'], 'two'])
    const sent = session.send('a')
    await session.send('b')
    await sent
    expect(typesOf(session).filter((type) => type === 'run-start')).toHaveLength(1)
    expect(typesOf(session).filter((type) => type === 'step-start')).toHaveLength(2)
  })

  it('turns an agent that cannot be made into a record', async () => {
    const session = localSession({ agent: () => Promise.reject(new Error('no')) })
    await session.send('a')
    expect(session.records.at(-1)).toMatchObject({ type: 'failure', code: 'run-internal' })
  })
})

describe('recoveredMessages()', () => {
  const saved = (records: SavedChat['records'], messages: SavedChat['messages'] = []): SavedChat => ({
    version: 1,
    id: 's',
    records,
    messages,
    running: true,
  })

  it('adds the finished calls of a step that was cut off', () => {
    const records = runRecords('r', [
      { type: 'run-start' },
      { type: 'tool-call', step: 1, callId: 'c1', name: 'write', input: { a: 1 } },
      { type: 'tool-call', step: 1, callId: 'c2', name: 'write', input: { a: 2 } },
      {
        type: 'tool-end',
        step: 1,
        callId: 'c1',
        name: 'write',
        durationMs: 1,
        outcome: { ok: true, parts: parts('fine'), final: false },
      },
    ])
    expect(recoveredMessages(saved(records))).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', callId: 'c1', name: 'write', input: { a: 1 } },
          { type: 'tool-call', callId: 'c2', name: 'write', input: { a: 2 } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', callId: 'c1', name: 'write', ok: true, content: parts('fine') }],
      },
    ])
  })

  it('puts a result in the place of the pending one', () => {
    const records = runRecords('r', [
      { type: 'run-start', resumed: true },
      {
        type: 'tool-end',
        step: 1,
        callId: 'c1',
        name: 'write',
        durationMs: 1,
        outcome: { ok: true, parts: parts('fine'), final: false },
      },
    ])
    const messages: SavedChat['messages'] = [
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'c1', name: 'write', input: {} }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', callId: 'c1', name: 'write', ok: false, reason: 'pending', content: [] }],
      },
    ]
    expect(recoveredMessages(saved(records, messages)).at(-1)?.content).toEqual([
      { type: 'tool-result', callId: 'c1', name: 'write', ok: true, content: parts('fine') },
    ])
  })

  it('leaves a conversation that was at rest as it is', () => {
    const messages: SavedChat['messages'] = [{ role: 'user', content: [{ type: 'text', text: 'a' }] }]
    expect(recoveredMessages({ ...saved([], messages), running: false })).toBe(messages)
  })
})
