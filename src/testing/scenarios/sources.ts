// Guarantees about registries, REST servers, OpenAPI documents and middleware.
import { toolRegistry } from '../../catalog/tool-registry.ts'
import { compact } from '../../middleware/compact.ts'
import { redact } from '../../middleware/redact.ts'
import { retryTools } from '../../middleware/retry-tools.ts'
import { trim } from '../../middleware/trim.ts'
import { openApi } from '../../openapi/open-api.ts'
import { restServer } from '../../rest/rest-server.ts'
import { jsonSchema } from '../../schema/check.ts'
import { tool } from '../../tool/define.ts'
import type { Scenario } from '../kit.ts'
import { cast, checkTranscript, echo, lastResults, play } from './cast.ts'

const byId = jsonSchema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] })

const pets = {
  openapi: '3.0.3',
  servers: [{ url: 'https://api.example/v1' }],
  security: [{ key: [] }],
  paths: {
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getPet',
        parameters: [
          { name: 'tags', in: 'query', style: 'pipeDelimited', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'where', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
        ],
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } } },
      },
      post: {
        operationId: 'addPicture',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { properties: { note: { type: 'string' }, picture: { type: 'string', format: 'binary' } } },
            },
          },
        },
      },
    },
    '/broken': { get: { parameters: [{ $ref: 'elsewhere.json' }] } },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } },
    schemas: {
      Pet: {
        type: 'object',
        properties: {
          name: { type: 'string', nullable: true },
          friends: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
        },
        required: ['name'],
      },
    },
  },
}

export const sourceScenarios: readonly Scenario[] = [
  {
    name: 'a REST route is a tool: encoded, with its secret kept from everybody but the server',
    run: async (kit) => {
      kit.serve(({ headers, url }) => {
        kit.note('asked', [url, headers['authorization']])
        return url.endsWith('/404')
          ? { status: 404, body: 'no such order' }
          : { headers: { 'content-type': 'application/json' }, body: '{"total":"5","echo":"very-secret-token"}' }
      })
      const shop = restServer({
        name: 'shop',
        url: 'https://api.example/v1',
        auth: { type: 'bearer', token: () => 'very-secret-token' },
        fetch: kit.host.fetch,
      }).tool({ name: 'get_order', description: 'Gets an order.', path: '/orders/{id}', input: byId })
      const registry = toolRegistry({ env: { host: kit.host } }).addSource(shop)
      const calls = ['a b/c', '404'].map((id) => ({ name: 'shop_get_order', input: { id } }))
      const { events, result } = await play(kit, cast(kit, [{ calls }, 'done'], { registry }))
      kit.equal(
        lastResults(result.messages).map(({ ok, text }) => [ok, text]),
        [
          [true, '{"total":"5","echo":"…"}'],
          [false, 'The server answered with status 404: no such order'],
        ],
      )
      kit.equal(
        kit.requests.map(({ url }) => url),
        ['https://api.example/v1/orders/a%20b%2Fc', 'https://api.example/v1/orders/404'],
      )
      kit.check(!JSON.stringify(events).includes('very-secret'), 'no event shows the secret')
      kit.note('called by code', await registry.call('rest://shop.get_order', { id: 'x' }))
    },
  },
  {
    name: 'an OpenAPI document becomes tools: references, styles, bodies and credentials are the same everywhere',
    run: async (kit) => {
      kit.serve(({ method, url, headers, body }) => {
        kit.note('asked', [method, url, headers['content-type'], body])
        const pet = url.includes('/odd') ? { friends: [{}] } : { name: null, friends: [{ name: 'Tom' }] }
        return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ...pet, echo: url }) }
      })
      const auth = { key: () => 'very-secret-token' }
      const source = openApi({ name: 'pets', document: JSON.stringify(pets), auth, fetch: kit.host.fetch })
      const registry = toolRegistry({ env: { host: kit.host } }).addSource(source)
      const input = { id: 'ü/1', tags: ['a b', 'c'], where: { 'age>': 2, color: 'red&blue' } }
      const calls = [
        { name: 'pets_getPet', input },
        { name: 'pets_getPet', input: { id: 'odd' } },
        { name: 'pets_getPet', input: { id: '..' } },
        { name: 'pets_addPicture', input: { id: '1', note: 'ü', picture: { base64: 'AQID', filename: 'a.png' } } },
      ]
      const { events, result } = await play(kit, cast(kit, [{ calls }, 'done'], { registry }))
      kit.equal(
        lastResults(result.messages).map(({ ok, reason }) => reason ?? ok),
        [true, 'invalid-output', 'failed', true],
      )
      kit.equal(kit.requests.length, 3)
      kit.equal(
        kit.requests[0]?.url,
        'https://api.example/v1/pets/%C3%BC%2F1?tags=a%20b%7Cc&where%5Bage%3E%5D=2&where%5Bcolor%5D=red%26blue&key=very-secret-token',
      )
      kit.check(!JSON.stringify(events).includes('very-secret'), 'no event shows the secret')
      kit.note('problems', source.problems)
      kit.note('described', await registry.describe())
    },
  },
  {
    name: 'a registry is shared by reference; aliases, switches and forks hold for models and for code',
    run: async (kit) => {
      const registry = toolRegistry({ env: { host: kit.host } })
        .register(echo, { name: 'say.again' })
        .alias('repeat', 'say.again')
      const fork = registry.fork()
      registry.disable('say.again')
      const call = { calls: [{ name: 'say_again', input: { text: 'a' } }] }
      const { result } = await play(kit, cast(kit, [call, 'done'], { registry: fork }))
      kit.equal(lastResults(result.messages)[0]?.reason, 'denied')
      registry.enable('say.again')
      kit.equal(await fork.call('repeat', { text: 'b' }), { result: 'b' })
      kit.equal([fork.list(), registry.calls('say.again')], [['say.again'], 1])
      kit.note('described', await fork.describe())
    },
  },
  {
    name: 'middleware retries a tool, keeps personal data from the model, and shortens what it reads',
    run: async (kit) => {
      let tries = 0
      const flaky = tool({
        name: 'flaky',
        description: 'Works the second time.',
        effect: 'read',
        repeatable: true,
        execute: () =>
          ++tries % 2 ? Promise.reject(new Error('busy')) : `mail to ann@example.com ${'x'.repeat(2000)}`,
      })
      const call = { calls: [{ name: 'flaky' }] }
      const turns = [call, call, call, 'wrote to [email-1]']
      const options = { tools: [flaky], middleware: [retryTools(), trim({ maxTokens: 1200 }), redact()] }
      const actors = cast(kit, turns, options)
      const { result, events } = await play(kit, actors, 'ann@example.com')
      kit.equal([result.status, result.text, tries], ['done', 'wrote to ann@example.com', 6])
      kit.check(!JSON.stringify(actors.model.requests).includes('ann@'), 'the model reads placeholders')
      kit.check(
        events.some(({ type }) => type === 'compaction'),
        'shortening is an event',
      )
      for (const { messages } of actors.model.requests) checkTranscript(kit, messages)
    },
  },
  {
    name: 'a long conversation is summarised once and goes on from the summary',
    run: async (kit) => {
      const big = tool({ name: 'big', description: 'x', repeatable: true, execute: () => 'y'.repeat(4000) })
      const call = { calls: [{ name: 'big' }] }
      const turns = [call, call, call, 'the summary', call, 'done']
      const actors = cast(kit, turns, { tools: [big], middleware: [compact({ maxTokens: 2500, keepTokens: 1200 })] })
      const { result } = await play(kit, actors)
      kit.equal([result.status, result.text], ['done', 'done'])
      kit.includes(JSON.stringify(actors.model.requests.at(-1)?.messages[0]), 'the summary')
    },
  },
]
