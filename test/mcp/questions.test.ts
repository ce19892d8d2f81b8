import { describe, expect, it } from 'vitest'
import { agent } from '../../src/index.ts'
import type { ApprovalRequest } from '../../src/index.ts'
import { askHuman } from '../../src/builtin/ask-human.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { elicitation, mcpServer, sampling } from '../../src/mcp.ts'
import type { McpOffer } from '../../src/mcp.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { events, fakeServer, says, statelessFacts } from './fake-server.ts'
import type { Answering, Params } from './fake-server.ts'

const url = 'https://mcp.example/mcp'
const plain = { name: 'act', inputSchema: { type: 'object' } }

const form = {
  message: 'Which branch?',
  requestedSchema: {
    type: 'object',
    properties: { branch: { type: 'string', minLength: 2 } },
    required: ['branch'],
  },
}

/** Asks by a request in the middle of the answer, as with sessions; the call is answered with what it was told. */
function inSession(method: string, params: object): Answering {
  let told: (message: object) => void = () => undefined
  return ({ message }) => {
    if (message.id === 77 && !message.method) told(message)
    if (message.method !== 'tools/call') return undefined
    const answered = new Promise<object>((resolve) => (told = resolve))
    const encoder = new TextEncoder()
    const event = (value: object): Uint8Array =>
      encoder.encode(`data: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`)
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(event({ id: 77, method, params }))
        controller.enqueue(event({ id: message.id, result: says(JSON.stringify(await answered)) }))
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

/** Asks by a result, as without sessions. */
const stateless =
  (method: string, params: object): Answering =>
  ({ message }) => {
    if (message.method === 'server/discover') return statelessFacts()
    if (message.method === 'tools/list') return { tools: [plain] }
    const { inputResponses, requestState } = (message.params ?? {}) as Params
    return inputResponses
      ? says(JSON.stringify({ result: inputResponses['q'], requestState }))
      : { resultType: 'input_required', inputRequests: { q: { method, params } }, requestState: 'opaque' }
  }

/** What the server was told, and what the person was asked. */
async function play(
  answering: Answering,
  offers: readonly McpOffer[],
  approve: (request: ApprovalRequest) => unknown = () => 'defer',
): Promise<{ readonly told: string; readonly questions: readonly ApprovalRequest[]; readonly status: string }> {
  const fake = fakeServer(answering, [plain])
  const registry = toolRegistry()
    .register(askHuman())
    .addSource(mcpServer({ name: 'git', url, fetch: fake.fetch, offers }))
  const questions: ApprovalRequest[] = []
  const model = scriptedModel([{ calls: [{ name: 'git_act' }] }, 'done'])
  const assistant = agent({
    model,
    registry,
    approve: (request) => {
      questions.push(request)
      return approve(request) as 'defer'
    },
  })
  const result = await assistant.run('go').result
  const told = JSON.stringify(result.messages.filter(({ role }) => role === 'tool'))
  return { told: told.replaceAll('\\', ''), questions, status: result.status }
}

const both = [
  ['by a request', inSession],
  ['by a result', stateless],
] as const

describe.each(both)('a server that asks the person %s', (_, asking) => {
  const ask = asking('elicitation/create', form)

  it('is told what the person answered, in the run whose call it is', async () => {
    const { told, questions } = await play(ask, [elicitation('ask_human')], () => ({ result: 'main' }))
    expect(questions).toMatchObject([
      {
        name: 'ask_human',
        wants: 'result',
        input: {
          question: 'The MCP server "git" asks: Which branch?',
          context: 'branch: {"type":"string","minLength":2}',
        },
      },
    ])
    expect(told).toContain('"result":{"action":"accept","content":{"branch":"main"}}')
  })

  it('is told of an answer only when it fits', async () => {
    let count = 0
    const { told, questions } = await play(ask, [elicitation('ask_human')], () => ({ result: count++ ? 'main' : 'x' }))
    expect(questions.length).toBe(2)
    expect(JSON.stringify(questions[1]?.input)).toContain('The answer does not fit')
    expect(told).toContain('"branch":"main"')
    const never = await play(ask, [elicitation('ask_human')], () => ({ result: { branch: 1, other: true } }))
    expect([never.questions.length, never.told.includes('"action":"cancel"')]).toEqual([3, true])
  })

  it('is told that the person declined, or that nobody was there', async () => {
    const denied = await play(ask, [elicitation('ask_human')], () => 'deny')
    expect(denied.told).toContain('{"action":"decline"}')
    const alone = await play(ask, [elicitation('no_such_tool')])
    expect(alone.told).toContain('{"action":"cancel"}')
  })

  it('by a page of its own is declined', async () => {
    const page = asking('elicitation/create', { mode: 'url', message: 'Sign in', url: 'https://evil.example' })
    const { told, questions } = await play(page, [elicitation('ask_human')])
    expect([told.includes('{"action":"decline"}'), questions]).toEqual([true, []])
  })
})

describe.each(both)('a server that asks the model %s', (_, asking) => {
  const ask = asking('sampling/createMessage', {
    messages: [{ role: 'user', content: { type: 'text', text: 'Sum it up' } }],
    systemPrompt: 'Be short',
    maxTokens: 1e9,
  })

  it('is told what the model said, when that is approved', async () => {
    const model = scriptedModel(['In short: yes'])
    const asked: ApprovalRequest[] = []
    const approve = (request: ApprovalRequest) => {
      asked.push(request)
      return 'approve' as const
    }
    const { told } = await play(ask, [sampling({ model, approve })])
    expect(told).toContain('"text":"In short: yes"')
    expect(asked).toMatchObject([
      { uri: 'mcp://git.sampling', input: { instructions: 'Be short', maxOutputTokens: 4096 } },
    ])
    expect(model.requests).toMatchObject([{ instructions: 'Be short', tools: [], settings: { maxOutputTokens: 4096 } }])
  })

  it.each(['deny', 'defer', undefined])('is refused with %s, and the model is not asked', async (answer) => {
    const model = scriptedModel(['never'])
    const { told } = await play(ask, [sampling({ model, approve: () => answer as 'deny' })])
    expect([told.includes('never'), model.requests]).toEqual([false, []])
  })

  it('is refused where no model was given, and was told of none', async () => {
    const { told } = await play(ask, [elicitation('ask_human')])
    expect(told).toMatch(/-32601|not offered/)
  })
})

describe('a server that asks apart from the call', () => {
  it('is answered in the run of the calls under way, where they are of one run', async () => {
    let ask: (message: object) => void = () => undefined
    let tell: (message: object) => void = () => undefined
    const encoder = new TextEncoder()
    const fake = fakeServer(
      ({ method, message }) => {
        if (method === 'GET') {
          const body = new ReadableStream<Uint8Array>({
            start: (controller) =>
              void (ask = (asked) => controller.enqueue(encoder.encode(`data: ${JSON.stringify(asked)}\n\n`))),
          })
          return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
        }
        if (message.id === 77) tell(message)
        if (message.method !== 'tools/call') return undefined
        const told = new Promise<object>((resolve) => (tell = resolve))
        ask({ jsonrpc: '2.0', id: 77, method: 'elicitation/create', params: form })
        return told.then((answer) => says(JSON.stringify(answer)))
      },
      [plain],
    )
    const offers = [elicitation('ask_human')]
    const registry = toolRegistry()
      .register(askHuman())
      .addSource(mcpServer({ name: 'git', url, fetch: fake.fetch, offers }))
    await registry.connect()
    const model = scriptedModel([{ calls: [{ name: 'git_act' }] }, 'done'])
    const { messages } = await agent({ model, registry, approve: () => ({ result: 'main' }) }).run('go').result
    expect(JSON.stringify(messages).replaceAll('\\', '')).toContain('"branch":"main"')
    await registry.close()
  })
})

describe('a server that asks on a line that all calls share', () => {
  it('is told that nobody can be asked while the calls of two runs are under way', async () => {
    const ask: ((message: object) => void)[] = []
    const told: object[] = []
    const calls: number[] = []
    const encoder = new TextEncoder()
    const fake = fakeServer(
      ({ method, message }) => {
        if (method === 'GET')
          return new Response(
            new ReadableStream<Uint8Array>({
              start: (controller) =>
                void ask.push((asked) => controller.enqueue(encoder.encode(`data: ${JSON.stringify(asked)}\n\n`))),
            }),
            { headers: { 'content-type': 'text/event-stream' } },
          )
        if (message.id === 77) told.push(message.result ?? {})
        if (message.method !== 'tools/call') return undefined
        calls.push(message.id ?? 0)
        return new Promise(() => undefined)
      },
      [plain],
    )
    const registry = toolRegistry()
      .register(askHuman())
      .addSource(mcpServer({ name: 'git', url, fetch: fake.fetch, offers: [elicitation('ask_human')] }))
    await registry.connect()
    const questions: ApprovalRequest[] = []
    const runs = ['one', 'two'].map((text) => {
      const model = scriptedModel([{ calls: [{ name: 'git_act' }] }, 'done'])
      return agent({ model, registry, approve: (request) => void questions.push(request) as never }).run(text)
    })
    const results = runs.map((run) => run.result)
    while (calls.length < 2 || ask.length < 1) await new Promise((resolve) => setTimeout(resolve, 1))
    ask[0]?.({ jsonrpc: '2.0', id: 77, method: 'elicitation/create', params: form })
    while (told.length < 1) await new Promise((resolve) => setTimeout(resolve, 1))
    expect([told, questions]).toEqual([[{ action: 'cancel' }], []])
    for (const run of runs) run.abort()
    await Promise.all(results)
    await registry.close()
  })
})

describe('what a client offers', () => {
  it('is told to the server, and nothing by default', async () => {
    for (const [offers, capabilities] of [
      [[], {}],
      [[elicitation('ask_human')], { elicitation: { form: {} } }],
    ] as const) {
      const fake = fakeServer()
      await mcpServer({ name: 'git', url, fetch: fake.fetch, offers }).connect()
      expect(fake.asked[1]?.message.params?.['capabilities']).toEqual(capabilities)
    }
  })

  it('answers a ping, and refuses roots and more than 16 questions at once', async () => {
    const slow: McpOffer = { method: 'slow', capability: {}, answer: () => new Promise(() => undefined) }
    const ask = (id: number, method: string): object => ({ jsonrpc: '2.0', id, method, params: {} })
    const fake = fakeServer(
      ({ message: { id, method } }) =>
        method === 'tools/call'
          ? events([
              ask(1, 'ping'),
              ask(2, 'roots/list'),
              ...Array.from({ length: 20 }, (_, index) => ask(100 + index, 'slow')),
              { jsonrpc: '2.0', id, result: says('done') },
            ])
          : undefined,
      [plain],
    )
    const registry = toolRegistry().addSource(mcpServer({ name: 'git', url, fetch: fake.fetch, offers: [slow] }))
    await registry.call('mcp://git.act')
    await new Promise((resolve) => setTimeout(resolve, 10))
    const told = fake.asked.map(({ message }) => message).filter(({ method }) => method === undefined)
    expect(told.slice(0, 2)).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32601 } },
    ])
    expect(told.slice(2).map(({ id }) => id)).toEqual([116, 117, 118, 119])
  })

  it('is asked for no more than ten times before there is an answer', async () => {
    let count = 0
    const fake = fakeServer(({ message: { method } }) => {
      if (method === 'server/discover') return statelessFacts()
      if (method === 'tools/list') return { tools: [plain] }
      count++
      return { resultType: 'input_required', requestState: 'again' }
    })
    const registry = toolRegistry().addSource(mcpServer({ name: 'git', url, fetch: fake.fetch }))
    expect(await registry.invoke('mcp://git.act')).toMatchObject({ ok: false, reason: 'failed' })
    expect(count).toBe(10)
  })
})

describe('questions without end', () => {
  it('are refused after a hundred for one call, and the call goes on', async () => {
    const encoder = new TextEncoder()
    let asked = 0
    let refused = 0
    let answered: () => void = () => undefined
    const event = (value: object): Uint8Array =>
      encoder.encode(`data: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`)
    const fake = fakeServer(
      ({ message }) => {
        if (message.method === 'tools/call')
          return new Response(
            new ReadableStream<Uint8Array>({
              async pull(to) {
                if (asked++ === 150) return to.enqueue(event({ id: message.id, result: says('done') }))
                const told = new Promise<void>((resolve) => (answered = resolve))
                to.enqueue(event({ id: `q${asked}`, method: 'elicitation/create', params: form }))
                await told
              },
            }),
            { headers: { 'content-type': 'text/event-stream' } },
          )
        if (message.method === undefined) {
          if ('error' in message) refused++
          answered()
        }
        return undefined
      },
      [plain],
    )
    let people = 0
    const ask = { ...askHuman(), execute: () => `main${people++}` }
    const offers = [elicitation('ask_human')]
    const server = mcpServer({ name: 'git', url, fetch: fake.fetch, protocolVersion: '2025-11-25', offers })
    const registry = toolRegistry()
      .register([ask as never])
      .addSource(server)
    expect(await registry.invoke('mcp://git.act')).toMatchObject({ ok: true, value: { result: 'done' } })
    expect([people, refused]).toEqual([100, 50])
  })
})
