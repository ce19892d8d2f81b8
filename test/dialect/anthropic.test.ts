import { describe, expect, it } from 'vitest'
import { anthropic, type AnthropicOptions } from '../../src/dialect/anthropic.ts'
import type { ToolDefinition } from '../../src/message/model-event.ts'
import type { Message, Part, ProviderData } from '../../src/message/part.ts'
import type { ModelRequest } from '../../src/model/model.ts'
import { chunked, request, scriptedFetch, tell, type Told, user } from './wire.ts'

const event = (type: string, more: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
const begin = (id = 'msg_1', usage: object = { input_tokens: 10, output_tokens: 1 }): string =>
  event('message_start', { message: { id, content: [], usage } })
const open = (index: number, block: object): string => event('content_block_start', { index, content_block: block })
const change = (index: number, delta: object): string => event('content_block_delta', { index, delta })
const shut = (index: number): string => event('content_block_stop', { index })
const end = (reason = 'end_turn', usage: object = { output_tokens: 5 }): string =>
  event('message_delta', { delta: { stop_reason: reason }, usage }) + event('message_stop')
const text = (index: number, ...pieces: string[]): string =>
  open(index, { type: 'text', text: '' }) +
  pieces.map((piece) => change(index, { type: 'text_delta', text: piece })).join('') +
  shut(index)
const args = (index: number, json: string): string => change(index, { type: 'input_json_delta', partial_json: json })

const read = async (...chunks: string[]): Promise<Told> => {
  const { fetch } = scriptedFetch([chunked(chunks)])
  return tell(anthropic({ model: 'm', apiKey: 'key', fetch, maxRetries: 0 }))
}

const tool: ToolDefinition = { name: 'f', description: 'Does f', inputSchema: { type: 'object' } }

async function sent(
  over: Partial<ModelRequest>,
  options: Partial<AnthropicOptions> = {},
): Promise<{ body: any; told: Told; text: string }> {
  const wire = scriptedFetch([chunked([begin(), text(0, 'ok'), end()])])
  const told = await tell(anthropic({ model: 'm', apiKey: 'key', fetch: wire.fetch, ...options }), request(over))
  return { body: wire.sent[0]?.body, told, text: wire.sent[0]?.text ?? '' }
}

/** A body with every cache mark taken off, to look at the rest. */
const unmarked = (value: unknown): any =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner)))
const countMarks = (body: unknown): number => JSON.stringify(body).split('"cache_control"').length - 1

const call = (callId: string, more: object = {}): Part => ({ type: 'tool-call', callId, name: 'f', input: {}, ...more })
const result = (callId: string, said: string, more: object = {}): Part => ({
  type: 'tool-result',
  callId,
  name: 'f',
  ok: true,
  content: [{ type: 'text', text: said }],
  ...more,
})

describe('anthropic(), reading', () => {
  it('streams text, thinking and calls as blocks of their own', async () => {
    const told = await read(
      begin(),
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      change(0, { type: 'thinking_delta', thinking: 'I need ' }),
      change(0, { type: 'thinking_delta', thinking: 'it. ' }),
      change(0, { type: 'signature_delta', signature: 'sig+/==' }),
      shut(0),
      text(1, 'Let me ', 'look'),
      open(2, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
      args(2, ''),
      args(2, '{"file_'),
      args(2, 'path":"a"}'),
      shut(2),
      end('tool_use'),
    )
    expect(told).toMatchObject({
      reasoning: 'I need it. ',
      text: 'Let me look',
      calls: [{ id: 'toolu_1', name: 'f', args: { file_path: 'a' } }],
    })
    expect(told.items[0]).toMatchObject({ providerData: { anthropic: { signature: 'sig+/==' } } })
    expect(told.finish).toMatchObject({ reason: 'tool-calls', rawReason: 'tool_use', usage: { input: 10, output: 5 } })
  })

  it('takes arguments from the start of a block where none stream, and none for an empty object', async () => {
    const whole = open(0, { type: 'tool_use', id: 't1', name: 'w', input: { file_path: 'a' } })
    expect((await read(begin(), whole, shut(0), end('tool_use'))).calls).toMatchObject([{ args: { file_path: 'a' } }])
    const both = await read(begin(), whole, args(0, '{"file_path":'), args(0, '"b"}'), shut(0), end('tool_use'))
    expect(both.calls).toMatchObject([{ args: { file_path: 'b' } }])
    const none = await read(
      begin(),
      open(0, { type: 'tool_use', id: 't1', name: 'w', input: {} }),
      args(0, ''),
      shut(0),
      end('tool_use'),
    )
    expect(none.calls).toEqual([{ id: 't1', name: 'w', text: '', args: {} }])
  })

  it('skips pings, empty data and events it does not know', async () => {
    const told = await read(
      begin(),
      'event: ping\ndata: \n\n',
      event('ping'),
      'data:\n\n',
      event('news', { index: 0 }),
      text(0, 'ok'),
      end(),
    )
    expect(told).toMatchObject({ text: 'ok', error: undefined })
  })

  it('survives payloads of any shape', async () => {
    const odd = [
      null,
      1,
      [],
      { type: 'content_block_delta' },
      { type: 'content_block_start' },
      { type: 'message_delta', delta: 4, usage: 7 },
    ]
    expect(
      await read(begin(), ...odd.map((one) => `data: ${JSON.stringify(one)}\n\n`), text(0, 'ok'), end()),
    ).toMatchObject({ text: 'ok', error: undefined })
  })

  it('counts cached tokens as input, takes the last number given, and leaves the unknown absent', async () => {
    const cached = { input_tokens: 3, cache_read_input_tokens: 20, cache_creation_input_tokens: 100, output_tokens: 1 }
    const told = await read(
      begin('m', cached),
      text(0, 'x'),
      end('end_turn', {
        output_tokens: 9,
        cache_read_input_tokens: null,
        output_tokens_details: { thinking_tokens: 4 },
      }),
    )
    expect(told.finish?.usage).toEqual({ input: 123, output: 9, reasoning: 4, cacheRead: 20, cacheWrite: 100 })
    const late = await read(
      begin('m', { input_tokens: 0, output_tokens: 0 }),
      text(0, 'x'),
      end('end_turn', { input_tokens: 61, output_tokens: 2, cache_read_input_tokens: null }),
    )
    expect(late.finish?.usage).toEqual({
      input: 61,
      output: 2,
      reasoning: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
    })
  })

  it('never takes a new or cutting stop reason for a plain stop', async () => {
    const reasons = ['model_context_window_exceeded', 'refusal', 'max_tokens', 'stop_sequence', 'some_future_reason']
    const told = await Promise.all(reasons.map((reason) => read(begin(), text(0, 'Hi'), end(reason))))
    expect(told.map((one) => one.finish?.reason)).toEqual(['length', 'refusal', 'length', 'stop-sequence', 'unknown'])
    expect(told.map((one) => one.finish?.rawReason)).toEqual(reasons)
    expect(told.every((one) => one.text === 'Hi')).toBe(true)
    expect(told[4]?.warnings).toEqual(['unknown-finish-reason'])
  })

  it('closes what a limit left open, and never completes cut arguments', async () => {
    const told = await read(
      begin(),
      open(0, { type: 'text', text: '' }),
      change(0, { type: 'text_delta', text: 'Hi' }),
      open(1, { type: 'tool_use', id: 't', name: 'f', input: {} }),
      args(1, '{"a":"x'),
      end('max_tokens'),
    )
    expect(told).toMatchObject({
      text: 'Hi',
      calls: [{ text: '{"a":"x', args: undefined }],
      finish: { reason: 'length' },
    })
    expect(told.events.filter((one) => one.type === 'text-end')).toHaveLength(1)
  })

  it('fails on a second message in one answer and never mixes the two', async () => {
    const half = [
      begin('msg_a'),
      open(0, { type: 'tool_use', id: 'toolu_a', name: 'pay', input: {} }),
      args(0, '{"amount":1'),
    ]
    const second = [
      begin('msg_b'),
      open(0, { type: 'tool_use', id: 'toolu_b', name: 'pay', input: {} }),
      args(0, '{"amount":2}'),
      shut(0),
      end('tool_use'),
    ]
    const told = await read(...half, ...second)
    expect(told).toMatchObject({
      error: { code: 'stream-invalid', retryable: true },
      finish: undefined,
      calls: [{ id: 'toolu_a', args: undefined }],
    })
    expect(await read(begin('msg_a'), begin('msg_a'), text(0, 'x'), begin('msg_a'), end())).toMatchObject({
      text: 'x',
      error: undefined,
    })
    expect(await read(begin('msg_a'), ...second)).toMatchObject({
      calls: [{ id: 'toolu_b', args: { amount: 2 } }],
      error: undefined,
    })
  })

  it('throws an error event with its class, and a body that just ends', async () => {
    const broken = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })
    expect(await read(begin(), text(0, 'Hel'), broken)).toMatchObject({
      text: 'Hel',
      error: { code: 'model-request', retryable: true, data: { class: 'overloaded', providerMessage: 'Overloaded' } },
    })
    expect(await read(begin(), text(0, 'Hel'))).toMatchObject({
      text: 'Hel',
      error: { code: 'model-truncated', retryable: true },
    })
  })

  it('tells what the provider ran itself as hosted calls with their results', async () => {
    const told = await read(
      begin(),
      open(0, { type: 'mcp_tool_use', id: 'mcp_1', name: 'echo', input: {}, server_name: 'srv' }),
      args(0, '{"m":1}'),
      shut(0),
      open(1, {
        type: 'mcp_tool_result',
        tool_use_id: 'mcp_1',
        is_error: false,
        content: [{ type: 'text', text: 'one' }],
      }),
      shut(1),
      open(2, { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' } }),
      shut(2),
      open(3, {
        type: 'web_search_tool_result',
        tool_use_id: 'srv_1',
        content: [
          { type: 'web_search_result', url: 'https://a.test', title: 'A', encrypted_content: 'x' },
          { type: 'web_search_result', url: 'https://b.test', title: 'B' },
        ],
      }),
      shut(3),
      open(4, {
        type: 'web_fetch_tool_result',
        tool_use_id: 'srv_1',
        content: { type: 'web_fetch_tool_result_error', error_code: 'no' },
      }),
      shut(4),
      open(5, { type: 'text', text: '', citations: [] }),
      change(5, { type: 'text_delta', text: 'So' }),
      change(5, {
        type: 'citations_delta',
        citation: { type: 'web_search_result_location', url: 'https://a.test', title: 'A', encrypted_index: 'i' },
      }),
      change(5, {
        type: 'citations_delta',
        citation: { type: 'char_location', document_title: 'Doc', cited_text: 'c' },
      }),
      shut(5),
      end(),
    )
    expect(told.calls).toEqual([])
    expect(told.hosted).toEqual([
      { id: 'mcp_1', name: 'echo', args: { m: 1 } },
      { id: 'srv_1', name: 'web_search', args: { query: 'q' } },
    ])
    expect(told.events.filter((one) => one.type === 'tool-result')).toMatchObject([
      {
        callId: 'mcp_1',
        name: 'echo',
        ok: true,
        value: [{ type: 'text', text: 'one' }],
        providerData: { anthropic: { type: 'mcp_tool_result' } },
      },
      { callId: 'srv_1', name: 'web_search', ok: true },
      { callId: 'srv_1', ok: false },
    ])
    expect(told.events.filter((one) => one.type === 'source').map((one) => one.source)).toEqual([
      { type: 'source', url: 'https://a.test', title: 'A' },
      { type: 'source', url: 'https://b.test', title: 'B' },
      { type: 'source', document: 'Doc', title: 'Doc' },
    ])
    expect(told.items.at(-1)).toMatchObject({
      type: 'text',
      providerData: { anthropic: { citations: [{ encrypted_index: 'i' }, { document_title: 'Doc' }] } },
    })
  })

  it('says that it left out content of a kind it does not know', async () => {
    expect(await read(begin(), open(0, { type: 'hologram' }), shut(0), text(1, 'x'), end())).toMatchObject({
      text: 'x',
      warnings: ['part-ignored'],
    })
  })
})

describe('anthropic(), asking', () => {
  it('sends all results of a step first in one user message, in call order, then the text', async () => {
    const messages: Message[] = [
      user('q'),
      { role: 'assistant', content: [call('a'), call('b')] },
      { role: 'tool', content: [result('b', '2', { ok: false }), result('a', '1')] },
      user('and now?'),
    ]
    const { body } = await sent({ messages, tools: [tool], instructions: 'Be short' })
    expect(unmarked(body)).toEqual({
      model: 'm',
      stream: true,
      max_tokens: 8192,
      tools: [{ name: 'f', description: 'Does f', input_schema: { type: 'object' } }],
      system: [{ type: 'text', text: 'Be short' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'q' }] },
        { role: 'assistant', content: ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })) },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '1' }] },
            { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: '2' }], is_error: true },
            { type: 'text', text: 'and now?' },
          ],
        },
      ],
    })
  })

  it('merges results that come in several messages', async () => {
    const messages: Message[] = [
      user('q'),
      { role: 'assistant', content: [call('a'), call('b')] },
      { role: 'tool', content: [result('b', '2')] },
      { role: 'tool', content: [result('a', '1')] },
    ]
    const { body } = await sent({ messages })
    expect(body.messages).toHaveLength(3)
    expect(body.messages[2].content.map((block: { tool_use_id: string }) => block.tool_use_id)).toEqual(['a', 'b'])
  })

  it('never sends empty text, and lets the roles alternate all the same', async () => {
    const messages: Message[] = [
      user('q'),
      { role: 'assistant', content: [{ type: 'text', text: '' }, call('t')] },
      { role: 'tool', content: [result('t', '')] },
      { role: 'assistant', content: [{ type: 'text', text: '  ' }] },
      user('again'),
      { role: 'assistant', content: [{ type: 'text', text: 'so far \n' }] },
    ]
    const { body } = await sent({ messages })
    expect(unmarked(body).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'q' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't' },
          { type: 'text', text: 'again' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'so far' }] },
    ])
  })

  it('sends thinking back unmodified, and no thinking of another provider', async () => {
    const told = await read(
      begin(),
      open(0, { type: 'thinking', thinking: '' }),
      change(0, { type: 'thinking_delta', thinking: 'I need it. ' }),
      change(0, { type: 'signature_delta', signature: 'sig' }),
      shut(0),
      open(1, { type: 'redacted_thinking', data: 'hidden' }),
      shut(1),
      open(2, { type: 'tool_use', id: 'g1', name: 'f', input: {} }),
      shut(2),
      end('tool_use'),
    )
    const thoughts = told.items
      .filter((item) => item.type === 'reasoning')
      .map((item): Part => ({ type: 'reasoning', text: item.text, providerData: item.providerData }))
    const messages: Message[] = [
      user('q'),
      { role: 'assistant', content: [...thoughts, call('g1')] },
      { role: 'tool', content: [result('g1', '1')] },
    ]
    const { body, text: body1 } = await sent({ messages })
    expect(body.messages[1].content).toEqual([
      { type: 'thinking', thinking: 'I need it. ', signature: 'sig' },
      { type: 'redacted_thinking', data: 'hidden' },
      { type: 'tool_use', id: 'g1', name: 'f', input: {} },
    ])
    expect(body1).not.toMatch(/hinking[^}]*cache_control/)
    const foreign: ProviderData = { gemini: { signature: 'geminiSig==' } }
    const other: Message[] = [
      user('q'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'gemini thought', providerData: foreign },
          call('g 1:ü', { providerData: foreign }),
        ],
      },
      { role: 'tool', content: [result('g 1:ü', '1')] },
    ]
    const theirs = await sent({ messages: other })
    expect(theirs.text).not.toMatch(/geminiSig|gemini thought/)
    expect(theirs.body.messages[1].content[0].id).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(theirs.body.messages[2].content[0].tool_use_id).toBe(theirs.body.messages[1].content[0].id)
  })

  it('sends hosted calls, their results and citations back as they came, and none of another provider', async () => {
    const hosted = { anthropic: { type: 'server_tool_use' } }
    const found = [{ type: 'web_search_result', url: 'https://a.test', encrypted_content: 'x' }]
    const content: Part[] = [
      call('srv_1', { providerExecuted: true, providerData: hosted, input: { query: 'q' } }),
      result('srv_1', '', {
        providerExecuted: true,
        content: [{ type: 'json', value: found }],
        providerData: { anthropic: { type: 'web_search_tool_result' } },
      }),
      call('ws_1', { providerExecuted: true, providerData: { openai: { id: 'ws' } } }),
      result('ws_1', 'theirs', { providerExecuted: true, providerData: { openai: { id: 'ws' } } }),
      { type: 'source', url: 'https://a.test' },
      { type: 'text', text: 'So', providerData: { anthropic: { citations: [{ encrypted_index: 'i' }] } } },
    ]
    const { body } = await sent({ messages: [user('q'), { role: 'assistant', content }, user('more')] })
    expect(body.messages[1].content).toEqual([
      { type: 'server_tool_use', id: 'srv_1', name: 'f', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: found },
      { type: 'text', text: 'So', citations: [{ encrypted_index: 'i' }] },
    ])
  })

  it('sends images and documents, of users and of tools, and names other files', async () => {
    const image: Part = { type: 'file', mediaType: 'image/png', data: 'AAAA' }
    const messages: Message[] = [
      {
        role: 'user',
        content: [
          image,
          { type: 'file', mediaType: 'image/png', url: 'https://a.test/b.png' },
          { type: 'file', mediaType: 'application/pdf', data: 'BB', name: 'a.pdf' },
          { type: 'file', mediaType: 'text/csv', data: 'CC', name: 'c.csv' },
        ],
      },
      { role: 'assistant', content: [call('a', { input: 'broken {', malformed: true })] },
      { role: 'tool', content: [result('a', '', { content: [{ type: 'text', text: 'See' }, image] })] },
    ]
    const { body } = await sent({ messages }, { cache: false })
    const base64 = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          base64,
          { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BB' }, title: 'a.pdf' },
          { type: 'text', text: expect.stringContaining('c.csv') },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'See' }, base64] }],
      },
    ])
  })

  it('puts leading system messages with the instructions, and later ones with the user', async () => {
    const system = (said: string): Message => ({ role: 'system', content: [{ type: 'text', text: said }] })
    const { body } = await sent({ messages: [system('One'), user('q'), system('Two')], instructions: 'Zero' })
    expect(unmarked(body)).toMatchObject({
      system: [{ type: 'text', text: 'Zero\n\nOne' }],
      messages: [{ role: 'user', content: [{ text: 'q' }, { text: 'Two' }] }],
    })
  })

  it('marks the last block, the system text, the last tool and the user message before, in every round', async () => {
    const messages: Message[] = [user('q')]
    const answer = (): Response => chunked([begin(), text(0, 'ok'), end()])
    const wire = scriptedFetch(Array.from({ length: 6 }, () => answer))
    const model = anthropic({ model: 'm', fetch: wire.fetch })
    for (let step = 0; step < 6; step++) {
      await tell(model, request({ messages, instructions: 'Be short', tools: [tool] }))
      messages.push(
        { role: 'assistant', content: [call(`c${step}`)] },
        { role: 'tool', content: [result(`c${step}`, `${step}`)] },
      )
    }
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(wire.sent.map(({ body }) => countMarks(body))).toEqual([3, 4, 4, 4, 4, 4])
    const { tools, system, messages: last } = wire.sent[5]?.body ?? {}
    expect([tools[0], system[0], last.at(-1).content.at(-1), last.at(-3).content.at(-1)]).toMatchObject([
      mark,
      mark,
      mark,
      mark,
    ])
  })

  it('lets the caller’s marks be, and its own yield to them', async () => {
    const own = { anthropic: { cache_control: { type: 'ephemeral', ttl: '1h' } } }
    const marked = (said: string): Message => ({
      role: 'user',
      content: [{ type: 'text', text: said, providerData: own }],
    })
    const messages: Message[] = []
    const answer = (): Response => chunked([begin(), text(0, 'ok'), end()])
    const wire = scriptedFetch(Array.from({ length: 7 }, () => answer))
    const model = anthropic({ model: 'm', fetch: wire.fetch })
    for (let step = 0; step < 7; step++) {
      messages.push(step < 5 ? marked(`${step}`) : user(`${step}`))
      await tell(model, request({ messages, instructions: 'Be short', tools: [tool] }))
      messages.push({
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'x', providerData: { anthropic: { signature: 's', ...own.anthropic } } },
          { type: 'text', text: 'a' },
        ],
      })
    }
    for (const { body } of wire.sent) expect(countMarks(body)).toBeLessThanOrEqual(4)
    expect(wire.sent[6]?.text.split('"ttl":"1h"')).toHaveLength(5)
    expect(wire.sent[2]?.text.split('"ttl":"1h"')).toHaveLength(4)
    expect(wire.sent[6]?.text).not.toMatch(/"signature":"s","cache_control"/)
  })

  it('writes each message once, and the same text before every change', async () => {
    const messages: Message[] = []
    const answer = (): Response => chunked([begin(), text(0, 'ok'), end()])
    const wire = scriptedFetch(Array.from({ length: 5 }, () => answer))
    const model = anthropic({ model: 'm', fetch: wire.fetch })
    let reads = 0
    const watched = (message: Message): Message => ({
      role: message.role,
      get content() {
        reads++
        return message.content
      },
    })
    for (let step = 0; step < 5; step++) {
      messages.push(watched(user(`step ${step}`)))
      await tell(model, request({ messages }))
      messages.push(watched({ role: 'assistant', content: [{ type: 'text', text: 'a' }] }))
    }
    expect(reads).toBe(messages.length - 1)
    const bare = wire.sent.map(({ text: body }) => body.replaceAll(',"cache_control":{"type":"ephemeral"}', ''))
    for (let step = 1; step < 5; step++) expect(bare[step]?.startsWith(bare[step - 1]?.slice(0, -2) ?? '')).toBe(true)
  })

  it('maps every setting or says that it is ignored', async () => {
    const settings = {
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      toolChoice: { tool: 'f' },
    } as const
    const mine = { anthropic: { metadata: { user_id: 'u' } }, openai: { seed: 7 } }
    const { body } = await sent({
      settings: { ...settings, providerOptions: mine },
      tools: [tool],
      output: { type: 'object' },
    })
    expect(body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 100,
      stop_sequences: ['END'],
      tool_choice: { type: 'tool', name: 'f' },
      metadata: { user_id: 'u' },
    })
    expect(body.system[0].text).toContain('{"type":"object"}')
    expect(body).not.toHaveProperty('seed')
    const choices = await Promise.all(
      (['auto', 'none', 'required'] as const).map((toolChoice) => sent({ settings: { toolChoice }, tools: [tool] })),
    )
    expect(choices.map((one) => one.body.tool_choice)).toEqual([{ type: 'auto' }, { type: 'none' }, { type: 'any' }])
  })

  it('says nothing of tools where there are none left', async () => {
    for (const toolChoice of ['auto', 'none', 'required', { tool: 'f' }] as const) {
      const { body } = await sent({ settings: { toolChoice }, tools: [] })
      for (const key of ['tools', 'tool_choice', 'parallel_tool_calls']) expect(body).not.toHaveProperty(key)
    }
  })

  it('asks for thinking by level or by budget, and drops what cannot go with it', async () => {
    const both = { temperature: 0.5, toolChoice: 'required' } as const
    const level = await sent({ settings: { reasoning: 'high', ...both }, tools: [tool] })
    expect(level.body).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      max_tokens: 8192,
    })
    expect(level.told.warnings).toEqual(['setting-ignored', 'setting-ignored'])
    expect(level.body).not.toHaveProperty('temperature')
    expect(level.body).not.toHaveProperty('tool_choice')
    const budget = await sent({ settings: { reasoning: { tokens: 2000 }, maxOutputTokens: 500 } })
    expect(budget.body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 2500 })
    expect((await sent({ settings: { reasoning: 'off', temperature: 1 } })).body).toMatchObject({
      thinking: { type: 'disabled' },
      temperature: 1,
    })
  })

  it('sends its own headers, the one for pages among them, and server tools before ours', async () => {
    const wire = scriptedFetch([chunked([begin(), text(0, 'ok'), end()])])
    const search = { type: 'web_search_20250305', name: 'web_search' }
    await tell(
      anthropic({
        model: 'm',
        apiKey: () => 'key',
        fetch: wire.fetch,
        headers: { 'anthropic-beta': 'b' },
        serverTools: [search],
      }),
      request({ tools: [tool] }),
    )
    expect(wire.sent[0]).toMatchObject({
      url: 'https://api.anthropic.com/v1/messages',
      headers: {
        'content-type': 'application/json',
        'x-api-key': 'key',
        'anthropic-version': '2023-06-01',
        'anthropic-dangerous-direct-browser-access': 'true',
        'anthropic-beta': 'b',
      },
      body: { tools: [search, { name: 'f' }] },
    })
    expect((await sent({}, { apiKey: undefined, serverTools: [search] })).body.tools).toEqual([
      { ...search, cache_control: { type: 'ephemeral' } },
    ])
  })

  it('sends no lone surrogate', async () => {
    const { text: body } = await sent({
      messages: [
        user('x\ud83d'),
        { role: 'assistant', content: [call('a', { input: { t: '\ude00' } })] },
        { role: 'tool', content: [result('a', '\ud83d')] },
      ],
      instructions: '\ud83d',
    })
    expect(body).not.toMatch(/\\ud[89a-f]/i)
    expect(body).not.toMatch(/\p{Surrogate}/u)
  })
})
