// Where secrets may go, and what a provider is sent.
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { anthropic } from '../../src/dialect/anthropic.ts'
import { openaiChat } from '../../src/dialect/openai-chat.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Model } from '../../src/model/model.ts'
import { calls, rig } from '../agent/rig.ts'

const key = 'sk-secret-0123456789abcdef'
const dialects: readonly (readonly [string, (options: object) => Model])[] = [
  ['openai', (options) => openaiChat({ model: 'm', apiKey: key, ...options })],
  ['anthropic', (options) => anthropic({ model: 'm', apiKey: key, ...options } as never)],
]

async function everything(model: Model): Promise<string> {
  const seen: unknown[] = []
  const run = agent({ model, env: { host: webHost }, hooks: { onEvent: (event) => seen.push(event) } }).run('go')
  const result = await run.result
  const { error } = result
  return JSON.stringify([
    seen,
    { ...result, error: undefined },
    result.snapshot,
    error && { ...error, message: error.message, data: error.data, code: error.code },
  ])
}

describe.each(dialects)('the key of %s is in no event, result, error or snapshot', (name, make) => {
  const answers: readonly (readonly [string, () => Response])[] = [
    [
      'a JSON error',
      () => Response.json({ error: { message: `bad key ${key}`, type: key, code: key } }, { status: 401 }),
    ],
    ['an HTML error', () => new Response(`<p>${key}</p>`, { status: 403, headers: { 'content-type': 'text/html' } })],
    ['a good HTML page', () => new Response(`<p>${key}</p>`, { headers: { 'content-type': 'text/html' } })],
    ['the content type', () => new Response('x', { headers: { 'content-type': `text/html; key=${key}` } })],
    ['a text error with the key in pieces', () => new Response(`${key.slice(0, 9)}\n${key}`, { status: 400 })],
    [
      'an error in the stream',
      () =>
        new Response(`event: error\ndata: {"type":"error","error":{"type":"${key}","message":"no ${key}"}}\n\n`, {
          headers: { 'content-type': 'text/event-stream' },
        }),
    ],
    [
      'data that is no JSON',
      () => new Response(`data: ${key}\n\n`, { headers: { 'content-type': 'text/event-stream' } }),
    ],
    [
      'a finish reason',
      () =>
        new Response(
          name === 'openai'
            ? `data: {"choices":[{"delta":{"content":"x"},"finish_reason":"${key}"}]}\n\ndata: [DONE]\n\n`
            : `data: {"type":"message_start","message":{}}\n\ndata: {"type":"message_delta","delta":{"stop_reason":"${key}"}}\n\ndata: {"type":"message_stop"}\n\n`,
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    ],
    [
      'retry-after and others',
      () => new Response('', { status: 429, headers: { 'retry-after': key, 'x-request-id': key } }),
    ],
    [
      'an escaped key in JSON',
      () =>
        new Response(
          `{"error":{"message":"k ${[...key].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}}`,
          { status: 400 },
        ),
    ],
  ]
  it.each(answers)('although the server echoes it in %s', async (_, answer) => {
    expect(await everything(make({ fetch: async () => answer(), maxRetries: 0 }))).not.toContain(key)
  })
  it('although it came in `headers` and not as `apiKey`', async () => {
    const model = make({
      apiKey: undefined,
      headers: { authorization: `Bearer ${key}`, 'x-api-key': key, 'api-key': key },
      fetch: async () => Response.json({ error: { message: `bad key ${key}` } }, { status: 401 }),
    })
    expect(await everything(model)).not.toContain(key)
  })
  it('although fetch throws it', async () => {
    expect(
      await everything(
        make({
          fetch: () => {
            throw new TypeError(`Invalid header ${key}`)
          },
          maxRetries: 0,
        }),
      ),
    ).not.toContain(key)
    expect(
      await everything(
        make({
          fetch: async () => {
            throw new Error(`Invalid header ${key}`)
          },
          maxRetries: 0,
        }),
      ),
    ).not.toContain(key)
  })
})

const servers: Server[] = []
afterAll(() => servers.forEach((server) => server.close()))
async function listen(handle: (request: never, response: never) => void): Promise<string> {
  const server = createServer(handle as never)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.each(dialects)('%s and redirects', (_, make) => {
  it('a redirect to another origin carries neither key nor conversation along', async () => {
    const got: string[] = []
    const evil = await listen((request: never, response: never) => {
      const { headers } = request as { headers: object }
      got.push(JSON.stringify(headers))
      ;(response as { end(): void }).end()
    })
    const good = await listen((_request: never, response: never) => {
      const to = response as { writeHead(status: number, headers: object): { end(): void } }
      to.writeHead(307, { location: `${evil}/v1/steal` }).end()
    })
    await everything(make({ baseUrl: good, maxRetries: 0 }))
    expect(got.join()).not.toContain(key)
    expect(got).toEqual([])
  })
})

describe.each(dialects)('%s', (_, make) => {
  it('sends back only tool names that a provider accepts, also when the model made one up', async () => {
    let body = ''
    const model = make({
      fetch: async (_url: string, init: { body: string }) => {
        body = init.body
        return Response.json({ error: {} }, { status: 400 })
      },
    })
    const { assistant } = rig([calls('functions.get weather!'), 'done'])
    const { messages } = await assistant.run('go').result
    await agent({ model, env: { host: webHost } }).run(messages).result
    const names = [...body.matchAll(/"name":"([^"]*)"/g)].map((match) => match[1])
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })
})
