// Guarantees about serving tools by the Model Context Protocol: to anybody's client by plain requests, and to our own.
import { toolRegistry } from '../../catalog/tool-registry.ts'
import type { ToolRegistry } from '../../catalog/tool-registry.ts'
import type { Json } from '../../json/value.ts'
import { mcpServer } from '../../mcp/mcp-server.ts'
import type { McpOffer } from '../../mcp/source.ts'
import type { ProtocolVersion } from '../../mcp-protocol/version.ts'
import { jsonSchema } from '../../schema/check.ts'
import { mcpHandler } from '../../serve/mcp-handler.ts'
import { sseDecoder } from '../../stream/sse-decoder.ts'
import { tool } from '../../tool/define.ts'
import type { Kit, Scenario } from '../kit.ts'
import { add, cast, checkTranscript, lastResults, play } from './cast.ts'

const address = 'https://tools.example/mcp'
const version = '2026-07-28'

/** Tools of each kind: one that adds, one that is asked about, one that reports. */
function served(kit: Kit): { readonly registry: ToolRegistry; readonly sent: readonly string[] } {
  const sent: string[] = []
  const send = tool({
    name: 'send',
    description: 'Sends a text.',
    input: jsonSchema<{ text: string }>({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    }),
    approval: true,
    describeCall: (input) => ({ summary: `Send ${JSON.stringify(input)}` }),
    execute({ text }) {
      sent.push(text)
      return `sent ${text}`
    },
  })
  const count = tool({
    name: 'count',
    description: 'Counts.',
    effect: 'read',
    async *execute() {
      for (const progress of [1, 2]) {
        await kit.sleep(1000)
        yield { progress, total: 2 }
      }
      return 'counted'
    },
  })
  const registry = toolRegistry({ env: { host: kit.host } })
    .register([add, send], {})
    .register(count, { name: 'slow.count' })
  return { registry, sent }
}

/** A request of the newest revision. */
function asked(method: string, params: { readonly [key: string]: Json }, meta: object = {}): Request {
  const { name } = params
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    ...meta,
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
  return given(address, { method: 'POST', headers, body })
}

/** A request whose body comes at once: an engine takes its own time for it, which the clock of a scenario cannot see. */
function given(input: string | URL | Request, { body, ...init }: RequestInit = {}): Request {
  const request = new Request(input, init)
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      if (typeof body === 'string') controller.enqueue(new TextEncoder().encode(body))
      controller.close()
    },
  })
  return Object.defineProperty(request, 'body', { value: stream })
}

/** All that a response says, as JSON. */
async function said(response: Response): Promise<readonly unknown[]> {
  const messages: unknown[] = []
  if (response.headers.get('content-type') !== 'text/event-stream') {
    const text = await response.text()
    return text === '' ? [] : [JSON.parse(text)]
  }
  const decoder = sseDecoder(({ data }) => void messages.push(JSON.parse(data)))
  const reader = response.body!.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) decoder.push(piece.value)
  return messages
}

/** The answer to a question, as a client would bring it with the same call. */
function answered(question: readonly unknown[]): { readonly [key: string]: Json } {
  const [{ result }] = question as [{ result: { requestState: string } }]
  const approval = { action: 'accept', content: { decision: 'approve' } }
  return { requestState: result.requestState, inputResponses: { approval } }
}

/** A client that says yes to whatever it is asked. */
function yes(kit: Kit): McpOffer {
  return {
    method: 'elicitation/create',
    capability: { elicitation: { form: {} } },
    async answer({ message }) {
      kit.note('asked', message)
      return { action: 'accept', content: { decision: 'approve' } }
    },
  }
}

/** An agent whose tools are elsewhere: client and server meet over plain requests. */
async function overThere(kit: Kit, spoken: ProtocolVersion): Promise<void> {
  const { registry, sent } = served(kit)
  const handler = mcpHandler(registry, { host: kit.host, sessions: true, pageSize: 2 })
  const source = mcpServer({
    name: 'far',
    url: address,
    protocolVersion: spoken,
    host: kit.host,
    fetch: (input, init) => handler(given(input, init)),
    offers: [yes(kit)],
  })
  const near = toolRegistry({ env: { host: kit.host } }).addSource(source)
  const calls = [
    { name: 'far_add', input: { a: '20', b: 22 } },
    { name: 'far_add', input: { a: 'x', b: 1 } },
    { name: 'far_send', input: { text: 'hello' } },
    { name: 'far_slow_count', input: {} },
  ]
  // One at a time: which of several answers comes first is the engine's to say.
  const turns = calls.map((call) => ({ calls: [call] }))
  const { result } = await play(kit, cast(kit, [...turns, 'done'], { registry: near, approve: () => 'approve' }))
  checkTranscript(kit, result.messages)
  kit.equal(
    result.messages
      .filter(({ role }) => role === 'tool')
      .flatMap((message) => lastResults([message]))
      .map(({ ok, text }) => ok && text),
    ['{"sum":42}', false, 'sent hello', 'counted'],
  )
  kit.equal(sent, ['hello'])
  kit.equal(source.info?.protocolVersion, spoken)
  await near.close()
}

export const mcpServeScenarios: readonly Scenario[] = [
  {
    name: 'a registry is served by plain requests: listed, called, refused, asked about, and heard on its way',
    run: async (kit) => {
      const { registry, sent } = served(kit)
      const handler = mcpHandler(registry, { host: kit.host })
      const ask = async (...given: Parameters<typeof asked>): Promise<readonly unknown[]> => {
        const response = await handler(asked(...given))
        const messages = await said(response)
        kit.note(given[0], [response.status, messages])
        return messages
      }
      await ask('server/discover', {})
      await ask('tools/list', {})
      await ask('tools/call', { name: 'add', arguments: { a: 1, b: '2' } })
      await ask('tools/call', { name: 'add', arguments: { a: 'x' } })
      await ask('tools/call', { name: '__proto__', arguments: {} })
      await ask('prompts/list', {})
      const call = { name: 'send', arguments: { text: 'hi' } }
      const question = await ask('tools/call', call)
      kit.equal(sent, [])
      await ask('tools/call', { ...call, ...answered(question) })
      kit.equal(sent, ['hi'])
      // A ticket is good for once.
      await ask('tools/call', { ...call, ...answered(question) })
      kit.equal(sent, ['hi'])
      await ask('tools/call', { name: 'slow_count' }, { progressToken: 'token' })
      const foreign = new Request(address, { method: 'POST', body: '{}' })
      kit.equal((await handler(foreign)).status, 415)
    },
  },
  {
    name: 'an agent uses the tools of a far registry by the stateless protocol: coerced, refused, approved over there',
    run: (kit) => overThere(kit, version),
  },
  {
    name: 'an agent uses the tools of a far registry in a session: the question comes while its call is open',
    run: (kit) => overThere(kit, '2025-11-25'),
  },
]
