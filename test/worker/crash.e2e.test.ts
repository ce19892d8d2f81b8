// Sessions whose process is killed: SIGKILL to the server and to workerd, then a new one over the same storage.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, ids, secrets, types } from './client.ts'
import type { Client, Row } from './client.ts'
import { workshop } from './workerd.ts'
import type { Served, Workshop } from './workerd.ts'

const isLong = process.env['SAMELOOP_LONG'] === '1'
const onlyLong = isLong ? '' : ' (left out: only with SAMELOOP_LONG=1)'

let shop: Workshop
let served: Served
let api: Client

async function serve(): Promise<void> {
  served = await shop.serve(secrets)
  api = client(served.url)
}

async function crash(): Promise<void> {
  await served.kill()
  await serve()
}

beforeAll(async () => {
  shop = await workshop('app.ts', { SESSION: 'SessionObject' })
  await serve()
})
afterAll(() => shop?.close())

const has = (type: string) => (rows: readonly Row[]) => rows.some(({ event }) => event.type === type)
const log = (session: string): Promise<string> => api.file(session, '/work.log')

describe('after a crash', () => {
  it('a suspended run takes its decision, runs the call once and completes', async () => {
    const session = await api.session()
    await api.send(`/sessions/${session}/file?path=/before.txt`, { method: 'PUT', body: 'still here' })
    const calls = [{ name: 'save', input: { path: '/after.txt', text: 'a line' } }]
    await api.start(session, [{ calls: [{ name: 'work', input: { milliseconds: 1 } }] }, { calls }, { text: 'done' }], {
      key: 'start',
    })
    const before = await api.events(session)
    expect(before.closed).toBe('suspended')
    await crash()

    const state = await api.state(session)
    expect(state).toMatchObject({ status: 'suspended', seq: before.rows.length, pending: [{ name: 'save' }] })
    expect(await api.events(session)).toEqual(before)
    const { callId } = state.pending[0]
    const decided = await Promise.all([1, 2].map(() => api.decide(session, { callId, decision: 'approve' })))
    expect(decided.map(({ status }) => status)).toEqual([200, 200])
    const after = await api.events(session, before.rows.length)
    expect([after.closed, after.rows.at(-1)!.event]).toMatchObject(['idle', { type: 'run-end', status: 'done' }])
    expect(ids(after.rows)[0]).toBe(before.rows.length + 1)
    expect(await api.file(session, '/after.txt')).toBe('a line\n')
    expect(await api.file(session, '/before.txt')).toBe('still here')
    expect(await log(session)).toBe('begun\nended\n')
    await crash()

    expect((await api.decide(session, { callId, decision: 'deny' })).body).toEqual(decided[0]!.body)
    const again = await api.start(
      session,
      [{ calls: [{ name: 'work', input: { milliseconds: 1 } }] }, { calls }, { text: 'done' }],
      { key: 'start' },
    )
    expect(again.body).toEqual({ run: before.rows[0]!.event.run, after: 0 })
  })

  it.each([
    ['marked as done', { result: 'it ended' }, 'begun\nended\nbegun\n'],
    ['tried again', { decision: 'retry' as const }, 'begun\nended\nbegun\nbegun\nended\n'],
  ])('a running run goes on: what became of a started call is asked, and it can be %s', async (_, answer, written) => {
    const session = await api.session()
    await api.start(session, [
      { text: 'first', calls: [{ name: 'work', input: { milliseconds: 1 } }] },
      { text: 'second', calls: [{ name: 'work', input: { milliseconds: 3000 } }] },
      { text: 'third' },
    ])
    const before = await api.events(
      session,
      0,
      (rows) => types(rows).filter((type) => type === 'tool-start').length === 2,
    )
    expect(await log(session)).toBe('begun\nended\nbegun\n')
    await crash()

    const asked = await api.events(session)
    expect(asked.closed).toBe('suspended')
    expect(asked.rows.slice(0, before.rows.length)).toEqual(before.rows)
    const state = await api.state(session)
    expect(state).toMatchObject({ status: 'suspended', pending: [{ name: 'work', why: 'unknown-outcome' }] })
    expect(await log(session)).toBe('begun\nended\nbegun\n')

    const [{ callId }] = state.pending
    expect((await api.decide(session, { callId, ...answer })).status).toBe(200)
    const { rows, closed } = await api.events(session)
    expect([closed, rows.at(-1)!.event]).toMatchObject(['idle', { type: 'run-end', status: 'done' }])
    expect(rows.map(({ event }) => event.seq)).toEqual([...rows.map(({ event }) => event.seq)].sort((a, b) => a - b))
    const { messages } = await api.state(session)
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(messages[4].content[0]).toMatchObject({ ok: true })
    expect(await log(session)).toBe(written)
  })

  it('what was approved for the session still is, and nothing else', async () => {
    const session = await api.session()
    const calls = [{ name: 'save', input: { path: '/s', text: 'x' } }]
    const turns = [{ calls }, { text: 'done' }]
    await api.start(session, turns)
    await api.events(session)
    const [{ callId }] = (await api.state(session)).pending
    await api.decide(session, { callId, decision: 'approve-session' })
    expect((await api.events(session)).closed).toBe('idle')
    await crash()

    for (const model of ['script', 'patient']) {
      const { body } = await api.start(session, turns, { model })
      const { rows, closed } = await api.events(session, body.after)
      expect([model, closed, rows.at(-1)!.event]).toMatchObject([model, 'idle', { status: 'done' }])
    }
    expect(await api.file(session, '/s')).toBe('x\nx\nx\n')
    await api.start(session, [{ calls: [{ name: 'save', input: { path: '/s', text: 'other' } }] }])
    expect((await api.events(session)).closed).toBe('suspended')
  })

  it('half of an answer is asked for anew', async () => {
    const session = await api.session()
    const text = 'one two three four '.repeat(10)
    await api.start(session, [{ text, pieces: 10, wait: 150 }])
    const before = await api.events(session, 0, has('text-delta'))
    await crash()
    const { rows, closed } = await api.events(session)
    expect(closed).toBe('idle')
    expect(rows.slice(0, before.rows.length)).toEqual(before.rows)
    expect(types(rows).filter((type) => type === 'step-start')).toHaveLength(2)
    expect(rows.at(-1)!.event).toMatchObject({ type: 'run-end', status: 'done' })
    const { messages } = await api.state(session)
    expect(messages.slice(1)).toMatchObject([{ role: 'assistant', content: [{ text }] }])
  })

  it('a call that a person had approved and that had started is not run again, and open questions stay open', async () => {
    const session = await api.session()
    const calls = ['/1', '/2'].map((path) => ({ name: 'save', input: { path, text: 'x' } }))
    await api.start(session, [{ calls: [...calls, { name: 'work', input: { milliseconds: 60_000 } }] }], {
      model: 'patient',
    })
    await api.events(session, 0, (rows) => types(rows).filter((type) => type === 'approval-request').length === 2)
    const [one, two] = (await api.state(session)).pending
    await api.decide(session, { callId: one.callId, decision: 'approve' })
    await api.events(session, 0, has('tool-end'))
    await crash()

    await api.events(session, 0, (rows) => types(rows).filter((type) => type === 'approval-request').length === 4)
    expect((await api.decide(session, { callId: one.callId, decision: 'deny' })).body).toMatchObject({
      decision: 'approve',
    })
    const { pending } = await api.state(session)
    expect(pending.map(({ name, why }: { name: string; why: string }) => [name, why])).toEqual([
      ['save', 'tool'],
      ['work', 'unknown-outcome'],
    ])
    expect((await api.decide(session, { callId: two.callId, decision: 'approve' })).status).toBe(200)
    expect((await api.decide(session, { callId: pending[1].callId, decision: 'deny' })).status).toBe(200)
    expect((await api.events(session)).closed).toBe('idle')
    const { messages } = await api.state(session)
    const results = messages.find(({ role }: { role: string }) => role === 'tool').content
    expect(results.map(({ ok, reason }: { ok: boolean; reason?: string }) => reason ?? ok)).toEqual([
      true,
      true,
      'unknown-outcome',
    ])
    expect([await api.file(session, '/1'), await api.file(session, '/2')]).toEqual(['x\n', 'x\n'])
  })

  it('a run that was to be stopped stays stopped', async () => {
    const session = await api.session()
    await api.start(session, [{ calls: [{ name: 'stubborn', input: { milliseconds: 60_000 } }] }, { text: 'no' }])
    await api.events(session, 0, has('tool-start'))
    void api.send(`/sessions/${session}/stop`, { method: 'POST' }).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await crash()
    const { rows } = await api.events(session)
    expect(rows.at(-1)!.event).toMatchObject({ type: 'run-end', status: 'aborted' })
  })

  it('every event that a client has seen is still there, under its number', async () => {
    const sessions = await Promise.all([1, 2, 3].map(() => api.session()))
    const said = sessions.map((_, index) => [{ text: 'word '.repeat(200), pieces: 200, wait: 5 + index }])
    await Promise.all(sessions.map((session, index) => api.start(session, said[index])))
    const seen = await Promise.all(
      sessions.map((session, index) => api.events(session, 0, (rows) => rows.length >= 5 + index)),
    )
    await crash()
    for (const [index, session] of sessions.entries()) {
      const { rows } = await api.events(session)
      expect(rows.slice(0, seen[index]!.rows.length)).toEqual(seen[index]!.rows)
    }
  })

  it.runIf(isLong)(
    `a lost run goes on by the alarm of its object, without anybody asking${onlyLong}`,
    async () => {
      const session = await api.session()
      await api.start(session, [{ text: 'word '.repeat(40), pieces: 20, wait: 100 }])
      await api.events(session, 0, has('text-delta'))
      await crash()
      await new Promise((resolve) => setTimeout(resolve, 40_000))
      const asked = Date.now()
      const { rows } = await api.events(session)
      expect(rows.at(-1)!.event).toMatchObject({ type: 'run-end', status: 'done' })
      expect(rows.at(-1)!.event.at).toBeLessThan(asked)
    },
    120_000,
  )

  it.runIf(isLong)(
    `a run that takes longer than the alarm goes on${onlyLong}`,
    async () => {
      const session = await api.session()
      await api.start(session, [{ calls: [{ name: 'work', input: { milliseconds: 35_000 } }] }, { text: 'done' }])
      await new Promise((resolve) => setTimeout(resolve, 40_000))
      const { rows } = await api.events(session)
      expect(rows.at(-1)!.event).toMatchObject({ type: 'run-end', status: 'done' })
    },
    120_000,
  )
})
