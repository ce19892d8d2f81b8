import { describe, expect, it } from 'vitest'
import { localSession } from '../../element/session/local.ts'
import type { ChatSession, SavedChat } from '../../element/session/session.ts'
import { agent } from '../../src/index.ts'
import type { Hooks, Tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { settle } from '../host.ts'

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

const callIdsOf = ({ records }: ChatSession): readonly string[] =>
  records.flatMap((record) =>
    record.type === 'event' && record.event.type === 'approval-request' ? [record.event.callId] : [],
  )

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

  it('takes the answers to two questions of one step, also when the second comes while the first still runs', async () => {
    const { session, written } = made([
      {
        calls: [
          { name: 'write', input: { a: 1 } },
          { name: 'write', input: { a: 2 } },
        ],
      },
      'done',
    ])
    await session.send('a')
    const [first = '', second = ''] = callIdsOf(session)
    await Promise.all([
      session.decide({ callId: first, decision: 'approve' }),
      session.decide({ callId: second, decision: 'approve' }),
    ])
    await idle(session)
    expect(written).toEqual(['x', 'x'])
    expect(session.records.at(-1)).toMatchObject({ event: { type: 'run-end', status: 'done' } })
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

  it.each(['while its agent is on the way', 'while it works'])(
    'adds a message to the run, %s, instead of starting a second',
    async (when) => {
      const { session } = made([[{ wait: 400 }, 'one'], 'two'])
      const sent = session.send('a')
      if (when === 'while it works') await idle(session)
      await session.send('b')
      await sent
      expect(typesOf(session).filter((type) => type === 'run-start')).toHaveLength(1)
      expect(typesOf(session).filter((type) => type === 'step-start')).toHaveLength(2)
    },
  )

  it('stops a run whose agent is still on the way', async () => {
    const { session } = made(['one'])
    const sent = session.send('a')
    session.stop()
    await sent
    const last = session.records.at(-1)
    expect(last?.type === 'event' && last.event.type === 'run-end' && last.event.status).toBe('aborted')
  })

  it.each(['its agent is on the way', 'the decision is taken'])(
    'runs nothing that was approved where it is stopped while %s',
    async (when) => {
      const { session, written } = made([callWrite, 'done'])
      await session.send('a')
      const decided = session.decide({ callId: callIdOf(session), decision: 'approve' })
      if (when === 'the decision is taken') await Promise.resolve()
      session.stop()
      await decided
      await idle(session)
      expect(written).toEqual([])
      expect(typesOf(session).at(-1)).toBe(when === 'the decision is taken' ? 'run-end' : 'dropped')
      await session.send('b')
      expect(session.records.at(-1)).toMatchObject({ event: { type: 'run-end', status: 'done' } })
    },
  )

  it('adds what is said while a decision is taken to the run that goes on', async () => {
    const { session } = made([callWrite, 'one', 'two'])
    await session.send('a')
    const decided = session.decide({ callId: callIdOf(session), decision: 'approve' })
    await session.send('b')
    await decided
    await idle(session)
    expect(typesOf(session).filter((type) => type === 'run-start')).toHaveLength(2)
    expect(session.records.at(-1)).toMatchObject({ event: { type: 'run-end', status: 'done' } })
  })

  it('turns an agent that cannot be made into a record', async () => {
    const session = localSession({ agent: () => Promise.reject(new Error('no')) })
    await session.send('a')
    expect(session.records.at(-1)).toMatchObject({ type: 'failure', code: 'run-internal' })
  })
})
