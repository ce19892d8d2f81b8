// Who is let in by the API, and what it refuses before it reaches a session.
import { request as httpRequest } from 'node:http'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, secrets, token } from './client.ts'
import type { Client } from './client.ts'
import { workshop } from './workerd.ts'
import type { Workshop } from './workerd.ts'

let shop: Workshop
let url = ''
let api: Client

beforeAll(async () => {
  shop = await workshop('app.ts', { SESSION: 'SessionObject' })
  url = (await shop.serve({ ...secrets, AGENT_TOKEN: `${token},another-token-for-tests` })).url
  api = client(url)
})
afterAll(() => shop?.close())

/** The objects that exist on disk. */
const objects = (): number =>
  readdirSync(join(shop.folder, 'state'), { recursive: true }).filter((name) =>
    /[0-9a-f]{64}\.sqlite$/.test(String(name)),
  ).length

/** A request as it goes over the wire, with a Host header and headers of any kind. */
function raw(path: string, headers: Record<string, string>, to = url): Promise<number> {
  const { hostname, port } = new URL(to)
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('a token', () => {
  it('is wanted on every route', async () => {
    const session = await api.session()
    const stranger = client(url, null)
    for (const path of [
      '/health',
      '/sessions',
      `/sessions/${session}`,
      `/sessions/${session}/events`,
      `/sessions/${session}/files`,
      '/nothing',
    ]) {
      expect(await stranger.send(path)).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
    }
  })

  it('must be one of those that are configured, whole', async () => {
    for (const wrong of [
      '',
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Basic ${token}`,
      `Bearer ${token},another-token-for-tests`,
      `Bearer ${token} x`,
    ]) {
      expect([wrong, (await client(url, wrong).send('/health')).status]).toEqual([wrong, 401])
    }
    expect((await client(url, 'Bearer another-token-for-tests').send('/health')).body).toEqual({
      ok: true,
      name: 'sameloop',
      models: [{ id: 'script', label: 'Script', ai: false }],
    })
  })
})

describe('a session id', () => {
  it('that was not made here is unknown, and no guess makes an object', async () => {
    const before = objects()
    const session = await api.session()
    const turned = (session.startsWith('0') ? '1' : '0') + session.slice(1)
    const guesses = [
      turned,
      session.slice(0, 63),
      `${session}0`,
      session.toUpperCase(),
      '0'.repeat(64),
      'x',
      '..',
      '%2e%2e',
      '',
      '__proto__',
    ]
    for (const guess of guesses) {
      const { status } = await api.send(`/sessions/${guess}/events`)
      expect([guess, status]).toEqual([guess, 404])
    }
    expect((await api.start(turned, 'hello')).status).toBe(404)
    expect(objects()).toBe(before)
    await api.start(session, 'hello')
    await api.events(session)
    expect(objects()).toBe(before + 1)
  })

  it('is another each time', async () => {
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => api.session()))).size).toBe(20)
  })
})

describe('without configuration', () => {
  it('nobody is let in, not even on a loopback address', async () => {
    const closed = client((await shop.serve()).url)
    expect(await closed.send('/health')).toMatchObject({ status: 503, body: { error: { code: 'not-configured' } } })
    const short = client((await shop.serve({ AGENT_TOKEN: 'short' })).url, 'Bearer short')
    expect((await short.send('/health')).status).toBe(503)
    const noSecret = client((await shop.serve({ AGENT_TOKEN: token })).url)
    expect((await noSecret.send('/health')).status).toBe(200)
    expect((await noSecret.post('/sessions', {})).status).toBe(503)
  }, 60_000)

  it('development is served to a loopback address alone, and to no other page', async () => {
    const dev = (await shop.serve({ DEV: '1' })).url
    const api = client(dev, null, { 'sec-fetch-site': 'none' })
    const session = await api.session()
    await api.start(session, 'hello')
    expect((await api.events(session)).closed).toBe('idle')
    for (const site of ['same-origin', 'none']) {
      expect([site, await raw('/api/health', { 'sec-fetch-site': site }, dev)]).toEqual([site, 200])
    }
    for (const site of ['same-site', 'cross-site', '']) {
      expect([site, await raw('/api/health', { 'sec-fetch-site': site }, dev)]).toEqual([site, 503])
    }
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.1', '[::2]']) {
      expect([host, await raw('/api/health', { host, 'sec-fetch-site': 'none' }, dev)]).toEqual([host, 503])
    }
    expect(await raw('/api/health', { origin: 'https://evil.example' }, dev)).toBe(403)
    expect(await raw('/api/health', { origin: 'null' }, dev)).toBe(403)
    expect(await raw('/api/health', { origin: dev }, dev)).toBe(200)
  }, 60_000)
})

describe('pages', () => {
  it('from the list may ask, and read the answer', async () => {
    const { status, headers } = await api.send('/health', { headers: { origin: 'https://page.example' } })
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('https://page.example')
    expect(headers.get('vary')).toContain('Origin')
    const preflight = await fetch(`${url}/api/sessions`, {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('from elsewhere may not, whatever token they have', async () => {
    for (const origin of ['https://evil.example', 'https://page.example.evil.example', 'http://page.example', 'null']) {
      const { status, headers } = await api.send('/health', { headers: { origin } })
      expect([origin, status, headers.get('access-control-allow-origin')]).toEqual([origin, 403, null])
      const preflight = await fetch(`${url}/api/sessions`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      })
      expect(preflight.status).toBe(403)
    }
  })

  it('cannot frame, sniff or cache an answer', async () => {
    const { headers } = await api.send('/health')
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })
})

describe('a hostile request', () => {
  it('with a body above 1 MiB is refused in words that the client reads, also when it is far above', async () => {
    const session = await api.session()
    for (const length of [2 ** 20, 2 ** 21, 20 * 2 ** 20]) {
      for (const path of [`/sessions/${session}/runs`, `/sessions/${session}/decisions`]) {
        expect(await api.post(path, `{"input":"${'x'.repeat(length)}"}`)).toMatchObject({
          status: 413,
          body: { error: { code: 'too-large' } },
        })
      }
    }
  })

  it('with a large body that nobody reads is refused in words that the client reads', async () => {
    const session = await api.session()
    const init = { method: 'PUT', body: new Uint8Array(20 * 2 ** 20) }
    const stranger = client(url, null)
    expect((await stranger.send(`/sessions/${session}/file?path=/x`, init)).status).toBe(401)
    expect((await api.send(`/sessions/${'0'.repeat(64)}/file?path=/x`, init)).status).toBe(404)
    expect((await api.send(`/sessions/${session}/runs`, init)).status).toBe(405)
    const foreign = { ...init, headers: { origin: 'https://evil.example' } }
    expect((await api.send(`/sessions/${session}/file?path=/x`, foreign)).status).toBe(403)
  })

  it('with a body that has no end is refused', async () => {
    const path = `/sessions/${await api.session()}/runs`
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(65_536).fill(120))
        if ((sent += 65_536) > 80 * 2 ** 20) controller.close()
      },
    })
    const refused = await api
      .send(path, { method: 'POST', body: endless, duplex: 'half' } as RequestInit)
      .catch(() => ({ status: 413 }))
    expect(refused.status).toBe(413)
  })

  it('with a file above 8 MiB is refused, and one of that much is taken', async () => {
    const session = await api.session()
    const put = (path: string, size: number) =>
      api.send(`/sessions/${session}/file?path=${path}`, { method: 'PUT', body: new Uint8Array(size) })
    expect((await put('/big', 2 ** 23 + 1)).status).toBe(413)
    expect(await put('/fits', 2 ** 23)).toMatchObject({ status: 200, body: { size: 2 ** 23 } })
    expect((await api.send(`/sessions/${session}/files?path=/`)).body.entries).toMatchObject([{ path: '/fits' }])
  })

  it('with JSON that is broken, deep or of another kind is refused in our words', async () => {
    const session = await api.session()
    const bodies = [
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '{}',
      '{"input":1}',
      '{"input":""}',
      '{"input":[1]}',
      '{"input":[{"role":"root","content":[]}]}',
      '{"input":"x","model":""}',
      '{"status":200,"code":"mine","message":"An answer of the client\'s own making"}',
      `{"input":${'['.repeat(100_000)}`,
      `{"input":${'['.repeat(600)}${']'.repeat(600)}}`,
    ]
    for (const body of bodies) {
      const reply = await api.post(`/sessions/${session}/runs`, body)
      expect([body.slice(0, 40), reply.status]).toEqual([body.slice(0, 40), 400])
      expect(reply.body.error.message).not.toMatch(/JSON\.parse|Unexpected token|position \d/)
    }
    expect((await api.state(session)).seq).toBe(0)
  })

  it('with keys of a prototype changes nothing', async () => {
    const session = await api.session()
    await api.post(`/sessions/${session}/runs`, '{"__proto__":{"input":"x"},"constructor":{"model":"y"}}')
    expect((await api.state(session)).seq).toBe(0)
    await api.post(`/sessions/${session}/runs`, '{"input":"how many?","__proto__":{"model":"gpt"}}')
    expect((await api.events(session)).rows.at(-1)!.event).toMatchObject({ status: 'done' })
  })

  it('with another method is told the right ones, and with another path that there is nothing', async () => {
    const session = await api.session()
    for (const [method, path, allow] of [
      ['POST', '/health', 'GET'],
      ['GET', '/sessions', 'POST'],
      ['DELETE', `/sessions/${session}`, 'GET'],
      ['GET', `/sessions/${session}/runs`, 'POST'],
      ['POST', `/sessions/${session}/events`, 'GET'],
      ['PATCH', `/sessions/${session}/file`, 'GET, PUT'],
    ] as const) {
      const reply = await api.send(path, { method })
      expect([path, reply.status, reply.headers.get('allow')]).toEqual([path, 405, allow])
    }
    for (const path of [
      '/',
      '/x',
      '/healthy',
      '/health/x',
      `/sessions/${session}/`,
      `/sessions/${session}/x`,
      `/sessions/${session}/runs/x`,
    ]) {
      const reply = await api.send(path)
      expect([path, reply.status]).toEqual([path, path.endsWith('/') && path !== '/' ? 200 : 404])
    }
  })

  it('with an Idempotency-Key that is none is refused', async () => {
    const session = await api.session()
    for (const key of ['', 'x'.repeat(201)]) {
      const reply = await api.post(`/sessions/${session}/runs`, { input: 'x' }, { 'idempotency-key': key })
      expect([key.slice(0, 12), reply.status]).toEqual([key.slice(0, 12), 400])
    }
  })

  it('does not name another session to the object by a header', async () => {
    const [one, two] = [await api.session(), await api.session()]
    expect((await api.send(`/sessions/${one}`, { headers: { 'x-sameloop-session': two } })).body.session).toBe(one)
  })
})
