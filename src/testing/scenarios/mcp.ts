// Guarantees about MCP servers as sources: both protocols, what breaks in the middle, and what a server asks.
import { askHuman } from '../../builtin/ask-human.ts'
import { toolRegistry } from '../../catalog/tool-registry.ts'
import { own } from '../../json/value.ts'
import { elicitation } from '../../mcp/elicitation.ts'
import { mcpServer } from '../../mcp/mcp-server.ts'
import type { Scenario } from '../kit.ts'
import type { Answering, ServerAnswer, ServerRequest } from '../server.ts'
import { cast, lastResults, play } from './cast.ts'

interface McpAsked {
  readonly id: number
  readonly method: string
  readonly params: unknown
}

/** Answers by the method of the message; the rest like a server of the protocol without anything special. */
type McpAnswers = (asked: McpAsked, request: ServerRequest) => ServerAnswer | object | undefined

const isAnswer = (answer: object): answer is ServerAnswer => 'body' in answer || 'status' in answer

const json = { 'content-type': 'application/json' }
const sse = { 'content-type': 'text/event-stream' }

const result = (id: number, result: object): string => JSON.stringify({ jsonrpc: '2.0', id, result })

const failure = (id: number): ServerAnswer => ({
  headers: json,
  body: JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }),
})

/** A server of MCP as what answers requests. */
export const answerMcp =
  (answers: McpAnswers): Answering =>
  (request) => {
    const asked: McpAsked = { id: 0, method: request.method, params: {}, ...JSON.parse(request.body || '{}') }
    const answer = answers(asked, request)
    if (answer) return isAnswer(answer) ? answer : { headers: json, body: result(asked.id, answer) }
    if (asked.method === 'initialize')
      return {
        headers: { ...json, 'mcp-session-id': 'session-1' },
        body: result(asked.id, { protocolVersion: '2025-11-25', capabilities: { tools: {} } }),
      }
    return asked.id === 0 ? { status: request.method === 'POST' ? 202 : 405 } : failure(asked.id)
  }

export const mcpTools: object = {
  tools: [
    {
      name: 'echo',
      description: 'Says it again.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
    {
      name: 'weather',
      inputSchema: { type: 'object', properties: { days: { type: 'integer' } } },
      outputSchema: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
    },
  ],
}

export const mcpText = (text: unknown): object => ({ content: [{ type: 'text', text: String(text) }] })

const argument = ({ params }: McpAsked, name: string): unknown => own(own(params, 'arguments'), name)

export const mcpScenarios: readonly Scenario[] = [
  {
    name: 'a server of MCP without sessions is asked in headers and body alike, and its typed values are checked',
    run: async (kit) => {
      kit.serve(
        answerMcp((asked) => {
          if (asked.method === 'server/discover')
            return { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
          if (asked.method === 'tools/list') return mcpTools
          if (own(asked.params, 'name') === 'echo') return mcpText(argument(asked, 'text'))
          const celsius = argument(asked, 'days') === 1 ? '21.5' : 'warm'
          return { resultType: 'complete', content: [], structuredContent: { celsius } }
        }),
      )
      const registry = toolRegistry({ env: { host: kit.host } }).addSource(
        mcpServer({ name: 'peer', url: 'https://mcp.example/mcp', host: kit.host }),
      )
      const calls = [
        { name: 'peer_echo', input: { text: 'Zürich' } },
        { name: 'peer_weather', input: { days: '1' } },
        { name: 'peer_weather', input: { days: 2 } },
      ]
      const { result: done } = await play(kit, cast(kit, [{ calls }, 'done'], { registry }))
      kit.equal(
        lastResults(done.messages).map(({ text, reason }) => reason ?? text),
        ['Zürich', '{"celsius":21.5}', 'invalid-output'],
      )
      kit.equal(kit.requests.length, 5)
      for (const { headers, body } of kit.requests) {
        const { method, params } = JSON.parse(body)
        kit.equal(headers['mcp-method'], method)
        kit.equal(headers['mcp-protocol-version'], params['_meta']['io.modelcontextprotocol/protocolVersion'])
      }
    },
  },
  {
    name: 'an answer of MCP that breaks is taken up where it broke, and the call is made once',
    run: async (kit) => {
      let open = 0
      kit.serve(
        answerMcp((asked, { headers }) => {
          if (asked.method === 'tools/list') return mcpTools
          if (asked.method === 'tools/call') {
            open = asked.id
            const progress = { progressToken: asked.id, progress: 1, total: 2 }
            const notice = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: progress })
            return { headers: sse, body: [`retry: 5000\nid: e1\ndata: ${notice}\n\n`, { wait: 100 }, { break: true }] }
          }
          if (headers['last-event-id'] === 'e1')
            return { headers: sse, body: [`id: e2\ndata: ${result(open, mcpText('at last'))}\n\n`, { wait: 10 ** 9 }] }
          return undefined
        }),
      )
      const registry = toolRegistry({ env: { host: kit.host } }).addSource(
        mcpServer({ name: 'peer', url: 'https://mcp.example/mcp', host: kit.host }),
      )
      const before = kit.clock.now()
      const calls = [{ name: 'peer_echo', input: { text: 'a' } }]
      const { result: done, events } = await play(kit, cast(kit, [{ calls }, 'done'], { registry }))
      kit.equal(lastResults(done.messages)[0]?.text, 'at last')
      kit.check(kit.clock.now() - before >= 5000, 'the pause the server asked for')
      kit.equal(events.filter(({ type }) => type === 'tool-progress').length, 1)
      kit.equal(kit.requests.filter(({ body }) => body.includes('tools/call')).length, 1)
      await registry.close()
      kit.equal(kit.requests.at(-1)?.method, 'DELETE')
    },
  },
  {
    name: 'a session of MCP that is lost is begun anew once',
    run: async (kit) => {
      let sessions = 0
      kit.serve(
        answerMcp((asked, { headers }) => {
          if (asked.method === 'initialize') sessions++
          if (asked.method === 'tools/list') return mcpTools
          if (asked.method !== 'tools/call') return undefined
          return sessions === 1 && headers['mcp-session-id'] !== undefined ? { status: 404 } : mcpText('again')
        }),
      )
      const server = mcpServer({ name: 'peer', url: 'https://mcp.example/mcp', host: kit.host })
      const registry = toolRegistry({ env: { host: kit.host } }).addSource(server)
      kit.equal(await registry.call('mcp://peer.echo', { text: 'a' }), { result: 'again' })
      kit.equal(sessions, 2)
    },
  },
  {
    name: 'what a server of MCP wants to know is asked in the run whose call it is for',
    run: async (kit) => {
      const form = { type: 'object', properties: { branch: { type: 'string' } }, required: ['branch'] }
      kit.serve(
        answerMcp((asked) => {
          if (asked.method === 'server/discover')
            return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
          if (asked.method === 'tools/list') return mcpTools
          const told = own(asked.params, 'inputResponses')
          if (told !== undefined) return mcpText(JSON.stringify([told, own(asked.params, 'requestState')]))
          const params = { message: 'Which branch?', requestedSchema: form }
          return {
            resultType: 'input_required',
            requestState: 'opaque',
            inputRequests: { q: { method: 'elicitation/create', params } },
          }
        }),
      )
      const offers = [elicitation('ask_human')]
      const registry = toolRegistry({ env: { host: kit.host } })
        .register(askHuman())
        .addSource(mcpServer({ name: 'peer', url: 'https://mcp.example/mcp', host: kit.host, offers }))
      const turns = [{ calls: [{ name: 'peer_echo', input: { text: 'a' } }] }, 'done']
      const approve = () => ({ result: 'main' })
      const { result: done } = await play(kit, cast(kit, turns, { registry, approve }))
      kit.equal(lastResults(done.messages)[0]?.text, '[{"q":{"action":"accept","content":{"branch":"main"}}},"opaque"]')
    },
  },
]
