// The edge worker as an MCP server, by `wrangler dev`: the official client uses the file tools of a session.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noPeer, peer } from '../peers/peers.ts'
import { client, secrets } from './client.ts'
import type { Client } from './client.ts'
import type { Served, Workshop } from './workerd.ts'
import { wranglerWorkshop } from './wrangler.ts'

const { AGENT_TOKEN, SESSION_SECRET } = secrets
const name = '@modelcontextprotocol/client'
const path = peer(`${name}/dist/index.mjs`)
let shop: Workshop
let served: Served
let api: Client

beforeAll(async () => {
  shop = wranglerWorkshop()
  served = await shop.serve({ AGENT_TOKEN, SESSION_SECRET })
  api = client(served.url)
})
afterAll(() => shop?.close())

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

const raw = async (query = '', headers: Record<string, string> = {}, body: unknown = list) => {
  const response = await fetch(`${served.url}/mcp${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

describe('the worker as an MCP server', () => {
  it('lets nobody in without a token, nor a page of elsewhere, nor to a session that was not made here', async () => {
    const authorization = `Bearer ${AGENT_TOKEN}`
    expect((await raw()).status).toBe(401)
    expect((await raw('', { authorization: 'Bearer wrong-wrong-wrong-wrong' })).status).toBe(401)
    expect((await raw('', { authorization, origin: 'https://evil.example' })).status).toBe(403)
    expect((await raw(`?session=${'0'.repeat(64)}`, { authorization })).status).toBe(404)
    expect((await raw('', { authorization }, 'x'.repeat(2 ** 20 + 1))).status).toBe(413)
    // Without a handshake there is no session of the protocol.
    expect((await raw('', { authorization })).status).toBe(400)
    const get = await fetch(`${served.url}/mcp`, { headers: { authorization } })
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, DELETE'])
  })

  describe.skipIf(!path)(`to the official client ${path ? '' : `(${noPeer(name)})`}`, () => {
    /** A client that answers each question so. */
    async function connected(session: string | undefined, options: object, decision: string) {
      const official: any = await import(path!)
      const made = new official.Client(
        { name: 'official', version: '1' },
        { capabilities: { elicitation: { form: {} } }, ...options },
      )
      const asked: string[] = []
      made.setRequestHandler('elicitation/create', async ({ params }: any) => {
        asked.push(params.message)
        return { action: 'accept', content: { decision } }
      })
      const url = new URL(`${served.url}/mcp${session === undefined ? '' : `?session=${session}`}`)
      const requestInit = { headers: { authorization: `Bearer ${AGENT_TOKEN}` } }
      await made.connect(new official.StreamableHTTPClientTransport(url, { requestInit }))
      return { made, asked }
    }

    it.each([
      ['by a handshake', {}],
      ['by the newest revision', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
    ])('writes a file of a session when a person approves it, %s', async (_, options) => {
      const session = await api.session()
      const { made, asked } = await connected(session, options, 'approve')
      const { tools } = await made.listTools()
      expect(tools.map((tool: { name: string }) => tool.name)).toContain('fs_write')
      const contents = 'written by a client'
      const result = await made.callTool({ name: 'fs_write', arguments: { path: '/note.txt', contents } })
      expect(result.isError, result.content[0].text).toBeFalsy()
      expect(asked).toEqual([expect.stringContaining('Run the tool "fs_write"?')])
      expect((await api.file(session, '/note.txt')).trim()).toBe(contents)
      const read = await made.callTool({ name: 'fs_read', arguments: { path: '/note.txt' } })
      expect(read.content[0].text).toContain(contents)
      await made.close()
      // No other session sees it.
      const other = await connected(undefined, options, 'deny')
      const missing = await other.made.callTool({ name: 'fs_read', arguments: { path: '/note.txt' } })
      expect(missing.isError).toBe(true)
      const denied = await other.made.callTool({ name: 'fs_write', arguments: { path: '/note.txt', contents } })
      expect(denied).toMatchObject({ isError: true })
      await other.made.close()
    })
  })
})
