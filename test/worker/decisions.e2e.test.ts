// Decisions of clients: about calls with any id, of any size, in any order, and what is refused of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, secrets, types } from './client.ts'
import type { Client } from './client.ts'
import { workshop } from './workerd.ts'
import type { Workshop } from './workerd.ts'

let shop: Workshop
let api: Client

beforeAll(async () => {
  shop = await workshop('app.ts', { SESSION: 'SessionObject' })
  api = client((await shop.serve(secrets)).url)
})
afterAll(() => shop?.close())

const saving = (callId: string, path = '/saved.txt') => [
  { calls: [{ name: 'save', callId, input: { path, text: 'x' } }] },
  { text: 'done' },
]

/** A session in which these turns have led to a question, and the ids of the calls that are asked about. */
async function asked(turns: unknown, model = 'script'): Promise<{ readonly session: string; readonly ids: string[] }> {
  const session = await api.session()
  await api.start(session, turns, { model })
  await api.events(session, 0, (rows) => types(rows).includes('approval-request'))
  const { pending } = await api.state(session)
  return { session, ids: pending.map(({ callId }: { readonly callId: string }) => callId) }
}

const decide = (session: string, body: unknown) => api.post(`/sessions/${session}/decisions`, body)

describe.each(['script', 'patient'])('a question of a run with model %s', (model) => {
  // Providers and the gateways before them choose call ids: some pack a signature of thousands of characters into one.
  it.each([
    ['with a space', 'call 1'],
    ['with a line break', 'call\n1'],
    ['with NUL and half of a surrogate pair', 'call\0\ud8001'],
    ['of 201 characters', 'x'.repeat(201)],
    ['of 5000 characters', `call_1__thought__${'A'.repeat(5000)}`],
    ['of 700,000 characters', 'y'.repeat(700_000)],
  ])('about a call whose id is %s is answered once', async (_, callId) => {
    const { session, ids } = await asked(saving(callId), model)
    expect(ids).toEqual([callId])
    const first = await decide(session, { callId, decision: 'approve' })
    expect([first.status, first.body]).toEqual([200, { callId, decision: 'approve' }])
    await api.events(session)
    expect(await api.file(session, '/saved.txt')).toBe('x\n')
    expect((await decide(session, { callId, decision: 'deny' })).body).toEqual(first.body)
  })
})

describe('two questions whose ids have the same UTF-8', () => {
  it('are two: half of a surrogate pair is not another half', async () => {
    const { session } = await asked(saving('call\ud800'))
    expect((await decide(session, { callId: 'call\ud800', decision: 'deny' })).status).toBe(200)
    expect((await decide(session, { callId: 'call\ud801', decision: 'deny' })).status).toBe(404)
  })
})

describe('a decision whose JSON grows when it is written again', () => {
  // 1e20 has 4 characters on the way here and 21 in the row: five times as much, above the 2 MB of a value.
  const numbers = `[${'1e20,'.repeat(200_000)}1]`
  const grown = `{"callId":"c","decision":"edit","input":{"numbers":${numbers}}}`
  const turns = [{ calls: [{ name: 'sum', callId: 'c', input: { numbers: [1] } }] }, { text: 'done' }]

  it.each(['script', 'patient'])('is taken by model %s, and comes back after', async (model) => {
    const { session } = await asked(turns, model)
    const reply = await decide(session, grown)
    expect(reply.status).toBe(200)
    const told = JSON.stringify(reply.body)
    expect(told === JSON.stringify(JSON.parse(grown))).toBe(true)
    await api.events(session)
    expect(await api.file(session, '/sums.log')).toBe('added\n')
    expect((await api.state(session)).pending).toEqual([])
    const later = await decide(session, { callId: 'c', decision: 'deny' })
    expect(JSON.stringify(later.body) === told).toBe(true)
  })
})

describe('a decision that cannot be written down', () => {
  it.each(['script', 'patient'])('is not done, and may be given again (model %s)', async (model) => {
    const calls = [
      { name: 'fill', input: { decisions: 1 } },
      { name: 'save', callId: 'c', input: { path: '/once.txt', text: 'x' } },
    ]
    const { session } = await asked([{ calls }, { text: 'done' }], model)
    expect((await decide(session, { callId: 'c', decision: 'approve' })).status).toBe(500)
    expect((await api.send(`/sessions/${session}/file?path=/once.txt`)).status).toBe(404)
    expect((await api.state(session)).pending).toHaveLength(1)
    expect((await decide(session, { callId: 'c', decision: 'approve' })).status).toBe(200)
    expect((await api.events(session)).closed).toBe('idle')
    expect(await api.file(session, '/once.txt')).toBe('x\n')
  })
})

describe('a decision', () => {
  it.each([
    ['an approval with an input beside it', { decision: 'approve', input: { path: '/other.txt', text: 'x' } }],
    ['an approval for the session with an input', { decision: 'approve-session', input: null }],
    ['a denial with an input', { decision: 'deny', input: {} }],
    ['a result with an input', { result: 'saved', input: {} }],
    ['a result with a word', { result: 'saved', decision: 'deny' }],
    ['an answer of the client to itself', { status: 200, code: 'x', message: 'y' }],
  ])('is refused where it would be recorded as something else than what it does: %s', async (_, words) => {
    const { session } = await asked(saving('c', '/asked.txt'))
    expect((await decide(session, { callId: 'c', ...words })).status).toBe(400)
    expect((await api.state(session)).pending).toHaveLength(1)
    expect((await decide(session, { callId: 'c', decision: 'deny' })).body).toEqual({ callId: 'c', decision: 'deny' })
  })

  it.each(['script', 'patient'])('is kept without fields that no decision has (model %s)', async (model) => {
    const { session } = await asked(saving('c'), model)
    const body = '{"callId":"c","decision":"approve","reason":"fine","status":1,"code":2,"__proto__":{"input":3}}'
    expect((await decide(session, body)).body).toEqual({ callId: 'c', decision: 'approve', reason: 'fine' })
  })

  it('with a changed input is recorded as what ran', async () => {
    const call = { name: 'sum', callId: 'c', input: { numbers: [1] } }
    const { session } = await asked([{ calls: [call] }, { text: 'done' }], 'patient')
    const given = { callId: 'c', decision: 'edit', input: { numbers: ['2', 3] } }
    const ran = { callId: 'c', decision: 'edit', input: { numbers: [2, 3] } }
    expect((await decide(session, given)).body).toEqual(ran)
    await api.events(session)
    expect((await decide(session, { callId: 'c', decision: 'deny' })).body).toEqual(ran)
  })

  it('of one of two identical calls settles both, and the other is told so', async () => {
    const call = { name: 'save', input: { path: '/same.txt', text: 'x' } }
    const work = { name: 'work', input: { milliseconds: 600_000 } }
    const calls = [{ ...call, callId: 'a' }, { ...call, callId: 'b' }, work]
    const { session, ids } = await asked([{ calls }, { text: 'done' }], 'patient')
    expect(ids).toEqual(['a'])
    expect((await decide(session, { callId: 'a', decision: 'approve' })).status).toBe(200)
    const other = await decide(session, { callId: 'b', decision: 'deny' })
    expect([other.status, other.body]).toEqual([200, { callId: 'b', decision: 'approve' }])
    expect((await decide(session, { callId: 'b', decision: 'deny' })).body).toEqual(other.body)
    await api.post(`/sessions/${session}/stop`, {})
  })
})
