// Clients and models that send what nobody expects: messages, bodies, words that look like the protocol.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, secrets, token, types } from './client.ts'
import type { Client } from './client.ts'
import { workshop } from './workerd.ts'
import type { Workshop } from './workerd.ts'

let shop: Workshop
let url = ''
let api: Client

beforeAll(async () => {
  shop = await workshop('app.ts', { SESSION: 'SessionObject' })
  url = (await shop.serve(secrets)).url
  api = client(url)
})
afterAll(() => shop?.close())

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
    const { status, body } = await api.post(`/sessions/${session}/runs`, { input })
    expect([status, body.error.code]).toEqual([400, 'run-invalid-input'])
    expect(body.error.message).toContain('messages[2].content[0]')
    expect(await api.state(session)).toMatchObject({ status: 'idle', run: null, messages: [], seq: 0 })
    await api.start(session, 'how many?')
    expect((await api.events(session)).rows.at(-1)!.event).toMatchObject({ status: 'done' })
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
