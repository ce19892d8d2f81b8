// What the third of the seeds promises, one scenario for each promise: one kernel, typed both ways, whatever is behind it.
import { toolRegistry } from '../../catalog/tool-registry.ts'
import type { ToolRegistry } from '../../catalog/tool-registry.ts'
import { mcpServer } from '../../mcp/mcp-server.ts'
import { restServer } from '../../rest/rest-server.ts'
import { own } from '../../json/value.ts'
import { jsonSchema } from '../../schema/check.ts'
import type { JsonSchema } from '../../schema/schema.ts'
import { tool } from '../../tool/define.ts'
import type { ToolSource } from '../../tool/source.ts'
import { tool as valibotTool } from '../../tool/valibot-tool.ts'
import type { Kit, Scenario } from '../kit.ts'
import { cast, lastResults, play } from './cast.ts'
import { answerMcp, mcpText, mcpTools } from './mcp.ts'

const id = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
const order = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }

const totals: Readonly<Record<number, number>> = { 7: 50 }

const local = tool({
  name: 'local',
  description: 'An order of this process.',
  input: jsonSchema<{ id: number }>(id),
  output: jsonSchema<{ total: number }>(order),
  effect: 'read',
  execute: (input) => ({ total: totals[input.id] ?? 0 }),
})

/** A source of a scheme that the library does not know. */
const ledger: ToolSource = { scheme: 'ledger', name: 'main', list: () => [{ ...local, name: 'get_order' }] }

/** The same order from a server of MCP. */
const desk = answerMcp(({ method, params }) => {
  const given = own(own(params, 'arguments'), 'id')
  if (method === 'tools/list')
    return {
      tools: [{ name: 'get_order', inputSchema: id, outputSchema: order, description: 'An order of the desk.' }],
    }
  return method === 'tools/call'
    ? { content: [], structuredContent: { total: String(totals[Number(given)]) } }
    : undefined
})

/** One registry over a function, an HTTP API, another agent, a server of MCP and a source of one's own. */
function kernel(kit: Kit): ToolRegistry {
  kit.serve((request) => {
    const { url } = request
    if (url.startsWith('https://desk.')) return desk(request)
    const total = totals[Number(url.slice(url.lastIndexOf('/') + 1))]
    return total === undefined
      ? { status: 404, headers: { 'content-type': 'application/json' }, body: '{"error":"no such order"}' }
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ total: String(total) }) }
  })
  const shop = restServer({ name: 'shop', url: 'https://shop.example/v1' }).tool({
    name: 'get_order',
    description: 'An order of the shop.',
    path: '/orders/{id}',
    input: jsonSchema<{ id: number }>(id),
    output: jsonSchema<{ total: number }>(order),
  })
  const { assistant } = cast(kit, ['{"total":50}'], { output: jsonSchema(order) })
  const clerk = assistant.asTool({
    name: 'clerk',
    description: 'A clerk who knows all orders.',
    input: jsonSchema<{ id: number }>(id),
  })
  return toolRegistry({ env: { host: kit.host, fetch: kit.host.fetch } })
    .register([local, clerk])
    .addSource(shop)
    .addSource(mcpServer({ name: 'desk', url: 'https://desk.example/mcp', host: kit.host }))
    .addSource(ledger)
}

const resultScenarios: readonly Scenario[] = [
  {
    name: 'V3 A declared object is handed back as it is, and everything else under result',
    run: async (kit) => {
      const registry = toolRegistry({ env: { host: kit.host } })
      const give = (name: string, value: unknown, output?: JsonSchema): void => {
        const given = { name, description: 'Gives.', execute: () => value }
        registry.register(output ? tool({ ...given, output: jsonSchema(output) }) : tool(given))
      }
      give('object', { total: 50 }, order)
      give('number', 50, { type: 'number' })
      give('list', [1, 2], { type: 'array' })
      give('text', 'fifty')
      give('loose', { total: 50 })
      give('nothing', undefined)
      const values: unknown[] = []
      for (const name of registry.list()) values.push(await registry.call(name))
      kit.equal(values, [
        { total: 50 },
        { result: 50 },
        { result: [1, 2] },
        { result: 'fifty' },
        { result: { total: 50 } },
        { result: null },
      ])
      const calls = registry.list().map((name) => ({ name }))
      const { result } = await play(kit, cast(kit, [{ calls }, 'ok'], { registry }))
      kit.equal(
        lastResults(result.messages).map(({ text }) => text),
        ['{"total":50}', '50', '[1,2]', 'fifty', '{"total":50}', ''],
        'What a model reads',
      )
    },
  },
  {
    name: 'V4 An output that cannot be made to fit is an error, and nobody gets it unchecked',
    run: async (kit) => {
      const values = { text: 'fifty euro', nothing: undefined, half: { total: 'half' }, list: [{ total: 1 }] }
      const registry = toolRegistry({ env: { host: kit.host } })
      for (const [name, value] of Object.entries(values))
        registry.register(
          tool({ name, description: 'Gives.', output: jsonSchema(order), execute: () => value as object }),
        )
      for (const name of registry.list()) await kit.throws(() => registry.call(name), 'tool-invalid-output')
      const calls = registry.list().map((name) => ({ name }))
      const { result } = await play(kit, cast(kit, [{ calls }, 'ok'], { registry }))
      for (const { ok, reason } of lastResults(result.messages)) kit.equal([ok, reason], [false, 'invalid-output'])
      kit.equal(result.status, 'done')
    },
  },
]

const signatureScenarios: readonly Scenario[] = [
  {
    name: 'V5 A function that was made a tool is still called as a function',
    run: async (kit) => {
      const greet = tool(
        {
          name: 'greet',
          description: 'Greets.',
          input: jsonSchema<{ who: string }>({
            type: 'object',
            properties: { who: { type: 'string' } },
            required: ['who'],
          }),
        },
        ({ who }: { who: string }) => `Hello ${who}`,
      )
      const direct: string = greet({ who: 'Ann' })
      const registry = toolRegistry({ env: { host: kit.host } }).register(greet)
      kit.equal([direct, greet.name, greet.description], ['Hello Ann', 'greet', 'Greets.'])
      kit.equal(await registry.call('fn://greet', { who: 'Bob' }), { result: 'Hello Bob' })
      kit.equal(registry.calls('greet'), 1)
    },
  },
  {
    name: 'V6 A parameter with a default may be left out, and one without a type may be anything',
    run: async (kit) => {
      const seen: unknown[] = []
      const note = valibotTool(
        { name: 'note', description: 'Notes.', input: { days: 3, loud: false, about: undefined } },
        (input) => (seen.push(input), 'ok'),
      )
      const registry = toolRegistry({ env: { host: kit.host } }).register(note)
      const schema = await registry.inputSchema('fn://note')
      kit.equal(schema['required'], ['about'])
      kit.equal(schema['properties'], {
        days: { type: 'number', default: 3 },
        loud: { type: 'boolean', default: false },
        about: {},
      })
      for (const about of ['text', 5, [1, null], { deep: true }]) await registry.call('note', { about })
      await registry.call('note', { about: null, days: 9 })
      kit.equal(seen, [
        { days: 3, loud: false, about: 'text' },
        { days: 3, loud: false, about: 5 },
        { days: 3, loud: false, about: [1, null] },
        { days: 3, loud: false, about: { deep: true } },
        { days: 9, loud: false, about: null },
      ])
      await kit.throws(() => registry.call('note', { days: 1 }), 'tool-invalid-input')
      await kit.throws(() => registry.call('note', { about: 1, days: 'many' }), 'tool-invalid-input')
    },
  },
]

const serverScenarios: readonly Scenario[] = [
  {
    name: 'V7 A server of MCP that is registered is configuration alone; it connects when it is described or called, once',
    run: async (kit) => {
      const asked = (method: string): number => kit.requests.filter(({ body }) => body.includes(method)).length
      const served = answerMcp(({ method }) => {
        if (method === 'tools/list') return mcpTools
        return method === 'tools/call' ? mcpText('said') : undefined
      })
      kit.serve((request) => (request.url.includes('desk') ? served(request) : { status: 500, body: 'out of order' }))
      const server = (name: string, url: string) => mcpServer({ name, url, host: kit.host })
      const registryOf = (url: string): ToolRegistry =>
        toolRegistry({ env: { host: kit.host } }).addSource(server('desk', url))
      const registry = registryOf('https://desk.example/mcp')
      kit.equal([registry.list(), kit.requests.length], [[], 0])
      kit.equal(
        (await registry.describe()).map(({ name }) => name),
        ['mcp://desk.echo', 'mcp://desk.weather'],
      )
      await Promise.all([registry.connect(), registry.connect()])
      kit.equal([asked('"initialize"'), asked('tools/list')], [1, 1])
      const other = registryOf('https://desk.example/mcp')
      kit.equal(await other.call('mcp://desk.echo', { text: 'a' }), { result: 'said' })
      for (const url of ['nowhere', 'ftp://desk.example', 'https://gone.example/mcp']) {
        const wrong = registryOf(url)
        await kit.throws(() => wrong.connect(), 'source-failed')
      }
    },
  },
  {
    name: 'V8 A server of MCP that was closed opens again when it is needed',
    run: async (kit) => {
      const served = answerMcp(({ method }) => {
        if (method === 'tools/list') return mcpTools
        return method === 'tools/call' ? mcpText('said') : undefined
      })
      kit.serve(served)
      const registry = toolRegistry({ env: { host: kit.host } }).addSource(
        mcpServer({ name: 'desk', url: 'https://desk.example/mcp', host: kit.host }),
      )
      await registry.call('mcp://desk.echo', { text: 'a' })
      await registry.close()
      kit.equal([registry.list(), kit.requests.at(-1)?.method], [[], 'DELETE'])
      kit.equal(await registry.call('mcp://desk.echo', { text: 'b' }), { result: 'said' })
      await registry.close()
      await registry.close()
      kit.equal(kit.requests.filter(({ method }) => method === 'DELETE').length, 2)
    },
  },
]

export const kavalScenarios: readonly Scenario[] = [
  {
    name: 'V1 A function, an HTTP API, a server of MCP, an agent and a source of one’s own are called in one way, by URI',
    run: async (kit) => {
      const registry = kernel(kit)
      const uris = [
        'fn://local',
        'rest://shop.get_order',
        'mcp://desk.get_order',
        'agent://clerk',
        'ledger://main.get_order',
      ]
      for (const uri of uris) kit.equal(await registry.call(uri, { id: 7 }), { total: 50 }, uri)
      for (const uri of uris) await kit.throws(() => registry.call(uri, { id: 'x' }), 'tool-invalid-input')
      await kit.throws(() => registry.call('rest://shop.get_order', { id: 8 }), 'tool-failed')
      for (const uri of ['local://fn', 'rest://shop.nothing', 'fn:local', 'shop', '', '://x'])
        await kit.throws(() => registry.call(uri, { id: 7 }), 'tool-not-found')
      kit.note('outcome', await registry.invoke('rest://shop.get_order', { id: 8 }))
      kit.equal(
        kit.requests.filter(({ method }) => method === 'GET').map(({ method, url }) => `${method} ${url}`),
        [7, 8, 8].map((number) => `GET https://shop.example/v1/orders/${number}`),
        'What reached the server',
      )
    },
  },
  {
    name: 'V2 A number written as text becomes a number on the way in and on the way out, and it is reported',
    run: async (kit) => {
      const seen: unknown[] = []
      const half = tool({
        name: 'half',
        description: 'Halves.',
        input: jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }),
        output: jsonSchema<number>({ type: 'number' }),
        execute: ({ n }) => (seen.push(n), String(n / 2) as never),
      })
      const registry = toolRegistry({ env: { host: kit.host } }).register(half)
      kit.equal([await registry.call('fn://half', { n: '50' }), seen], [{ result: 25 }, [50]])
      await kit.throws(() => registry.call('fn://half', { n: 'fifty' }), 'tool-invalid-input')
      const { result, events } = await play(
        kit,
        cast(kit, [{ calls: [{ name: 'half', input: { n: '50' } }] }, 'ok'], { registry }),
      )
      const call = events.find((event) => event.type === 'tool-call')
      kit.equal(call?.type === 'tool-call' && [call.input, call.coercions?.length], [{ n: 50 }, 1])
      kit.equal(lastResults(result.messages)[0]?.text, '25')
      const served = await kernel(kit).call('rest://shop.get_order', { id: '7' })
      kit.equal(served, { total: 50 }, 'The answer of a server that sends text')
    },
  },
  ...resultScenarios,
  ...signatureScenarios,
  ...serverScenarios,
  {
    name: 'V9 Four questions about a tool are answered alike for every scheme, and lists hold for all of them',
    run: async (kit) => {
      const registry = kernel(kit)
      for (const uri of [
        'fn://local',
        'rest://shop.get_order',
        'mcp://desk.get_order',
        'agent://clerk',
        'ledger://main.get_order',
      ]) {
        kit.equal([await registry.inputSchema(uri), await registry.outputSchema(uri)], [id, order], uri)
        kit.equal((await registry.definition(uri)).name, uri)
      }
      const names = async (allow?: readonly string[]): Promise<readonly string[]> =>
        (await registry.describe({ allow })).map(({ name }) => name)
      const all = [
        'fn://local',
        'agent://clerk',
        'rest://shop.get_order',
        'mcp://desk.get_order',
        'ledger://main.get_order',
      ]
      kit.equal([await names(), await names(['*']), await names([])], [all, all, []])
      kit.equal(
        await names(['rest://shop.get_order', 'ledger://main.*']),
        all.filter((uri) => /^(?:rest|ledger)/.test(uri)),
      )
      kit.equal(await names(['shop.*']), ['rest://shop.get_order'])
      await kit.throws(() => registry.definition('rest://shop.nothing'), 'tool-not-found')
      kit.note('descriptions', await registry.describe())
    },
  },
]
