// The edge worker itself, by `wrangler dev`: the main job with the local planner, also across a crash.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, secrets } from './client.ts'
import type { Client, Row } from './client.ts'
import type { Served, Workshop } from './workerd.ts'
import { wranglerWorkshop } from './wrangler.ts'

const { AGENT_TOKEN, SESSION_SECRET } = secrets
let shop: Workshop
let served: Served
let api: Client

beforeAll(async () => {
  shop = wranglerWorkshop()
  served = await shop.serve({ AGENT_TOKEN, SESSION_SECRET })
  api = client(served.url)
})
afterAll(() => shop?.close())

const text = (rows: readonly Row[]): string =>
  rows.map(({ event }) => (event.type === 'text-delta' ? event.delta : '')).join('')

describe('the worker', () => {
  it('serves the page and the API from one address', async () => {
    expect(await (await fetch(`${served.url}/`)).text()).toContain('The page')
    expect((await fetch(`${served.url}/nothing-here`)).status).toBe(404)
    expect((await fetch(`${served.url}/api/health`)).status).toBe(401)
    const { body } = await api.send('/health')
    expect(body).toMatchObject({ ok: true, name: 'sameloop', models: [{ id: 'local-planner', ai: false }] })
    expect(body.models).toHaveLength(1)
  })

  it('does a task with the local planner: it asks before it writes, also when it is killed in between', async () => {
    const session = await api.session()
    const put = await api.send(`/sessions/${session}/file?path=/notes.md`, {
      method: 'PUT',
      body: '- [ ] one\n- [x] two\n',
    })
    expect(put.status).toBe(200)
    await api.start(session, 'read notes.md')
    const first = await api.events(session)
    expect([first.closed, text(first.rows)]).toEqual(['idle', expect.stringContaining('- [x] two')])

    await api.start(session, 'write hello world to hello.txt')
    const asked = await api.events(session, first.rows.length)
    expect(asked.closed).toBe('suspended')
    await served.kill()
    served = await shop.serve({ AGENT_TOKEN, SESSION_SECRET })
    api = client(served.url)

    const { pending, seq } = await api.state(session)
    expect(pending).toMatchObject([{ name: 'fs_write', effect: 'local' }])
    expect(await api.decide(session, { callId: pending[0].callId, decision: 'approve' })).toMatchObject({ status: 200 })
    const after = await api.events(session, seq)
    expect(after.rows.at(-1)!.event).toMatchObject({ type: 'run-end', status: 'done' })
    expect((await api.file(session, '/hello.txt')).trim()).toBe('hello world')
    const { entries } = (await api.send(`/sessions/${session}/files?path=/`)).body
    expect(entries.map(({ path }: { path: string }) => path)).toEqual(['/hello.txt', '/notes.md'])
  })

  it('refuses a model that is not offered, and names those that are', async () => {
    const session = await api.session()
    expect(await api.start(session, 'hello', { model: 'openai' })).toMatchObject({
      status: 400,
      body: {
        error: { code: 'config-invalid', message: 'Cannot use the model "openai": wanted one of "local-planner"' },
      },
    })
  })
})

describe('the worker in development, with a model', () => {
  it('needs no token on this machine, and talks to the server of its variables with their key', async () => {
    const keys: string[] = []
    const upstream = createServer((request, response) => {
      keys.push(request.headers.authorization ?? '')
      response.setHeader('content-type', 'text/event-stream')
      const chunk = { choices: [{ index: 0, delta: { content: 'Hello from upstream' }, finish_reason: 'stop' }] }
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    })
    await new Promise<void>((resolve) => {
      upstream.listen(0, '127.0.0.1', resolve)
    })
    const { port } = upstream.address() as AddressInfo
    const OPENAI_BASE_URL = `http://127.0.0.1:${port}/v1`
    const dev = await shop.serve({ DEV: '1', OPENAI_API_KEY: 'the-key', OPENAI_MODEL: 'small', OPENAI_BASE_URL })
    try {
      const open = client(dev.url, null, { 'sec-fetch-site': 'none' })
      expect((await open.send('/health')).body.models).toMatchObject([
        { id: 'local-planner' },
        { id: 'openai', label: 'small', ai: true },
      ])
      const session = await open.session()
      await open.start(session, 'hello', { model: 'openai' })
      const { rows } = await open.events(session)
      expect(text(rows)).toBe('Hello from upstream')
      expect(keys).toEqual(['Bearer the-key'])
      expect(JSON.stringify([rows, await open.state(session)])).not.toContain('the-key')
      expect((await fetch(`${dev.url}/api/health`, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    } finally {
      await dev.kill()
      upstream.close()
    }
  })
})
