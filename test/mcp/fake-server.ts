// An MCP server made of functions, as a `fetch`: what it is asked is kept, and each answer is the test's.
import type { Fetch } from '../../src/host/host.ts'

export interface Asked {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
  /** Of the body. */
  readonly message: {
    readonly id?: number
    readonly method?: string
    readonly params?: Params
    readonly result?: Params
  }
}

// What a test looks into is what it wrote itself.
export interface Params {
  readonly [key: string]: Params & string & number & boolean & readonly Params[]
}

export type Answering = (
  asked: Asked,
  count: number,
) => Response | object | undefined | Promise<Response | object | undefined>

export interface FakeServer {
  readonly fetch: Fetch
  readonly asked: readonly Asked[]
  /** The bodies' methods, in order; of an HTTP request without a body its own. */
  methods(): readonly string[]
}

export const json = (body: unknown, init: ResponseInit = {}): Response =>
  new Response(JSON.stringify(body), { ...init, headers: { 'content-type': 'application/json', ...init.headers } })

export const result = (id: number | undefined, value: object): Response => json({ jsonrpc: '2.0', id, result: value })

export const failure = (id: number | undefined, code: number, message: string, init?: ResponseInit): Response =>
  json({ jsonrpc: '2.0', id, error: { code, message } }, init)

/** Events one after the other; the stream ends after them unless `stays`. */
export function events(texts: readonly (string | object)[], { stays = false, headers = {} } = {}): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts)
        controller.enqueue(encoder.encode(typeof text === 'string' ? text : `data: ${JSON.stringify(text)}\n\n`))
      if (!stays) controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', ...headers } })
}

/** Answers what `answering` leaves `undefined` like a server of the newest session revision without sessions. */
export function fakeServer(answering: Answering = () => undefined, tools: readonly object[] = []): FakeServer {
  const asked: Asked[] = []
  const fetch: Fetch = async (_, init = {}) => {
    const message = typeof init.body === 'string' ? JSON.parse(init.body) : {}
    const one: Asked = {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      signal: init.signal ?? undefined,
      message,
    }
    asked.push(one)
    const answer = await answering(one, asked.length)
    if (answer instanceof Response) return answer
    if (answer !== undefined) return result(one.message.id, answer)
    return plain(one, tools)
  }
  return { fetch, asked, methods: () => asked.map(({ method, message }) => message.method ?? method) }
}

function plain({ method, message: { id, method: asked } }: Asked, tools: readonly object[]): Response {
  if (method === 'GET') return new Response(null, { status: 405 })
  if (asked === 'initialize')
    return result(id, {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'fake', version: '1' },
    })
  if (asked === 'tools/list') return result(id, { tools })
  if (id === undefined) return new Response(null, { status: 202 })
  return failure(id, -32601, 'Method not found')
}

/** The same for the stateless protocol. */
export const statelessFacts = (capabilities: object = { tools: {} }): object => ({
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities,
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fake', version: '2' } },
})

export const echoTool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}

export const says = (text: string): object => ({ content: [{ type: 'text', text }] })
