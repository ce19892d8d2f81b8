// A client of the Model Context Protocol by hand, one request at a time.
import * as v from 'valibot'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { mcpHandler } from '../../src/serve.ts'
import type { McpHandlerOptions } from '../../src/serve.ts'
import { sseDecoder } from '../../src/stream/sse-decoder.ts'
import { tool } from '../../src/tool/valibot-tool.ts'

export const url = 'http://127.0.0.1/mcp'
export const newest = '2026-07-28'

type Handler = (request: Request) => Promise<Response>
type Headers = Readonly<Record<string, string>>

/** What a server said: messages in order. */
export interface Heard {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly messages: readonly any[]
  readonly isStream: boolean
}

export function request(body: unknown, headers: Headers = {}, init: RequestInit = {}): Request {
  return new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  })
}

/** All that a response says, until its end. */
export async function heard(response: Response): Promise<Heard> {
  const { status, headers } = response
  const isStream = headers.get('content-type') === 'text/event-stream'
  const messages: any[] = []
  if (!isStream) {
    const text = await response.text()
    return { status, headers, isStream, messages: text === '' ? [] : [JSON.parse(text)].flat() }
  }
  for await (const message of events(response)) messages.push(message)
  return { status, headers, isStream, messages }
}

/** The messages of a stream as they come. */
export async function* events(response: Response): AsyncGenerator<any, void, void> {
  const ready: any[] = []
  const decoder = sseDecoder(({ data }) => ready.push(JSON.parse(data)))
  const reader = response.body!.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    decoder.push(value)
    yield* ready.splice(0)
  }
}

export const post = async (handler: Handler, body: unknown, headers?: Headers): Promise<Heard> =>
  heard(await handler(request(body, headers)))

export interface StatelessOptions {
  readonly id?: string | number
  readonly meta?: object
  readonly headers?: Headers
  readonly capabilities?: unknown
}

/** A request of the newest revision, with all that it has to bring. */
export function stateless(
  method: string,
  params: Record<string, unknown> = {},
  options: StatelessOptions = {},
): Request {
  const { id = 1, meta = {}, headers = {}, capabilities = {} } = options
  const name = params['name']
  return request(
    {
      jsonrpc: '2.0',
      id,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': newest,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': capabilities,
          ...meta,
        },
      },
    },
    {
      'mcp-protocol-version': newest,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
  )
}

export const ask = async (handler: Handler, ...given: Parameters<typeof stateless>): Promise<Heard> =>
  heard(await handler(stateless(...given)))

export const call = (id: string | number, name: string, input: unknown = {}, more: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input, ...more },
})

/** The id of a session that was begun so. */
export async function begin(
  handler: Handler,
  capabilities: object = {},
  protocolVersion = '2025-11-25',
): Promise<Headers> {
  const { headers } = await post(handler, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1' } },
  })
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': protocolVersion }
}

/** A world that tools change: what was sent stays sent. */
export function shop() {
  const sent: unknown[] = []
  const add = tool({
    name: 'add',
    description: 'Adds two numbers.',
    effect: 'read',
    input: v.object({ a: v.number(), b: v.number() }),
    output: v.object({ sum: v.number() }),
    execute: ({ a, b }) => ({ sum: a + b }),
  })
  const send = tool({
    name: 'send',
    description: 'Sends a text.',
    input: v.object({ text: v.string() }),
    approval: true,
    execute({ text }) {
      sent.push(text)
      return `sent ${text}`
    },
  })
  const count = tool({
    name: 'count',
    description: 'Counts aloud.',
    effect: 'read',
    async *execute() {
      yield { progress: 1, total: 3 }
      yield { progress: 2, total: 3, message: 'two' }
      yield 'almost'
      return 'done'
    },
  })
  const registry = toolRegistry().register([add, send, count])
  return { registry, sent, handler: (options?: McpHandlerOptions) => mcpHandler(registry, options) }
}

/** Waits until something is so; only a hang ends it otherwise. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1))
}
