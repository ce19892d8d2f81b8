// Who a request comes from: the security schemes of a document, and who may see what stands for them.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { OpenApiAuth, OpenApiScheme } from '../../src/openapi/security.ts'
import { eventsOf } from '../agent/rig.ts'
import { document, rig } from './rig.ts'
import type { Rig } from './rig.ts'

const securitySchemes = {
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api_key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  second: { type: 'apiKey', in: 'cookie', name: 'csrf' },
  'x-bearer': { type: 'http', scheme: 'Bearer' },
  basic: { type: 'http', scheme: 'basic' },
  oauth: { type: 'oauth2', flows: {} },
  open: { type: 'openIdConnect', openIdConnectUrl: 'https://x' },
  tls: { type: 'mutualTLS' },
}

type Options = NonNullable<Parameters<typeof rig>[1]>

const secured = (security: unknown, options: Options = {}, operation: object = {}): Rig =>
  rig(
    document(
      { '/x': { get: { operationId: 'x', security, ...operation } } },
      { components: { securitySchemes }, security: [{ key: [] }] },
    ),
    options,
  )

describe('a credential', () => {
  it.each<[string, OpenApiAuth, object]>([
    ['key', { key: 'k-123456' }, { headers: { 'x-key': 'k-123456' } }],
    ['query', { query: async () => 'k-1 2' }, { url: 'https://api.example/v1/x?api_key=k-1+2' }],
    ['cookie', { cookie: 'c-123456=' }, { headers: { cookie: 'session=c-123456=' } }],
    ['x-bearer', { 'x-bearer': 't-123456' }, { headers: { authorization: 'Bearer t-123456' } }],
    ['basic', { basic: { username: 'a', password: 'b' } }, { headers: { authorization: 'Basic YTpi' } }],
    ['oauth', { oauth: 't-123456' }, { headers: { authorization: 'Bearer t-123456' } }],
    ['open', { open: 't-123456' }, { headers: { authorization: 'Bearer t-123456' } }],
  ])('for the scheme %s is sent as the document says', async (scheme, auth, wanted) => {
    const { asked, call } = secured([{ [scheme]: [] }], { auth })
    await call('x')
    expect(asked[0]).toMatchObject(wanted)
  })

  it('in a cookie goes beside another', async () => {
    const { asked, call } = secured([{ cookie: [], second: [] }], { auth: { cookie: 'a', second: 'b' } })
    await call('x')
    expect(asked[0]?.headers['cookie']).toBe('session=a; csrf=b')
  })

  it('is that of the first alternative that can be met, all of whose schemes are', async () => {
    const ways = [{ key: [], query: [] }, { cookie: [] }, { oauth: [] }]
    const { asked, call } = secured(ways, { auth: { key: 'k-123456', oauth: 't-123456' } })
    await call('x')
    expect(asked[0]?.headers).not.toHaveProperty('x-key')
    expect(asked[0]?.headers['authorization']).toBe('Bearer t-123456')
    const both = secured(ways, { auth: { key: 'k-123456', query: 'q-123456', cookie: 'c-1' } })
    await both.call('x')
    expect(both.asked[0]).toMatchObject({
      url: 'https://api.example/v1/x?api_key=q-123456',
      headers: { 'x-key': 'k-123456' },
    })
    expect(both.asked[0]?.headers).not.toHaveProperty('cookie')
  })

  it('is the one of the document where an operation does not say, and none where it says none', async () => {
    const inherited = secured(undefined, { auth: { key: 'k-123456' } })
    await inherited.call('x')
    expect(inherited.asked[0]?.headers['x-key']).toBe('k-123456')
    for (const security of [[], [{}, { key: [] }]]) {
      const { asked, call } = secured(security, { auth: { key: 'k-123456' } })
      await call('x')
      expect(asked[0]?.headers).not.toHaveProperty('x-key')
    }
  })

  it('that is missing is a failure that names what would do, and nothing is sent', async () => {
    const { asked, failure } = secured([{ key: [], query: [] }, { oauth: [] }], { auth: {} })
    expect(await failure('x')).toBe(
      'failed: There are no credentials for this operation: it needs "key" with "query" or "oauth"',
    )
    expect(asked).toEqual([])
  })

  it("is nobody's business where no auth is given: a header or a fetch of your own may do it", async () => {
    const { asked, call } = secured([{ key: [] }], { headers: { 'x-key': 'mine' } })
    await call('x')
    expect(asked[0]?.headers['x-key']).toBe('mine')
  })

  it('may come from a function that is asked for each request', async () => {
    const seen: unknown[] = []
    const auth: OpenApiAuth = (scheme: OpenApiScheme, operation) => {
      seen.push([scheme.name, scheme.type, scheme.scopes, operation.method])
      return scheme.type === 'oauth2' ? 't-123456' : undefined
    }
    const { asked, call } = secured([{ tls: [] }, { oauth: ['read', 'write'] }], { auth })
    await call('x')
    await call('x')
    expect(asked[1]?.headers['authorization']).toBe('Bearer t-123456')
    expect(seen.slice(0, 2)).toEqual([
      ['tls', 'mutualTLS', [], 'GET'],
      ['oauth', 'oauth2', ['read', 'write'], 'GET'],
    ])
    expect(seen).toHaveLength(4)
    const throwing = secured([{ oauth: [] }], {
      auth: () => {
        throw new Error('secret t-9')
      },
    })
    expect(await throwing.failure('x')).toBe('failed: Cannot resolve credentials for "oauth"')
  })

  it.each<[OpenApiAuth, string]>([
    [{ kee: 'x' }, 'Cannot use auth "kee": the document has "key", "query"'],
    [{ tls: 'x' }, 'its type is "mutualTLS", for which this is no credential'],
    [{ basic: 'x' }, 'its type is "basic", for which this is no credential'],
    [{ key: { username: 'a', password: 'b' } }, 'its type is "apiKey", for which this is no credential'],
    [{ key: '' }, 'wanted a text, got an empty one'],
    [{ key: () => Promise.reject(new Error('vault down')) }, 'Cannot resolve the header "X-Key"'],
    [{ cookie: 'a;b' }, 'wanted no ";" and no space in it'],
  ])('%o that does not go with the document is said when it is connected', async (auth, problem) => {
    const { registry } = secured([], { auth })
    await expect(registry.connect()).rejects.toThrow(problem)
  })

  it('is not asked of a model, whatever parameters the document describes for it', async () => {
    const parameters = [
      { name: 'X-Key', in: 'header', required: true, schema: { type: 'string' } },
      { name: 'api_key', in: 'query', schema: { type: 'string' } },
      { name: 'X-Version', in: 'header', required: true, schema: { type: 'string' } },
      { name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } },
      { name: 'kept', in: 'header', schema: { type: 'string' } },
    ]
    const { asked, call, registry } = secured(
      [{ key: [] }],
      { auth: { key: 'k-123456' }, headers: { 'x-version': '7' } },
      { parameters },
    )
    await call('x', { kept: 'y' })
    expect(asked[0]?.headers).toMatchObject({ 'x-key': 'k-123456', 'x-version': '7', kept: 'y' })
    expect(Object.keys(registry.definitions()[0]?.inputSchema['properties'] as object)).toEqual(['kept'])
  })

  it('takes the place of what a model fills in, and goes beside other cookies', async () => {
    const parameters = [
      { name: 'q', in: 'query', schema: { type: 'object' } },
      { name: 'theme', in: 'cookie', schema: {} },
    ]
    const auth = { query: 'q-123456', cookie: 'c-123456' }
    const { asked, call } = secured([{ query: [], cookie: [] }], { auth }, { parameters })
    await call('x', { q: { api_key: 'forged', a: 'b c' }, theme: 'dark' })
    expect(asked[0]).toMatchObject({
      url: 'https://api.example/v1/x?a=b%20c&api_key=q-123456',
      headers: { cookie: 'theme=dark; session=c-123456' },
    })
  })
})

describe('a secret', () => {
  const auth = { key: 'k-very-secret', query: async () => 'q-very-secret', cookie: 'c-very-secret' }
  const all = [{ key: [], query: [], cookie: [] }]

  it('is read by nobody: not in events, results, errors or previews', async () => {
    const echo = ({ url, headers }: { url: string; headers: object }) =>
      Response.json({ url, headers, [JSON.stringify(headers)]: 1 }, { status: 400 })
    const { registry } = secured(all, { auth, answer: echo as never, headers: { 'x-token': () => 'h-very-secret' } })
    const model = scriptedModel([{ calls: [{ name: 'api_x', input: {} }] }, 'done'])
    const run = agent({ model, registry, approve: () => 'approve' }).run('x')
    const events = await eventsOf(run)
    const seen = JSON.stringify([events, await run.result, model.requests])
    expect(seen).toContain('status 400')
    expect(seen).not.toContain('very-secret')
  })

  it("goes to the origin of the document's server alone, unless another is named", async () => {
    const elsewhere = { servers: [{ url: 'https://upload.example' }] }
    const headers = { 'x-token': 'h-very-secret' }
    const { asked, failure } = secured(all, { auth, headers }, elsewhere)
    expect(await failure('x')).toContain('Credentials are not sent to "https://upload.example"')
    expect(asked).toEqual([])
    const free = secured([{}], { auth, headers }, elsewhere)
    await free.call('x')
    expect(JSON.stringify(free.asked)).not.toContain('very-secret')
    const named = secured(all, { auth, headers, origins: ['https://upload.example/any'] }, elsewhere)
    await named.call('x')
    expect(named.asked[0]?.headers).toMatchObject({ 'x-key': 'k-very-secret', 'x-token': 'h-very-secret' })
  })

  it('does not follow a redirect to another origin', async () => {
    const answer = ({ url }: { url: string }) =>
      url.startsWith('https://api.example')
        ? new Response('', { status: 302, headers: { location: 'https://evil.example/' } })
        : Response.json({})
    const { asked, call } = secured(all, { auth, answer })
    await call('x')
    expect(asked[1]?.url).toBe('https://evil.example/')
    expect(JSON.stringify(asked[1])).not.toContain('very-secret')
  })
})
