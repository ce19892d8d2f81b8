import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mcpHandler } from '../../src/serve.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { tool } from '../../src/tool/valibot-tool.ts'
import { noPeer, peer } from '../peers/peers.ts'
import { bridge } from './bridge.ts'
import type { Bridge } from './bridge.ts'
import { shop, until } from './client.ts'

const name = '@modelcontextprotocol/client'
const path = peer(`${name}/dist/index.mjs`)

/** Its types are not installed with ours. */
type Official = any

const modes = [
  ['by the newest revision', { versionNegotiation: { mode: { pin: '2026-07-28' } } }, false],
  ['by a handshake, in a session', {}, true],
  ['by a handshake, without sessions', {}, false],
  ['by trying the newest first', { versionNegotiation: { mode: 'auto' } }, true],
] as const

describe.skipIf(!path)(`the official client ${path ? '' : `(${noPeer(name)})`}`, () => {
  let official: Official
  beforeAll(async () => {
    official = await import(path!)
  })

  describe.each(modes)('%s', (_, options, sessions) => {
    const ends: string[] = []
    const made = shop()
    made.registry.register(
      tool({
        name: 'work',
        description: 'Works on.',
        execute: (input, { signal }) =>
          new Promise<string>(() => {
            ends.push('began')
            signal.addEventListener('abort', () => ends.push('aborted'))
          }),
      }),
    )
    let served: Bridge
    let client: Official
    let answer: object = { action: 'decline' }
    const asked: any[] = []

    beforeAll(async () => {
      served = await bridge(mcpHandler(made.registry, { sessions, pageSize: 2, instructions: 'Be kind.' }))
      client = new official.Client(
        { name: 'official', version: '1' },
        { capabilities: { elicitation: { form: {} } }, ...options },
      )
      client.setRequestHandler('elicitation/create', async (request: any) => {
        asked.push(request.params)
        return answer
      })
      await client.connect(new official.StreamableHTTPClientTransport(new URL(served.url)))
    })
    afterAll(async () => {
      await client.close()
      await served.close()
    })

    it('knows the server and lists its tools, over all pages', async () => {
      expect(client.getServerVersion()).toMatchObject({ name: 'sameloop' })
      expect(client.getInstructions()).toBe('Be kind.')
      const names: string[] = []
      let cursor: string | undefined
      do {
        const page = await client.listTools(cursor === undefined ? undefined : { cursor })
        names.push(...page.tools.map((one: { name: string }) => one.name))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      expect(names).toEqual(['add', 'send', 'count', 'work'])
    })

    it('calls a tool, and finds its value to fit the schema', async () => {
      const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })
      expect(result).toMatchObject({ structuredContent: { sum: 5 }, content: [{ type: 'text', text: '{"sum":5}' }] })
    })

    it('reads what was wrong with its input, and is refused an unknown tool', async () => {
      expect(await client.callTool({ name: 'add', arguments: { a: 'x' } })).toMatchObject({ isError: true })
      await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/Unknown tool/)
    })

    it('hears of progress', async () => {
      const heard: unknown[] = []
      const onprogress = (progress: unknown) => heard.push(progress)
      await client.callTool({ name: 'count', arguments: {} }, { onprogress })
      expect(heard).toMatchObject([{ progress: 1, total: 3 }, { progress: 2, message: 'two' }, { progress: 3 }])
    })

    it('asks its person, where it can be asked', async () => {
      const run = (text: string) => client.callTool({ name: 'send', arguments: { text } })
      const canBeAsked = 'versionNegotiation' in options || sessions
      answer = { action: 'decline' }
      expect(await run('no')).toMatchObject({ isError: true })
      expect(made.sent).toEqual([])
      answer = { action: 'accept', content: { decision: 'approve' } }
      const result = await run('yes')
      expect(result.isError === true).toBe(!canBeAsked)
      expect(made.sent.splice(0)).toEqual(canBeAsked ? ['yes'] : [])
      expect(asked.length).toBe(canBeAsked ? 2 : 0)
    })

    it('takes a call back, which ends it where the server can know', async () => {
      const leaving = new AbortController()
      const call = client.callTool({ name: 'work', arguments: {} }, { signal: leaving.signal })
      await until(() => ends.includes('began'))
      leaving.abort()
      await expect(call).rejects.toThrow()
      if ('versionNegotiation' in options || sessions) await until(() => ends.includes('aborted'))
    })
  })

  it('ends its session', async () => {
    const registry = toolRegistry()
    const handler = mcpHandler(registry, { sessions: true })
    const transport = new official.StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
      fetch: (url: string | URL, init: RequestInit) => handler(new Request(url, init)),
    })
    const client = new official.Client({ name: 'official', version: '1' })
    await client.connect(transport)
    const { sessionId } = transport
    expect(sessionId).toMatch(/^[0-9a-f]{32}$/)
    await transport.terminateSession()
    const gone = await handler(
      new Request('http://127.0.0.1/mcp', { method: 'DELETE', headers: { 'mcp-session-id': sessionId } }),
    )
    expect(gone.status).toBe(404)
    await client.close()
  })
})
