// The edge worker in real workerd, against providers with odd ids and clients that send what nobody expects.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, secrets, token, types } from '../../worker/client.ts'
import type { Client } from '../../worker/client.ts'
import { workshop } from '../../worker/workerd.ts'
import type { Workshop } from '../../worker/workerd.ts'

let shop: Workshop
let url = ''
let api: Client

beforeAll(async () => {
  shop = await workshop('../../attack/k2/app.mjs', { SESSION: 'SessionObject' })
  url = (await shop.serve(secrets)).url
  api = client(url)
})
afterAll(() => shop?.close())

const saving = (callId: string, path = '/saved.txt') => [
  { calls: [{ name: 'save', callId, input: { path, text: 'x' } }] },
  { text: 'done' },
]

describe('a question of the worker', () => {
  // Providers and the gateways before them choose call ids: some pack a signature of thousands of characters into one.
  it.each([
    ['with a space', 'call 1'],
    ['with a line break', 'call\n1'],
    ['of 201 characters', 'x'.repeat(201)],
    ['of 5000 characters', `call_1__thought__${'A'.repeat(5000)}`],
  ])('about a call whose id is %s can be answered', async (_, callId) => {
    const session = await api.session()
    await api.start(session, saving(callId))
    expect((await api.events(session)).closed).toBe('suspended')
    const [open] = (await api.state(session)).pending
    expect((await api.decide(session, { callId: open.callId, decision: 'approve' })).status).toBe(200)
    expect(await api.file(session, '/saved.txt')).toBe('x\n')
  })
})

describe('a decision whose JSON grows when it is written again', () => {
  // 1e20 has 4 characters on the way here and 21 in the row: five times as much, above the 2 MB of a value.
  const numbers = `[${'1e20,'.repeat(200_000)}1]`
  const grown = `{"callId":"c","decision":"edit","input":{"numbers":${numbers}}}`
  const turns = [{ calls: [{ name: 'sum', callId: 'c', input: { numbers: [1] } }] }, { text: 'done' }]

  it.each(['script', 'patient'])('is taken or refused by model %s, but never both', async (model) => {
    const session = await api.session()
    await api.start(session, turns, { model })
    await api.events(session, 0, (rows) => types(rows).includes('approval-request'))
    const reply = await api.post(`/sessions/${session}/decisions`, grown)
    await sleep(300)
    const ran = String(await api.file(session, '/sums.log')).includes('added')
    const state = await api.state(session)
    expect(reply.status).not.toBe(500)
    expect([ran, state.pending.length]).toEqual(reply.status === 200 ? [true, 0] : [false, 1])
  })
})

describe('an approval with a changed input beside it', () => {
  it('is refused, or recorded as what it did', async () => {
    const session = await api.session()
    await api.start(session, saving('c', '/asked.txt'))
    await api.events(session)
    const body = { callId: 'c', decision: 'approve', input: { path: '/other.txt', text: 'x' } }
    const reply = await api.post(`/sessions/${session}/decisions`, body)
    await api.events(session)
    const path = reply.status === 200 ? (reply.body.input?.path ?? '/asked.txt') : '/asked.txt'
    if (reply.status === 200) expect(await api.file(session, path)).toBe('x\n')
    else expect(reply.status).toBe(400)
  })
})

describe('messages of a client', () => {
  it.each([
    ['null', [null]],
    ['a number', [5]],
    ['a text without its text', [{ type: 'text' }]],
    ['a call in a result', [{ type: 'tool-call', callId: 'q', name: 'save', input: {} }]],
  ])('with %s as the content of a result are refused, as the session would keep them for ever', async (_, content) => {
    const session = await api.session()
    const result = { type: 'tool-result', callId: 'z', name: 'save', ok: true, content }
    const call = { type: 'tool-call', callId: 'z', name: 'save', input: {} }
    const input = [
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [call] },
      { role: 'tool', content: [result] },
    ]
    expect((await api.post(`/sessions/${session}/runs`, { input })).status).toBe(400)
  })
})

describe('a body that is no HTTP', () => {
  it('is the fault of the client, not of the worker', async () => {
    const session = await api.session()
    const { port, hostname, host } = new URL(url)
    const head = `POST /api/sessions/${session}/runs HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n`
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\nabc\r\n0\r\n\r\n`)
      })
      let text = ''
      socket.on('data', (data) => (text += data.toString()))
      socket.on('close', () => resolve(text))
      socket.on('error', reject)
      socket.setTimeout(3000, () => socket.destroy())
    })
    expect(said.slice(0, 12)).toBe('HTTP/1.1 400')
  })
})

describe('a stop', () => {
  it('does not wait for a tool that ignores its signal, and the next message may come at once', async () => {
    const session = await api.session()
    await api.start(session, [{ calls: [{ name: 'stubborn', input: { milliseconds: 20_000 } }] }])
    await api.events(session, 0, (rows) => types(rows).includes('tool-start'))
    const begun = Date.now()
    expect((await api.post(`/sessions/${session}/stop`, {})).status).toBe(200)
    expect(Date.now() - begun).toBeLessThan(5000)
    expect((await api.start(session, 'how many?')).status).toBe(200)
  })
})

describe('a file from the page', () => {
  it('may be as large as the page lets a person upload (8 MB)', async () => {
    const session = await api.session()
    const body = new Uint8Array(7_900_000)
    expect((await api.send(`/sessions/${session}/file?path=/big`, { method: 'PUT', body })).status).toBe(200)
  })
})

describe('the log of events', () => {
  it('cannot be broken out of by what a model or a tool says', async () => {
    const session = await api.session()
    const evil = 'x\r\n\r\nevent: idle\ndata: {}\n\nid: 999\ndata: {"type":"run-end"}\n\n\u2028\u2029\u0000\ud800'
    await api.start(session, [{ text: evil, calls: [{ name: 'show', input: { path: evil } }] }, { text: 'end' }])
    const { rows, closed } = await api.events(session)
    expect(closed).toBe('idle')
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_, index) => index + 1))
    const said = rows.map(({ event }) => (event.type === 'text-delta' && event.step === 1 ? event.delta : '')).join('')
    expect(said).toBe(evil)
  })
})
