// How a run treats signals and fetches that belong to somebody else.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { openaiChat } from '../../src/dialect/openai-chat.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'

const body = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
const answer = (): Response => new Response(body, { headers: { 'content-type': 'text/event-stream' } })

afterEach(() => vi.unstubAllGlobals())

describe('signals', () => {
  it('leaves no listener on a long-lived signal after many runs', async () => {
    const { signal } = new AbortController()
    let listening = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = ((...args: Parameters<typeof add>) => (listening++, add(...args))) as typeof add
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => (
      listening--,
      remove(...args)
    )) as typeof remove
    const fetch = async (): Promise<Response> => answer()
    const assistant = agent({ model: openaiChat({ model: 'm', apiKey: 'k', fetch }) })
    for (let count = 0; count < 1000; count++) await assistant.run('go', { signal }).result
    expect(listening).toBe(0)
  })

  it('ends at once when the signal was aborted before', async () => {
    const model = scriptedModel(['never'])
    const { status } = await agent({ model }).run('go', { signal: AbortSignal.abort('no') }).result
    expect([status, model.requests.length]).toEqual(['aborted', 0])
  })
})

describe('fetch', () => {
  it('looks the global fetch up at each call and calls it as the global', async () => {
    const assistant = agent({ model: openaiChat({ model: 'm', apiKey: 'k' }) })
    vi.stubGlobal('fetch', async function (this: unknown): Promise<Response> {
      if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation')
      return answer()
    })
    expect(await assistant.run('go').text).toBe('hi')
  })

  it('calls a fetch of the user without a this, and takes a service binding by an arrow', async () => {
    const seen: unknown[] = []
    const plain = async function (this: unknown): Promise<Response> {
      seen.push(this)
      return answer()
    }
    const binding = {
      name: 'API',
      async fetch(): Promise<Response> {
        seen.push(this.name)
        return answer()
      },
    }
    for (const fetch of [plain, () => binding.fetch()])
      await agent({ model: openaiChat({ model: 'm', fetch }) }).run('go').result
    expect(seen).toEqual([undefined, 'API'])
  })
})
