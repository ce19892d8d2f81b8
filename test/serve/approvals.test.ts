import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { policy } from '../../src/policy/policy.ts'
import { mcpHandler } from '../../src/serve.ts'
import { tool } from '../../src/tool/valibot-tool.ts'
import { testHost } from '../host.ts'
import { ask, begin, call, events, heard, post, request, shop } from './client.ts'
import type { Heard } from './client.ts'

const forms = { elicitation: {} }
const approved = { action: 'accept', content: { decision: 'approve' } }

/** The words that the client's model reads of a call that failed. */
const refusalOf = ({ messages: [{ result }] }: Heard): string => {
  expect(result.isError).toBe(true)
  return result.content[0].text
}

describe('a call that wants a decision, by the newest revision', () => {
  const first = (handler: (request: Request) => Promise<Response>, text = 'hi') =>
    ask(handler, 'tools/call', { name: 'send', arguments: { text } }, { capabilities: forms })
  const again = (
    handler: (request: Request) => Promise<Response>,
    more: object,
    { text = 'hi', headers = {} }: { readonly text?: string; readonly headers?: Record<string, string> } = {},
  ) =>
    ask(handler, 'tools/call', { name: 'send', arguments: { text }, ...more }, { id: 2, capabilities: forms, headers })

  it('comes back as a question, and runs when the client brings the answer', async () => {
    const { sent, handler } = shop()
    const serve = handler()
    const { result } = (await first(serve)).messages[0]
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        approval: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'Run the tool "send"?\nEffect: unsafe\nInput: {"text":"hi"}',
            requestedSchema: {
              type: 'object',
              properties: { decision: { type: 'string', enum: ['approve', 'deny'] } },
              required: ['decision'],
            },
          },
        },
      },
    })
    expect(sent).toEqual([])
    const { requestState } = result
    const { messages } = await again(serve, { requestState, inputResponses: { approval: approved } })
    expect(messages[0].result).toMatchObject({ resultType: 'complete', content: [{ text: 'sent hi' }] })
    expect(sent).toEqual(['hi'])
  })

  it.each([
    ['is denied', { action: 'accept', content: { decision: 'deny' } }, 'denied: A person denied it'],
    ['is declined', { action: 'decline' }, 'denied: A person declined'],
    ['is dismissed', { action: 'cancel' }, 'nobody decided'],
    ['is accepted without a decision', { action: 'accept' }, 'nobody decided'],
    ['is accepted with another word', { action: 'accept', content: { decision: 'approve-session' } }, 'nobody decided'],
    ['is no answer at all', { content: { decision: 'approve' } }, 'nobody decided'],
    [
      'hides in a prototype',
      JSON.parse('{"__proto__":{"action":"accept","content":{"decision":"approve"}}}'),
      'nobody',
    ],
  ])('does not run when it %s', async (_, answer, words) => {
    const { sent, handler } = shop()
    const serve = handler()
    const { requestState } = (await first(serve)).messages[0].result
    expect(refusalOf(await again(serve, { requestState, inputResponses: { approval: answer } }))).toContain(words)
    expect(sent).toEqual([])
  })

  it('is asked about again when the client brings no answer', async () => {
    const serve = shop().handler()
    const { requestState } = (await first(serve)).messages[0].result
    for (const more of [{}, { inputResponses: 'yes' }, { inputResponses: { other: approved } }]) {
      const state = (await again(serve, more)).messages[0].result.requestState
      expect(state).not.toBe(requestState)
    }
  })

  it('does not run on an answer to a question that was never asked', async () => {
    const { sent, handler } = shop()
    const { messages } = await again(handler(), { inputResponses: { approval: approved } })
    expect(messages[0].result.resultType).toBe('input_required')
    expect(sent).toEqual([])
  })

  it('takes a ticket only for the call it was made for, once, in time, and unchanged', async () => {
    const { sent, handler } = shop()
    const host = testHost()
    const serve = handler({
      host,
      auth: ({ headers }) => ({ principal: headers.get('authorization') ?? 'ann' }),
    })
    const inputResponses = { approval: approved }
    const codes = async (requestState: unknown, more = {}) =>
      (await again(serve, { requestState, inputResponses }, more)).messages[0].error?.code
    const fresh = async (): Promise<string> => (await first(serve)).messages[0].result.requestState

    expect(await codes(await fresh(), { text: 'another' })).toBe(-32602)
    expect(await codes(await fresh(), { headers: { authorization: 'bob' } })).toBe(-32602)
    const changed = (await fresh()).replace(/"expiresAt":\d+/, '"expiresAt":99999999999999')
    for (const odd of [changed, `x${await fresh()}`, '', 7, {}, null, `${'0'.repeat(64)}.{}`])
      expect(await codes(odd)).toBe(-32602)
    const late = await fresh()
    await host.advance(10 * 60_000 + 1)
    expect(await codes(late)).toBe(-32602)
    expect(sent).toEqual([])
    const good = await fresh()
    expect(await codes(good)).toBeUndefined()
    expect(await codes(good)).toBe(-32602)
    expect(sent).toEqual(['hi'])
  })

  it('takes a ticket that another process signed with the same secret, and none of another secret', async () => {
    const { sent, handler } = shop()
    const secret = 'a secret of the whole fleet'
    const { requestState } = (await first(handler({ secret }))).messages[0].result
    const more = { requestState, inputResponses: { approval: approved } }
    expect((await again(handler({ secret: 'another one' }), more)).messages[0].error.code).toBe(-32602)
    expect((await again(handler(), more)).messages[0].error.code).toBe(-32602)
    expect((await again(handler({ secret: async () => secret }), more)).messages[0].result.isError).toBeUndefined()
    expect(sent).toEqual(['hi'])
  })

  it('is asked about again when what it would do is no more what was shown', async () => {
    let balance = 10
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      approval: true,
      describeCall: () => ({ summary: `Balance after it: ${balance - 1}` }),
      execute: () => --balance,
    })
    const serve = mcpHandler(toolRegistry().register(pay))
    const run = (more: object) =>
      ask(serve, 'tools/call', { name: 'pay', arguments: {}, ...more }, { capabilities: forms })
    const { requestState } = (await run({})).messages[0].result
    balance = 5
    const second = (await run({ requestState, inputResponses: { approval: approved } })).messages[0].result
    expect(second.resultType).toBe('input_required')
    expect(second.inputRequests.approval.params.message).toContain('Balance after it: 4')
    const third = await run({ requestState: second.requestState, inputResponses: { approval: approved } })
    expect(third.messages[0].result.content[0].text).toBe('4')
  })

  it.each([
    ['nothing', {}],
    ['links alone', { elicitation: { url: {} } }],
    ['nonsense', { elicitation: 'yes' }],
  ])('is refused in band when the client declared %s', async (_, capabilities) => {
    const { sent, handler } = shop()
    const answer = await ask(handler(), 'tools/call', { name: 'send', arguments: { text: 'x' } }, { capabilities })
    expect(refusalOf(answer)).toBe(
      'The tool "send" did not run: it wants a decision, and the client has not declared that it asks people (elicitation)',
    )
    expect(sent).toEqual([])
  })

  it('is refused within a tool at work, which would have to begin again', async () => {
    const { sent, registry } = shop()
    const outer = tool({
      name: 'outer',
      description: 'Calls another.',
      execute: async (_, context) => context.call('send', { text: 'inner' }).catch(() => 'it may not'),
    })
    registry.register(outer)
    const { messages } = await ask(
      mcpHandler(registry),
      'tools/call',
      { name: 'outer', arguments: {} },
      { capabilities: forms },
    )
    expect(messages[0].result.content[0].text).toBe('it may not')
    expect(sent).toEqual([])
  })
})

describe('a call that wants a decision, in a session', () => {
  async function asked(capabilities: object = forms) {
    const { sent, registry } = shop()
    const serve = mcpHandler(registry, { sessions: true })
    const session = await begin(serve, capabilities)
    const stream = events(await serve(request(call(1, 'send', { text: 'hi' }), session)))
    const question = (await stream.next()).value
    const answer = (result: unknown, headers: Record<string, string> = session as never, id = question.id) =>
      post(serve, { jsonrpc: '2.0', id, result }, headers)
    return { sent, registry, serve, session, stream, question, answer }
  }

  it('asks on the stream of the call, and runs when the client posts the answer', async () => {
    const { sent, stream, question, answer } = await asked()
    expect(question).toMatchObject({
      method: 'elicitation/create',
      params: { requestedSchema: { properties: { decision: { enum: ['approve', 'approve-session', 'deny'] } } } },
    })
    expect(sent).toEqual([])
    expect((await answer(approved)).status).toBe(202)
    expect((await stream.next()).value).toMatchObject({ id: 1, result: { content: [{ text: 'sent hi' }] } })
    expect((await stream.next()).done).toBe(true)
    expect(sent).toEqual(['hi'])
    expect((await answer(approved)).status).toBe(400)
  })

  it('remembers for the session what was approved for it, and for no other', async () => {
    const { sent, serve, session, stream, answer } = await asked()
    await answer({ action: 'accept', content: { decision: 'approve-session' } })
    await stream.next()
    const { isStream, messages } = await post(serve, call(2, 'send', { text: 'hi' }), session as never)
    expect(isStream).toBe(false)
    expect(messages[0].result.content[0].text).toBe('sent hi')
    const other = await begin(serve)
    expect(refusalOf(await post(serve, call(2, 'send', { text: 'hi' }), other))).toContain('not declared')
    expect(sent).toEqual(['hi', 'hi'])
  })

  it('is decided by nobody but its own session: a forged answer is refused, and changes nothing', async () => {
    const { sent, serve, stream, question, answer } = await asked()
    const other = await begin(serve, forms)
    expect((await answer(approved, other as never)).status).toBe(400)
    expect((await answer(approved, {})).status).toBe(400)
    expect((await answer(approved, undefined, 'ask_1')).status).toBe(400)
    expect((await post(serve, { jsonrpc: '2.0', id: question.id, result: approved }, other)).status).toBe(400)
    expect(sent).toEqual([])
    await answer({ action: 'decline' })
    expect((await stream.next()).value.result.isError).toBe(true)
    expect(sent).toEqual([])
  })

  it('is refused when the client answers with an error, or leaves', async () => {
    const first = await asked()
    await post(
      first.serve,
      { jsonrpc: '2.0', id: first.question.id, error: { code: -1, message: 'no' } },
      first.session as never,
    )
    expect((await first.stream.next()).value.result.content[0].text).toContain('nobody decided')
    const second = await asked()
    await second.stream.return()
    expect(second.sent).toEqual([])
  })

  it('asks within a tool at work too, which waits', async () => {
    const { sent, registry } = shop()
    registry.register(
      tool({
        name: 'outer',
        description: 'Calls another.',
        execute: async (_, context) => context.call('send', { text: 'inner' }),
      }),
    )
    const serve = mcpHandler(registry, { sessions: true })
    const session = await begin(serve, forms)
    const stream = events(await serve(request(call(1, 'outer'), session)))
    const { id } = (await stream.next()).value
    await post(serve, { jsonrpc: '2.0', id, result: approved }, session as never)
    expect((await stream.next()).value.result.content[0].text).toBe('{"result":"sent inner"}')
    expect(sent).toEqual(['inner'])
  })

  it('is refused where a client has no session, takes no streams, or cannot ask', async () => {
    const { handler } = shop()
    const json = { accept: 'application/json' }
    expect(refusalOf(await post(handler(), call(1, 'send', { text: 'x' })))).toContain('keeps no sessions')
    const serve = handler({ sessions: true })
    expect(refusalOf(await post(serve, call(1, 'send', { text: 'x' }), await begin(serve)))).toContain('not declared')
    const session = await begin(serve, forms)
    expect(refusalOf(await post(serve, call(1, 'send', { text: 'x' }), { ...session, ...json }))).toContain(
      'no event streams',
    )
  })

  it('is given up when nobody answers for five minutes', async () => {
    const host = testHost()
    const { registry, sent } = shop()
    const serve = mcpHandler(registry, { sessions: true, host })
    const session = await begin(serve, forms)
    const answer = heard(await serve(request(call(1, 'send', { text: 'x' }), session)))
    await host.advance(5 * 60_000 + 1)
    const { messages } = await answer
    expect(messages.at(-1).result.content[0].text).toContain('nobody decided')
    expect(sent).toEqual([])
  })
})

describe('the host program', () => {
  it('decides before a person is asked, and knows whose call it is', async () => {
    const { sent, registry } = shop()
    const serve = mcpHandler(registry, {
      auth: ({ headers }) => ({ principal: headers.get('authorization') ?? undefined }),
      approve: ({ input }, { principal }) =>
        principal === 'ann' && JSON.stringify(input).length < 20 ? 'approve' : 'deny',
    })
    const run = (text: string, authorization: string) =>
      ask(serve, 'tools/call', { name: 'send', arguments: { text } }, { headers: { authorization } })
    await run('short', 'ann')
    expect(refusalOf(await run('short', 'bob'))).toContain('denied')
    expect(refusalOf(await run('a very long text indeed', 'ann'))).toContain('denied')
    expect(sent).toEqual(['short'])
  })

  it('may leave it to the person, and a throw decides nothing', async () => {
    const { handler } = shop()
    const capabilities = forms
    const run = (approve: () => never) =>
      ask(handler({ approve }), 'tools/call', { name: 'send', arguments: { text: 'x' } }, { capabilities })
    expect((await run(() => 'defer' as never)).messages[0].result.resultType).toBe('input_required')
    const thrown = await run(() => {
      throw new Error('secret')
    })
    expect(refusalOf(thrown)).toContain('nobody decided')
  })

  it('forbids by policy what nobody can then approve', async () => {
    const { sent, registry } = shop()
    const serve = mcpHandler(registry.fork({ policy: policy({ tools: { deny: ['send'] } }) }), {
      approve: () => 'approve',
    })
    const { messages } = await ask(serve, 'tools/list')
    expect(messages[0].result.tools).toHaveLength(2)
    expect((await ask(serve, 'tools/call', { name: 'send', arguments: { text: 'x' } })).messages[0].error.code).toBe(
      -32602,
    )
    expect(sent).toEqual([])
  })

  it('serves no tool that somebody else has to run', async () => {
    const { registry } = shop()
    registry.register(tool({ name: 'pick', description: 'Shows a picker.' }))
    const serve = mcpHandler(registry)
    expect((await ask(serve, 'tools/list')).messages[0].result.tools).toHaveLength(3)
    const { messages } = await ask(serve, 'tools/call', { name: 'pick' }, { capabilities: forms })
    expect(messages[0].error.message).toBe('Unknown tool: "pick"')
  })
})
