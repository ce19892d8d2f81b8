// Where a document comes from, which of its operations become tools, and where they lead.
import { describe, expect, it } from 'vitest'
import type { Fetch } from '../../src/host/host.ts'
import { policy } from '../../src/policy/policy.ts'
import { openApi } from '../../src/openapi/open-api.ts'
import type { OpenApiOptions } from '../../src/openapi/open-api.ts'
import { document, rig } from './rig.ts'

const get = (operationId?: string, more: object = {}) => ({ get: { ...(operationId && { operationId }), ...more } })
const plain = document({ '/x': get('x') })

const connecting = async (given: string | URL | object, options: Partial<OpenApiOptions> = {}) => {
  const source = openApi({ name: 'api', document: given, ...options })
  await source.connect?.()
  return (await source.list()).map(({ name }) => name)
}

describe('a document', () => {
  it('is an object, JSON text, or text for a parser that is given', async () => {
    expect(await connecting(plain)).toEqual(['x'])
    expect(await connecting(JSON.stringify(plain))).toEqual(['x'])
    expect(await connecting('anything', { parse: () => plain })).toEqual(['x'])
  })

  it.each<[string, string | object, string]>([
    ['of another version', { ...plain, openapi: '4.0.0' }, 'wanted version 3.0 or 3.1, got "4.0.0"'],
    ['of version 3.2', { ...plain, openapi: '3.2.0' }, 'wanted version 3.0 or 3.1, got "3.2.0"'],
    ['of Swagger', { swagger: '2.0', paths: {} }, 'it is Swagger 2.0: convert it to OpenAPI 3 first'],
    ['without a version', { paths: {} }, 'it has no "openapi" with its version'],
    ['that is a list', [], 'it is no object'],
    ['that is YAML without a parser', 'openapi: 3.0.0', 'it begins with "openapi: 3.0.0": for YAML give parse'],
    ['that is a web page', '<html></html>', 'its text is no JSON'],
  ])('%s is refused in words', async (_, given, problem) => {
    const failing = connecting(given)
    await expect(failing).rejects.toMatchObject({ code: 'source-failed' })
    await expect(failing).rejects.toThrow(`Cannot use the OpenAPI document "api": `)
    await expect(failing).rejects.toThrow(problem)
  })

  it('that its parser cannot read is refused without the words of the parser', async () => {
    const parse = () => {
      throw new SyntaxError('unexpected token at 1:1')
    }
    await expect(connecting('x', { parse })).rejects.toThrow(/: parse could not read its text$/)
  })

  it('at an address is fetched on each connect, once', async () => {
    const asked: string[] = []
    const fetch: Fetch = async (url) => (asked.push(String(url)), Response.json(plain))
    const source = openApi({ name: 'api', document: 'https://docs.example/openapi.json', fetch })
    await source.connect?.()
    await source.list()
    await source.list()
    expect(asked).toEqual(['https://docs.example/openapi.json'])
    await source.close?.()
    await source.connect?.()
    expect(asked).toHaveLength(2)
  })

  it.each<[string, Fetch, string, boolean]>([
    ['that is not there', async () => new Response('', { status: 404 }), 'answered with status 404', false],
    ['of a server in trouble', async () => new Response('', { status: 503 }), 'answered with status 503', true],
    ['that cannot be reached', () => Promise.reject(new TypeError('ECONNREFUSED 1.2.3.4')), 'cannot be reached', true],
    [
      'that is too large',
      async () => new Response(new Uint8Array(33 * 2 ** 20)),
      'it has more than 33554432 bytes',
      false,
    ],
  ])('%s fails in words', async (_, fetch, problem, retryable) => {
    const failing = connecting('https://docs.example/a.json', { fetch })
    await expect(failing).rejects.toMatchObject({ code: 'source-failed', retryable })
    await expect(failing).rejects.toThrow(problem)
    await expect(failing).rejects.not.toThrow('ECONNREFUSED')
  })

  it('is fetched from public addresses alone, unless a fetch of your own does it', async () => {
    for (const address of ['http://docs.example/a', 'https://127.0.0.1/a', 'https://10.0.0.1/a'])
      await expect(connecting(address)).rejects.toThrow(/Cannot request/)
  })

  it.each([
    [{ name: 'a.b' }, 'wanted a name of letters'],
    [{ url: 'ftp://x' }, 'wanted an http or https url'],
    [{ url: 'https://a:b@x' }, 'user name or password'],
  ])('with the options %o is refused before anything is read', (options, problem) => {
    expect(() => openApi({ name: 'api', document: plain, ...options })).toThrow(problem)
  })

  it('without operations gives no tools', async () => {
    expect(await connecting({ openapi: '3.1.0', webhooks: { a: { post: {} } } })).toEqual([])
    expect(await connecting({ openapi: '3.1.0', paths: { '/x': {}, '/y': null, 'x-z': 1 } })).toEqual([])
  })

  it('keeps the operations that can be used, and says why the others cannot', async () => {
    const { registry, source } = rig(
      document({
        '/good': get('good'),
        '/out': get('out', { parameters: [{ $ref: 'other.json#/a' }] }),
        '/lost': get('lost', { parameters: [{ $ref: '#/components/parameters/None' }] }),
        '/odd': get('odd', { parameters: [{ name: 'a', in: 'querystring' }] }),
        '/up/../x': get('up'),
        'no-slash': get('no'),
        '/q?a=b': get('query'),
        '/loop': { $ref: '#/paths/~1loop' },
        '/trace': { trace: {}, options: {} },
        '/body': get('body', { requestBody: { required: true, content: { 'application/json': {} } } }),
        '/fragment#2': get('fragment'),
        '/server': get('server', { servers: [{ url: 'wss://x' }] }),
        '/header': get('header', { parameters: [{ name: 'a b', in: 'header', schema: {} }] }),
      }),
    )
    await registry.connect()
    expect(registry.list()).toEqual(['openapi://api.good', 'openapi://api.fragment'])
    expect(source.problems.map(({ operation, problem }) => `${operation}: ${problem}`)).toEqual([
      '/up/../x: wanted a path without "." and ".."',
      'no-slash: wanted a path that begins with "/"',
      '/q?a=b: wanted a path alone, without a query, a backslash or a space',
      '/loop: the reference "#/paths/~1loop" leads back to itself',
      'GET /out: the reference "other.json#/a" leads out of the document',
      'GET /lost: the reference "#/components/parameters/None" leads nowhere',
      'GET /odd: its parameter "a" is in no known place',
      'GET /body: it wants a body, which GET does not have',
      'GET /server: Cannot use the REST server "api": wanted an http or https url, got "wss:"',
      'GET /header: "a b" is not the name of a header',
    ])
  })

  it('none of whose operations can be used is refused with the reason of the first', async () => {
    const failing = connecting({ ...plain, servers: [] })
    await expect(failing).rejects.toThrow('none of its operations can be a tool, "GET /x" because its server "/"')
    await expect(failing).rejects.toThrow('is no whole address: give url')
  })
})

describe('the name of a tool', () => {
  it('is its operationId, else its method and path, clean, unique and short', async () => {
    const names = await connecting(
      document({
        '/a': { get: { operationId: 'repos/list.all' }, post: { operationId: 'repos list all' } },
        '/b/{id}/c-d': { get: {}, delete: { operationId: '' }, put: { operationId: '__proto__' } },
        '/': { get: { operationId: '???' }, post: {} },
        '/l': { get: { operationId: 'l'.repeat(90) }, post: { operationId: 'l'.repeat(91) } },
      }),
    )
    expect(names).toEqual([
      'repos_list_all',
      'repos_list_all_2',
      'get_b_id_c-d',
      'delete_b_id_c-d',
      'proto',
      'get',
      'post',
      'l'.repeat(60),
      `${'l'.repeat(58)}_2`,
    ])
  })

  it('leaves room for the name of its source, so that models see all of it', async () => {
    const name = 'n'.repeat(20)
    const { registry } = rig(
      document({ '/l': { get: { operationId: 'l'.repeat(90) }, post: { operationId: 'l'.repeat(91) } } }),
      {
        name,
      },
    )
    await registry.connect()
    expect(registry.definitions().map((one) => one.name)).toEqual([
      `${name}_${'l'.repeat(43)}`,
      `${name}_${'l'.repeat(41)}_2`,
    ])
  })

  it('stays the same whatever is chosen', async () => {
    const both = document({ '/a': get('a b'), '/b': get('a-b', { tags: ['x'] }), '/c': get('a_b', { tags: ['x'] }) })
    expect(await connecting(both)).toEqual(['a_b', 'a-b', 'a_b_2'])
    expect(await connecting(both, { include: { tags: ['x'] } })).toEqual(['a-b', 'a_b_2'])
  })
})

describe('which operations become tools', () => {
  const many = document({
    '/pets': {
      get: { operationId: 'listPets', tags: ['pets'] },
      post: { operationId: 'addPet', tags: ['pets', 'admin'] },
    },
    '/shops/{id}': { get: { tags: ['shops'] }, delete: { operationId: 'old', deprecated: true, tags: ['shops'] } },
  })
  const choosing = (include: OpenApiOptions['include']) => connecting(many, { include })

  it('are all that are not deprecated, where nothing is said', async () => {
    expect(await choosing(undefined)).toEqual(['listPets', 'addPet', 'get_shops_id'])
  })

  it('is said by tags, by names, by patterns, or by a function that sees each', async () => {
    expect(await choosing({ tags: ['admin', 'shops'] })).toEqual(['addPet', 'get_shops_id'])
    expect(await choosing({ operations: ['listPets', 'GET /shops/*'] })).toEqual(['listPets', 'get_shops_id'])
    expect(await choosing({ operations: ['*Pet*'], tags: ['shops'] })).toEqual(['listPets', 'addPet', 'get_shops_id'])
    expect(await choosing({ operations: ['old'] })).toEqual(['old'])
    expect(await choosing({})).toEqual([])
    const seen: unknown[] = []
    expect(await choosing((operation) => (seen.push(operation), operation.method === 'DELETE'))).toEqual(['old'])
    expect(seen[3]).toEqual({
      name: 'old',
      id: 'old',
      method: 'DELETE',
      path: '/shops/{id}',
      tags: ['shops'],
      summary: undefined,
      deprecated: true,
    })
  })

  it('names nothing that is not there', async () => {
    await expect(choosing({ tags: ['nets'] })).rejects.toMatchObject({ code: 'config-invalid' })
    await expect(choosing({ tags: ['nets'] })).rejects.toThrow('no operation has the tag "nets"')
    await expect(choosing({ operations: ['dropAll'] })).rejects.toThrow('there is no operation "dropAll"')
  })
})

describe('the server of an operation', () => {
  const variables = { region: { default: 'eu', enum: ['eu', 'us'] }, port: { default: '8443' } }
  const servers = [{ url: 'https://{region}.example:{port}/v1', variables }, { url: 'https://second.example' }]
  const urlOf = async (given: object, options: Partial<OpenApiOptions> = {}): Promise<string | undefined> => {
    const { asked, call } = rig(given, options)
    await call('x')
    return asked.at(-1)?.url
  }

  it('is the first of the document, with its variables', async () => {
    const one = document({ '/x': get('x') }, { servers })
    expect(await urlOf(one)).toBe('https://eu.example:8443/v1/x')
    expect(await urlOf(one, { serverVariables: { region: 'us', port: '1' } })).toBe('https://us.example:1/v1/x')
    expect(await urlOf(one, { url: 'https://mine.example/base/' })).toBe('https://mine.example/base/x')
  })

  it('takes no variable that is unknown, nor a value that is not allowed', async () => {
    const one = document({ '/x': get('x') }, { servers })
    const failing = (serverVariables: Record<string, string>) => connecting(one, { serverVariables })
    await expect(failing({ regoin: 'us' })).rejects.toMatchObject({ code: 'config-invalid' })
    await expect(failing({ regoin: 'us' })).rejects.toThrow('no server of the document has it')
    await expect(failing({ region: 'asia' })).rejects.toThrow('wanted one of eu, us, got "asia"')
    const open = document({ '/x': get('x') }, { servers: [{ url: 'https://{where}/v1' }] })
    await expect(connecting(open)).rejects.toThrow('its server has no value for "{where}"')
  })

  it('is that of the operation, else of the path, else of the document', async () => {
    const at = (url: string) => ({ servers: [{ url }] })
    const inner = document({ '/x': { ...at('https://path.example'), ...get('x', at('https://operation.example')) } })
    expect(await urlOf(inner)).toBe('https://operation.example/x')
    const outer = document({ '/x': { ...at('https://path.example/v2/'), ...get('x') } })
    expect(await urlOf(outer)).toBe('https://path.example/v2/x')
    expect(await urlOf(inner, { url: 'https://mine.example' })).toBe('https://mine.example/x')
  })

  it('counts from the address of the document, after its redirects', async () => {
    const given = document({ '/x': get('x') }, { servers: [{ url: '../v2' }] })
    const asked: string[] = []
    const fetch: Fetch = async (url) => {
      asked.push(String(url))
      if (asked.length === 1)
        return new Response('', { status: 302, headers: { location: 'https://b.example/api/docs/o.json' } })
      return Response.json(asked.length === 2 ? given : { ok: true })
    }
    const { registry } = rig({}, { document: 'https://a.example/o.json', fetch })
    await registry.call('openapi://api.x')
    expect(asked[2]).toBe('https://b.example/api/v2/x')
  })

  it('in a private network is refused by the policy of the run', async () => {
    const asked: string[] = []
    const fetch: Fetch = async (url) => (asked.push(String(url)), Response.json({}))
    for (const url of ['http://169.254.169.254/latest', 'https://[::1]', 'https://10.1.2.3', 'http://api.example']) {
      const given = document({ '/x': get('x') }, { servers: [{ url }] })
      const { registry } = rig(given, { fetch: undefined as never, env: { fetch } })
      const outcome = registry.fork({ policy: policy(), env: { fetch } }).call('openapi://api.x')
      await expect(outcome).rejects.toThrow(
        /^Cannot request ".*": (?:only https is allowed|.* is not on the public internet)/,
      )
    }
    expect(asked).toEqual([])
  })
})
