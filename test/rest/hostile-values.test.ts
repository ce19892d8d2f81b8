// Values and answers that no API expects.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { Fetch } from '../../src/host/host.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { restServer } from '../../src/rest/rest-server.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { call, pause, within } from '../agent/rig.ts'

function rig(fetch: Fetch, tool: object = {}) {
  const server = restServer({ name: 'shop', url: 'https://api.example/v1', fetch })
  server.tool({ name: 'get', description: 'Gets.', path: '/x', ...tool } as never)
  return toolRegistry().addSource(server)
}

const schema = (json: object) => jsonSchema({ type: 'object', ...json } as never) as never

describe('a REST call', () => {
  it('takes names of prototypes for what they are', async () => {
    const asked: unknown[] = []
    const fetch: Fetch = async (url, init) => (asked.push(String(url), init?.body), Response.json(1))
    const properties = { constructor: { type: 'string' }, toString: { type: 'string' } }
    const input = schema({ properties, required: ['constructor'] })
    const registry = rig(fetch, { method: 'POST', path: '/x/{constructor}', input })
    await registry.call('rest://shop.get', { constructor: 'a' } as never)
    expect(asked).toEqual(['https://api.example/v1/x/a', '{}'])
  })

  it('lets go of a body that never comes when its time is over', async () => {
    let isCancelled = false
    const cancel = () => void (isCancelled = true)
    const fetch: Fetch = async () => new Response(new ReadableStream({ cancel }))
    const outcome = await within(Promise.resolve(rig(fetch, { timeoutMs: 30 }).invoke('rest://shop.get', {})))
    expect(outcome).toMatchObject({ ok: false, reason: 'timeout' })
    await pause()
    expect(isCancelled).toBe(true)
  })

  it('cannot climb, whatever is in its path', async () => {
    const urls: string[] = []
    const fetch: Fetch = async (url) => (urls.push(String(url)), Response.json(1))
    const input = schema({ properties: { id: {} }, required: ['id'] })
    const registry = rig(fetch, { path: '/x/{id}/y', input })
    const refused = ['..', ['..'], '.', null, []]
    const encoded = [
      '%2e%2e',
      '../..',
      '..\\..',
      '..%2f',
      ' ..',
      '..\t',
      '..\n',
      '?a',
      '#b',
      '//evil',
      true,
      0,
      ['a', '/'],
    ]
    for (const id of [...refused, ...encoded]) await registry.invoke('rest://shop.get', { id } as never)
    expect(urls).toHaveLength(encoded.length)
    for (const url of urls) expect(url).toMatch(/^https:\/\/api\.example\/v1\/x\/[^/?#]+\/y$/)
  })

  it.each([
    () => new Response(null, { status: 304 }),
    () => new Response(null, { status: 301 }),
    () => Response.error(),
    () => undefined,
    () => ({}),
    () => ({ status: 200, ok: true, headers: new Headers(), body: 'x' }),
  ])('fails in our words for what is no answer (%#)', async (answer) => {
    const outcome = await rig((async () => answer()) as never).invoke('rest://shop.get', {})
    expect(outcome.ok).toBe(false)
    expect(JSON.stringify(outcome.parts)).not.toMatch(/reading|undefined|null/)
  })

  it('shows who decides the whole of what is asked, and no secret', async () => {
    const auth = { type: 'query', name: 'key', value: 'tok-123456' } as const
    const server = restServer({ name: 'shop', url: 'https://api.example/v1', auth })
    const input = schema({ properties: { all: { type: 'boolean' } } })
    server.tool({ name: 'wipe', description: 'Wipes.', path: '/o', method: 'DELETE', approval: true, input })
    const model = scriptedModel([call('shop_wipe', { all: true })])
    const result = await agent({ model, registry: toolRegistry().addSource(server) }).run('x').result
    expect(result.pending[0]?.preview).toEqual({ host: 'api.example', summary: 'DELETE /v1/o?all=true' })
    expect(JSON.stringify(result)).not.toContain('tok-123456')
  })
})
