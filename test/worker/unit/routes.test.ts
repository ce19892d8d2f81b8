// The API before the objects, as the plain function it is: mounted anywhere, with any access.
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { agentRoutes } from '../../../adapters/cloudflare/index.ts'
import type { AccessVariables, AgentRoutesOptions, Auth } from '../../../adapters/cloudflare/index.ts'

interface Passed {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const env: AccessVariables = { AGENT_TOKEN: 'a-token-for-tests-only', SESSION_SECRET: 'a-secret-for-tests-only' }

/** Objects that only note who was asked what. */
function objects(passed: Passed[], reply: () => Response = () => Response.json({ ok: true })): DurableObjectNamespace {
  const stub = (name: string) => ({
    fetch: async (url: string, init: RequestInit) => {
      passed.push({ name, url, headers: Object.fromEntries(new Headers(init.headers)) })
      return reply()
    },
  })
  return { idFromName: (name: string) => name, get: stub } as unknown as DurableObjectNamespace
}

const byHeader: Auth<AccessVariables> = (request) => {
  const tenant = request.headers.get('x-tenant')
  return tenant === null ? { status: 403, code: 'no-tenant', message: 'Whose is it?' } : { tenant }
}

function api(options: Partial<AgentRoutesOptions<AccessVariables>> = {}, passed: Passed[] = []) {
  const routes = agentRoutes<AccessVariables>({ object: () => objects(passed), ...options })
  return (path: string, init: RequestInit = {}, variables: AccessVariables = env) =>
    routes(new Request(`https://agent.example${path}`, init), variables)
}

const bearer = { authorization: `Bearer ${env.AGENT_TOKEN}` }
const made = async (response: Promise<Response>): Promise<string> =>
  ((await (await response).json()) as { session: string }).session

describe('agentRoutes()', () => {
  it('takes any access, and keeps the sessions of one tenant from another', async () => {
    const passed: Passed[] = []
    const ask = api({ auth: byHeader }, passed)
    expect((await ask('/api/health')).status).toBe(403)
    const session = await made(ask('/api/sessions', { method: 'POST', headers: { 'x-tenant': 'ada' } }))
    expect((await ask(`/api/sessions/${session}`, { headers: { 'x-tenant': 'ada' } })).status).toBe(200)
    expect((await ask(`/api/sessions/${session}`, { headers: { 'x-tenant': 'bob' } })).status).toBe(404)
    expect(passed.map(({ name }) => name)).toEqual([`ada:${session.slice(0, 32)}`])
  })

  it('makes ids that another secret does not know', async () => {
    const ask = api()
    const session = await made(ask('/api/sessions', { method: 'POST', headers: bearer }))
    const other = { ...env, SESSION_SECRET: 'another-secret-for-tests' }
    expect((await ask(`/api/sessions/${session}`, { headers: bearer }, other)).status).toBe(404)
  })

  it('mounts below any path of any router', async () => {
    const passed: Passed[] = []
    const routes = agentRoutes<AccessVariables>({ object: () => objects(passed), prefix: '/v2/agent' })
    const app = new Hono<{ Bindings: AccessVariables }>()
    app.all('/v2/agent/*', (context) => routes(context.req.raw, context.env))
    app.get('/other', (context) => context.text('other'))
    const ask = (path: string, method = 'GET') =>
      app.request(`https://agent.example${path}`, { method, headers: bearer }, env)
    expect(await (await ask('/other')).text()).toBe('other')
    const { session } = (await (await ask('/v2/agent/sessions', 'POST')).json()) as { session: string }
    expect((await ask(`/v2/agent/sessions/${session}/files?path=/a%20b`)).status).toBe(200)
    expect(passed[0]!.url).toBe('https://session/files?path=/a%20b')
  })

  it('passes on to an MCP server only what was let in: of a session, or of the one that a tenant shares', async () => {
    const passed: Passed[] = []
    const ask = api({ auth: byHeader, mcp: '/mcp' }, passed)
    const tenant = { 'x-tenant': 'ada' }
    const session = await made(ask('/api/sessions', { method: 'POST', headers: tenant }))
    const to = async (path: string, headers: Readonly<Record<string, string>>, variables = env) =>
      (await ask(path, { method: 'POST', body: '{}', headers }, variables)).status
    expect(await to('/mcp', {})).toBe(403)
    expect(await to('/mcp', tenant, { ...env, SESSION_SECRET: '' })).toBe(503)
    expect(await to('/mcp?session=guessed', tenant)).toBe(404)
    expect(await to(`/mcp?session=${session}`, { 'x-tenant': 'bob' })).toBe(404)
    expect(await to('/mcp/', tenant)).toBe(404)
    expect(await to(`/api/sessions/${session}/mcp`, tenant)).toBe(404)
    expect(passed).toEqual([])
    const mcp = { accept: 'text/event-stream', 'content-type': 'application/json', 'mcp-session-id': 's' }
    expect(await to(`/mcp?session=${session}`, { ...tenant, ...mcp, cookie: 'a=b' })).toBe(200)
    expect(await to('/mcp', { ...tenant, ...mcp })).toBe(200)
    expect(passed.map(({ name, headers }) => [name, headers])).toEqual([
      [`ada:${session.slice(0, 32)}`, { ...mcp, 'x-sameloop-session': session }],
      ['ada:mcp', { ...mcp, 'x-sameloop-session': 'mcp' }],
    ])
    const nowhere = api({ auth: byHeader })
    expect((await nowhere('/mcp', { method: 'POST', headers: tenant })).status).toBe(404)
  })

  it('passes on no header but those the object knows', async () => {
    const passed: Passed[] = []
    const ask = api({}, passed)
    const session = await made(ask('/api/sessions', { method: 'POST', headers: bearer }))
    const headers = { ...bearer, 'if-match': '"1"', 'x-sameloop-session': 'forged', cookie: 'a=b', 'x-other': '1' }
    await ask(`/api/sessions/${session}/file?path=/x`, { method: 'PUT', body: 'x', headers })
    expect(passed[0]!.headers).toEqual({ 'if-match': '"1"', 'x-sameloop-session': session })
  })

  it('does not let a deployed worker be used because DEV is set', async () => {
    const ask = api()
    const page = { headers: { 'sec-fetch-site': 'same-origin' } }
    expect((await ask('/api/health', page, { DEV: '1' })).status).toBe(503)
    expect((await ask('/api/health', page, { ...env, DEV: '1' })).status).toBe(401)
  })

  it('refuses a list of origins that is none, when it is made or when it is configured', async () => {
    for (const origin of ['*', 'null', 'example.com', 'https://*.example.com', 'https://example.com/path', '']) {
      expect(() => api({ cors: [origin] })).toThrow(`Cannot allow the origin ${JSON.stringify(origin)}`)
    }
    for (const origin of [
      'https://example.com',
      'http://localhost:8787',
      'http://[::1]:8787',
      'chrome-extension://abc',
    ]) {
      expect(() => api({ cors: [origin] })).not.toThrow()
    }
    const told: unknown[] = []
    const ask = api({ cors: () => ['*'], onError: (thrown) => void told.push(thrown) })
    const response = await ask('/api/health', { headers: bearer })
    expect([response.status, response.headers.get('access-control-allow-origin'), told.length]).toEqual([503, null, 1])
  })

  it('says how it wants to be asked, where nobody asked rightly', async () => {
    expect((await api()('/api/health')).headers.get('www-authenticate')).toBe('Bearer')
  })

  it('tells the operator of a fault, and the client nothing of it', async () => {
    const told: unknown[] = []
    const fault = new Error('the password is hunter2')
    const ask = api({
      object: () => {
        throw fault
      },
      onError: (thrown) => void told.push(thrown),
    })
    const session = await made(ask('/api/sessions', { method: 'POST', headers: bearer }))
    const response = await ask(`/api/sessions/${session}`, { headers: bearer })
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: { code: 'internal', message: 'The request failed' } },
    ])
    expect(told).toEqual([fault])
  })
})
