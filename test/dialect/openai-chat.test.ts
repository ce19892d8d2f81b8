import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/dialect/openai-chat.ts'
import type { ModelEvent, ToolDefinition } from '../../src/message/model-event.ts'
import type { Message, Part } from '../../src/message/part.ts'
import type { ModelRequest } from '../../src/model/model.ts'
import { chunked, request, scriptedFetch, tell, type Told, user } from './wire.ts'

const line = (payload: unknown): string => `data: ${JSON.stringify(payload)}\n\n`
const chunk = (delta: unknown, finish: string | null = null): string =>
  line({ choices: [{ index: 0, delta, finish_reason: finish }] })
const calls = (...entries: unknown[]): string => chunk({ tool_calls: entries })
const fn = (name?: string, args?: string): unknown => ({
  ...(name && { name }),
  ...(args !== undefined && { arguments: args }),
})
const done = 'data: [DONE]\n\n'

const read = async (...chunks: string[]): Promise<Told> => {
  const { fetch } = scriptedFetch([chunked(chunks)])
  return tell(openaiChat({ model: 'm', fetch, maxRetries: 0 }))
}

/** Reads tool call deltas and the end of a turn with calls. */
const called = async (...deltas: string[]): Promise<Told['calls']> =>
  (await read(...deltas, chunk({}, 'tool_calls'), done)).calls

const tool: ToolDefinition = { name: 'f', description: 'Does f', inputSchema: { type: 'object' } }

/** The body that is sent for a request. */
async function sent(
  over: Partial<ModelRequest>,
  options: Partial<Parameters<typeof openaiChat>[0]> = {},
): Promise<{ body: any; told: Told }> {
  const wire = scriptedFetch([chunked([chunk({ content: 'ok' }, 'stop'), done])])
  const told = await tell(openaiChat({ model: 'm', apiKey: 'key', fetch: wire.fetch, ...options }), request(over))
  return { body: wire.sent[0]?.body, told }
}

describe('openaiChat(), reading', () => {
  it('streams text as one block and ends with the counted tokens', async () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 4,
      total_tokens: 14,
      prompt_tokens_details: { cached_tokens: 8 },
      cost: 0.25,
    }
    const told = await read(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      line({ choices: [], usage }),
      done,
    )
    expect(told.events).toEqual([
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Hel' },
      { type: 'text-delta', id: '0', delta: 'lo' },
      { type: 'text-end', id: '0' },
      {
        type: 'finish',
        reason: 'stop',
        rawReason: 'stop',
        usage: { input: 10, output: 4, total: 14, reasoning: undefined, cacheRead: 8, costUsd: 0.25 },
      },
    ])
  })

  it('streams a call’s arguments piece by piece and runs nothing of it through a parser', async () => {
    const told = await read(
      calls({ index: 0, id: 'a', function: fn('f', '') }),
      calls({ index: 0, function: fn(undefined, '{"x"') }),
      calls({ index: 0, function: fn(undefined, ':1}') }),
      chunk({}, 'tool_calls'),
      done,
    )
    expect(told.events.slice(0, 3)).toEqual<ModelEvent[]>([
      { type: 'tool-input-start', index: 0, callId: 'a', name: 'f' },
      { type: 'tool-input-delta', index: 0, delta: '{"x"' },
      { type: 'tool-input-delta', index: 0, delta: ':1}' },
    ])
  })

  it('reads characters cut anywhere', async () => {
    const text = '漢字 🧑‍🚀 ñ'
    const bytes = new TextEncoder().encode(chunk({ content: text }, 'stop') + done)
    for (let at = 0; at <= bytes.length; at++) {
      const { fetch } = scriptedFetch([chunked([bytes.slice(0, at), bytes.slice(at)])])
      expect((await tell(openaiChat({ model: 'm', fetch }))).text).toBe(text)
    }
  })

  it('takes [DONE] without a finish reason for an end that it does not know', async () => {
    expect(await read(chunk({ content: '4' }), done)).toMatchObject({
      text: '4',
      error: undefined,
      finish: { reason: 'unknown', rawReason: undefined },
      warnings: ['unknown-finish-reason'],
    })
  })

  it('takes an end with neither for a truncated answer, and keeps the text', async () => {
    const told = await read(chunk({ content: 'Writing' }), calls({ index: 0, id: 'a', function: fn('f', '{"a":"lo') }))
    expect(told).toMatchObject({ text: 'Writing', error: { code: 'model-truncated', retryable: true } })
    expect(told.events.some((event) => event.type === 'finish')).toBe(false)
  })

  it('takes a last event without its blank line', async () => {
    for (const tail of ['\n', '']) {
      const last = chunk({}, 'stop').trimEnd() + tail
      expect(await read(chunk({ content: 'Hi' }), last)).toMatchObject({
        text: 'Hi',
        error: undefined,
        finish: { reason: 'stop' },
      })
    }
    expect(await read(chunk({ content: 'Hi' }), 'data: {"choices":[{"delta":{},"finish_re')).toMatchObject({
      error: { code: 'model-truncated' },
    })
  })

  it('reads a payload that is spread over several data lines, and skips empty ones and comments', async () => {
    const spread = 'data: {"choices":[{"index":0,\ndata: "delta":{"content":"Hi"},\ndata: "finish_reason":"stop"}]}\n\n'
    expect(await read(': hold\n\n', 'data: \n\n', 'event: ping\ndata:\n\n', spread, done)).toMatchObject({
      text: 'Hi',
      finish: { reason: 'stop' },
    })
  })

  it('throws an error object in the stream, with its code as the status', async () => {
    const broken = line({
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
      error: { code: 502, message: 'Gone' },
    })
    expect(await read(': hold\n\n', chunk({ content: 'He' }), broken)).toMatchObject({
      text: 'He',
      error: {
        code: 'model-request',
        retryable: true,
        data: { class: 'overloaded', status: 502, providerMessage: 'Gone' },
      },
    })
    expect((await read('event: error\ndata: {"message":"No","type":"invalid_request_error"}\n\n')).error).toMatchObject(
      {
        data: { class: 'invalid-request', providerMessage: 'No' },
      },
    )
    expect((await read(line({ error: 'plain words' }))).error).toMatchObject({
      retryable: false,
      data: { class: 'other', providerMessage: 'plain words' },
    })
  })

  it('takes new finish reasons for unknown and says so', async () => {
    const told = await read(chunk({ content: 'Hi' }, 'tired'), done)
    expect(told).toMatchObject({
      finish: { reason: 'unknown', rawReason: 'tired' },
      warnings: ['unknown-finish-reason'],
    })
    const known = await Promise.all(
      ['length', 'content_filter', 'function_call'].map((reason) => read(chunk({}, reason), done)),
    )
    expect(known.map((one) => one.finish?.reason)).toEqual(['length', 'content-filter', 'tool-calls'])
  })

  it('tells calls and refusals from a plain stop', async () => {
    expect((await read(calls({ id: 'a', function: fn('f', '{}') }), chunk({}, 'stop'), done)).finish?.reason).toBe(
      'tool-calls',
    )
    expect(await read(chunk({ refusal: 'I will not' }), chunk({}, 'stop'), done)).toMatchObject({
      text: 'I will not',
      finish: { reason: 'refusal' },
    })
  })

  it('keeps reasoning with the name it came by, and details joined', async () => {
    const piece = (text: string, more = {}): unknown => ({ type: 'reasoning.text', index: 0, text, ...more })
    const told = await read(
      chunk({ reasoning: 'I ', reasoning_details: [piece('I ', { signature: '' })] }),
      chunk({ reasoning: 'think', reasoning_details: [piece('think')] }),
      chunk({ reasoning: null, reasoning_details: [piece('', { signature: 'sig' })] }),
      chunk({ content: 'So' }),
      chunk({}, 'stop'),
      done,
    )
    expect(told).toMatchObject({ reasoning: 'I think', text: 'So' })
    expect(told.items[0]).toMatchObject({
      type: 'reasoning',
      providerData: {
        openai: {
          field: 'reasoning',
          reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I think', signature: 'sig' }],
        },
      },
    })
  })

  it('keeps encrypted reasoning that has no text', async () => {
    const told = await read(
      chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] }),
      chunk({ content: 'Hi' }, 'stop'),
      done,
    )
    expect(told.items[0]).toMatchObject({
      type: 'reasoning',
      text: '',
      providerData: { openai: { reasoning_details: [{ data: 'x' }] } },
    })
  })

  it('tells each source once', async () => {
    const note = { type: 'url_citation', url_citation: { url: 'https://a.test', title: 'A' } }
    const told = await read(
      line({
        choices: [{ delta: { content: 'x', annotations: [note, note] } }],
        citations: ['https://a.test', 'https://b.test'],
      }),
      chunk({}, 'stop'),
      done,
    )
    expect(told.events.filter((event) => event.type === 'source')).toEqual([
      { type: 'source', source: { type: 'source', url: 'https://a.test', title: 'A' } },
      { type: 'source', source: { type: 'source', url: 'https://b.test' } },
    ])
  })

  it('survives payloads of any shape', async () => {
    const odd = [
      null,
      1,
      'x',
      [],
      {},
      { choices: {} },
      { choices: [null] },
      { choices: [{ delta: { content: 5, tool_calls: [null, 3, {}] } }] },
      { usage: [] },
    ]
    expect(await read(...odd.map(line), chunk({ content: 'Hi' }, 'stop'), done)).toMatchObject({
      text: 'Hi',
      error: undefined,
    })
  })

  it('reads only the first of several answers', async () => {
    const other = line({
      choices: [
        { index: 1, delta: { content: 'other' } },
        { index: 0, delta: { content: 'mine' } },
      ],
    })
    expect((await read(other, chunk({}, 'stop'), done)).text).toBe('mine')
  })
})

describe('openaiChat(), sorting call deltas', () => {
  const one = [{ id: 'a', name: 'f', args: { x: 1 } }]
  const two = [
    { id: 'a', name: 'f', args: { x: 1 } },
    { id: 'b', name: 'g', args: { y: 2 } },
  ]

  it('goes on with the last call where an index is missing', async () => {
    expect(
      await called(calls({ id: 'a', function: fn('f', '{"x":') }), calls({ function: fn(undefined, '1}') })),
    ).toMatchObject(one)
  })

  it('opens a call for each new id where the index is missing or the same', async () => {
    expect(
      await called(calls({ id: 'a', function: fn('f', '{"x":1}') }), calls({ id: 'b', function: fn('g', '{"y":2}') })),
    ).toMatchObject(two)
    expect(
      await called(
        calls({ index: 0, id: 'a', function: fn('f', '{"x":1}') }),
        calls({ index: 0, id: 'b', function: fn('g', '{"y":2}') }),
      ),
    ).toMatchObject(two)
  })

  it('takes an index for a key, not a position', async () => {
    const told = await called(
      calls({ index: 1, id: 'a', function: fn('f', '') }),
      calls({ index: 1, function: fn(undefined, '{"x":1}') }),
      calls({ index: 3, id: 'b', function: fn('g', '{"y"') }),
      calls({ index: 3, function: fn(undefined, ':2}') }),
    )
    expect(told).toMatchObject(two)
  })

  it('takes the first id and name and never appends to them', async () => {
    const each = (args: string): string => calls({ index: 0, id: 'a', type: 'function', function: fn('f', args) })
    expect(await called(each(''), each('{"x"'), each(':1}'))).toMatchObject(one)
    expect(
      await called(
        calls({ index: 0, id: 'a', function: fn('f', '{"x"') }),
        calls({ index: 0, id: '', function: { name: null, arguments: ':1}' } }),
      ),
    ).toMatchObject(one)
  })

  it('reads interleaved calls', async () => {
    const told = await called(
      calls({ index: 0, id: 'a', function: fn('f', '') }, { index: 1, id: 'b', function: fn('g', '{"y"') }),
      calls({ index: 1, function: fn(undefined, ':2}') }, { index: 0, function: fn(undefined, '{"x":1}') }),
    )
    expect(told).toMatchObject(two)
  })

  it('takes arguments that are sent again as a whole once', async () => {
    const again = (...texts: string[]): Promise<Told['calls']> =>
      called(
        ...texts.map((text, index) =>
          calls({ index: 0, ...(index === 0 && { id: 'a' }), function: fn(index === 0 ? 'f' : undefined, text) }),
        ),
      )
    for (const texts of [
      ['{"a"', '{"a":1', '{"a":1,"b":2}'],
      ['{', '{"a":1', '{"a":1,"b":2}'],
      ['{"a":1,"b":2}', '{"a":1,"b":2}'],
      ['{ "a"', '{ "a":1,"b":2}'],
    ]) {
      expect(await again(...texts), texts.join(' ')).toMatchObject([{ args: { a: 1, b: 2 } }])
    }
    expect(await again('{}', '{}')).toMatchObject([{ text: '{}' }])
  })

  it('does not take a repetition in the arguments for one', async () => {
    const cases = [
      ['{"a":', '{"a":1}', '}'],
      ['{"a":[', '{"a":[', '1]}]}'],
      ['{"', '{":1}'],
      ['{"a":[1,', '{"a":[1,2]}', ']}'],
    ]
    for (const texts of cases) {
      const deltas = texts.map((text, index) =>
        calls({ index: 0, ...(index === 0 && { id: 'a' }), function: fn(index === 0 ? 'f' : undefined, text) }),
      )
      expect(await called(...deltas)).toMatchObject([{ text: texts.join('') }])
    }
  })

  it('ignores empty deltas after a complete call', async () => {
    const told = await called(
      calls({ index: 0, id: 'a', function: fn('now', '') }),
      calls({ index: 1, id: 'b', function: fn('g', '{"y":2}') }),
      calls({ index: 0, function: fn(undefined, '') }, { index: 1, function: fn(undefined, '') }),
    )
    expect(told).toEqual([
      { id: 'a', name: 'now', text: '', args: {} },
      { id: 'b', name: 'g', text: '{"y":2}', args: { y: 2 } },
    ])
  })

  it('takes calls without ids and arguments that are no string', async () => {
    const told = await called(
      calls({ id: '', function: { name: 'f', arguments: { x: 1 } } }),
      calls({ id: '', function: fn('f', '{"x":1}') }),
    )
    expect(told).toMatchObject([
      { id: undefined, name: 'f', args: { x: 1 } },
      { id: undefined, name: 'f', args: { x: 1 } },
    ])
  })

  it('waits for a late name, and tells a call that never got one', async () => {
    expect(
      await called(
        calls({ index: 0, id: 'a', function: fn(undefined, '{"x"') }),
        calls({ index: 0, function: fn('f', ':1}') }),
      ),
    ).toMatchObject(one)
    expect(await called(calls({ index: 0, id: 'a', function: fn(undefined, '{"x":1}') }))).toMatchObject([
      { name: '', args: { x: 1 } },
    ])
  })

  it('never repairs what was cut', async () => {
    expect(await called(calls({ index: 0, id: 'a', function: fn('f', '{"path":"/a","content":"x') }))).toMatchObject([
      { text: '{"path":"/a","content":"x', args: undefined },
    ])
  })
})

describe('openaiChat(), asking', () => {
  const call: Part = { type: 'tool-call', callId: 'c1', name: 'f', input: { x: 1 } }
  const result: Part = {
    type: 'tool-result',
    callId: 'c1',
    name: 'f',
    ok: true,
    content: [{ type: 'text', text: 'one' }],
  }

  it('sends a whole conversation', async () => {
    const messages: Message[] = [
      user('Hi'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'other', providerData: { anthropic: { signature: 's' } } },
          { type: 'text', text: 'Look' },
          call,
          { ...call, callId: 'c2' },
        ],
      },
      {
        role: 'tool',
        content: [
          result,
          { ...result, callId: 'c2', ok: false, content: [{ type: 'json', value: { no: true } }] } as Part,
        ],
      },
    ]
    const { body } = await sent({ messages, instructions: 'Be short', tools: [tool] })
    expect(body).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: 'function', function: { name: 'f', description: 'Does f', parameters: { type: 'object' } } }],
      messages: [
        { role: 'system', content: 'Be short' },
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: 'Look',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
            { id: 'c2', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'one' },
        { role: 'tool', tool_call_id: 'c2', content: '{"no":true}' },
      ],
    })
  })

  it('sends {} for arguments that were no JSON, and leaves empty answers out', async () => {
    const messages: Message[] = [
      user('Hi'),
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'c', name: 'f', input: '{"a', malformed: true }] },
      { role: 'tool', content: [{ ...result, callId: 'c' } as Part] },
      { role: 'assistant', content: [{ type: 'text', text: '' }] },
      user('And?'),
    ]
    const { body } = await sent({ messages })
    expect(body.messages.map((message: { role: string }) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ])
    expect(body.messages[1]).toMatchObject({ content: null, tool_calls: [{ function: { arguments: '{}' } }] })
  })

  it('sends reasoning back to where it came from only', async () => {
    const details = [{ type: 'reasoning.text', text: 'Hm' }]
    const own: Part = {
      type: 'reasoning',
      text: 'Hm',
      providerData: { deepseek: { field: 'reasoning_content', reasoning_details: details } },
    }
    const messages: Message[] = [
      user('Hi'),
      { role: 'assistant', content: [own, { type: 'text', text: 'So' }] },
      user('And?'),
    ]
    const same = await sent({ messages }, { provider: 'deepseek' })
    expect(same.body.messages[1]).toEqual({
      role: 'assistant',
      content: 'So',
      reasoning_content: 'Hm',
      reasoning_details: details,
    })
    const other = await sent({ messages })
    expect(other.body.messages[1]).toEqual({ role: 'assistant', content: 'So' })
  })

  it('sends a call’s signature back where it was', async () => {
    const extra = { google: { thought_signature: 'sig' } }
    const told = await read(
      calls({ index: 0, id: 'c1', function: fn('f', '{}'), extra_content: extra }),
      chunk({}, 'tool_calls'),
      done,
    )
    const start = told.events[0] as Extract<ModelEvent, { type: 'tool-input-start' }>
    const messages: Message[] = [
      user('Hi'),
      { role: 'assistant', content: [{ ...call, providerData: start.providerData } as Part] },
      { role: 'tool', content: [result] },
    ]
    expect((await sent({ messages })).body.messages[1].tool_calls[0]).toMatchObject({ extra_content: extra })
    expect(JSON.stringify((await sent({ messages }, { provider: 'groq' })).body)).not.toContain('thought_signature')
  })

  it('sends files as parts, and those of tools after the results', async () => {
    const image: Part = { type: 'file', mediaType: 'image/png', data: 'AAAA' }
    const messages: Message[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          image,
          { type: 'file', mediaType: 'image/jpeg', url: 'https://a.test/b.jpg' },
          { type: 'file', mediaType: 'application/pdf', data: 'BBBB', name: 'a.pdf' },
          { type: 'file', mediaType: 'audio/mpeg', data: 'CCCC' },
        ],
      },
      { role: 'assistant', content: [call, { ...call, callId: 'c2' }] },
      { role: 'tool', content: [{ ...result, content: [image] } as Part, { ...result, callId: 'c2' } as Part] },
    ]
    const { body } = await sent({ messages })
    expect(body.messages[0].content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'image_url', image_url: { url: 'https://a.test/b.jpg' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
      { type: 'input_audio', input_audio: { data: 'CCCC', format: 'mp3' } },
    ])
    expect(body.messages.slice(2).map((message: { role: string }) => message.role)).toEqual(['tool', 'tool', 'user'])
    expect(body.messages[4].content).toEqual([{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }])
  })

  it('makes ids that the server would refuse safe, the same for call and result', async () => {
    const ids = ['x'.repeat(60), `${'x'.repeat(60)}y`, 'a b/ü', '']
    const messages: Message[] = [
      user('Hi'),
      { role: 'assistant', content: ids.map((callId) => ({ ...call, callId }) as Part) },
      { role: 'tool', content: ids.map((callId) => ({ ...result, callId }) as Part) },
    ]
    const { body } = await sent({ messages })
    const asked = body.messages[1].tool_calls.map((one: { id: string }) => one.id)
    expect(asked).toEqual(body.messages.slice(2).map((one: { tool_call_id: string }) => one.tool_call_id))
    expect(new Set(asked).size).toBe(4)
    for (const id of asked) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/)
  })

  it('sends no lone surrogate, in whatever it stands', async () => {
    const lone = 'x\ud83d'
    const messages: Message[] = [
      user(lone),
      { role: 'assistant', content: [{ ...call, input: { t: lone } } as Part] },
      {
        role: 'tool',
        content: [
          {
            ...result,
            content: [
              { type: 'json', value: { lone } },
              { type: 'text', text: '\ude00' },
            ],
          } as Part,
        ],
      },
    ]
    const wire = scriptedFetch([chunked([chunk({ content: 'ok' }, 'stop'), done])])
    await tell(openaiChat({ model: 'm', fetch: wire.fetch }), request({ messages, instructions: lone }))
    expect(wire.sent[0]?.text).not.toMatch(/(?<!\\)(\\\\)*\\ud[89a-f]/i)
    expect(wire.sent[0]?.text).not.toMatch(/\p{Surrogate}/u)
    expect(JSON.parse(wire.sent[0]?.body.messages[2].tool_calls[0].function.arguments)).toEqual({ t: 'x\ufffd' })
  })

  it('maps every setting or says that it is ignored', async () => {
    const settings = {
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      reasoning: 'low',
      toolChoice: { tool: 'f' },
    } as const
    const output = { type: 'object' }
    const mine = { openai: { seed: 7 }, anthropic: { thinking: 1 } }
    const { body } = await sent({ settings: { ...settings, providerOptions: mine }, tools: [tool], output })
    expect(body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 100,
      stop: ['END'],
      reasoning_effort: 'low',
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: output } },
      seed: 7,
    })
    expect(body).not.toHaveProperty('thinking')
    const local = await sent(
      { settings: { maxOutputTokens: 5, reasoning: { tokens: 9 }, toolChoice: 'required' } },
      { baseUrl: 'http://127.0.0.1:1/v1/', includeUsage: false },
    )
    expect(local.body).toEqual({ model: 'm', stream: true, max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] })
    expect(local.told.warnings).toEqual(['setting-ignored'])
    expect((await sent({ settings: { reasoning: 'off' } })).body).toMatchObject({ reasoning_effort: 'none' })
  })

  it('says nothing of tools where there are none left', async () => {
    for (const toolChoice of ['auto', 'none', 'required', { tool: 'f' }] as const) {
      const { body } = await sent({ settings: { toolChoice }, tools: [] })
      for (const key of ['tools', 'tool_choice', 'parallel_tool_calls']) expect(body).not.toHaveProperty(key)
    }
  })

  it('asks a key function each time, and sends only the headers it must', async () => {
    let asked = 0
    const wire = scriptedFetch([chunked([chunk({}, 'stop'), done]), chunked([chunk({}, 'stop'), done])])
    const model = openaiChat({
      model: 'm',
      apiKey: async () => `key${++asked}`,
      fetch: wire.fetch,
      headers: { 'x-mine': '1' },
    })
    await tell(model)
    await tell(model)
    expect(wire.sent.map(({ url, headers }) => [url, headers])).toEqual([
      [
        'https://api.openai.com/v1/chat/completions',
        { 'content-type': 'application/json', authorization: 'Bearer key1', 'x-mine': '1' },
      ],
      [
        'https://api.openai.com/v1/chat/completions',
        { 'content-type': 'application/json', authorization: 'Bearer key2', 'x-mine': '1' },
      ],
    ])
  })

  it('writes each message once, and the same text again each time', async () => {
    const reads = new Map<Message, number>()
    const watched = (message: Message): Message =>
      new Proxy(message, {
        get: (from, key) => (
          key === 'content' && reads.set(message, (reads.get(message) ?? 0) + 1),
          Reflect.get(from, key)
        ),
      })
    const messages: Message[] = []
    const answer = (): Response => chunked([chunk({}, 'stop'), done])
    const wire = scriptedFetch(Array.from({ length: 5 }, () => answer))
    const model = openaiChat({ model: 'm', fetch: wire.fetch })
    for (let step = 0; step < 5; step++) {
      messages.push(watched(user(`step ${step}`)))
      await tell(model, request({ messages }))
    }
    expect([...reads.values()]).toEqual([1, 1, 1, 1, 1])
    for (let step = 1; step < 5; step++)
      expect(wire.sent[step]?.text.startsWith(wire.sent[step - 1]?.text.slice(0, -2) ?? '')).toBe(true)
    expect(wire.sent[4]?.body.messages).toHaveLength(5)
  })

  it('writes anew where the array was changed in any other way', async () => {
    const messages: Message[] = [user('a'), user('b')]
    const answer = (): Response => chunked([chunk({}, 'stop'), done])
    const wire = scriptedFetch([answer, answer])
    const model = openaiChat({ model: 'm', fetch: wire.fetch })
    await tell(model, request({ messages }))
    messages.splice(0, 2, user('c'))
    await tell(model, request({ messages }))
    expect(wire.sent[1]?.body.messages).toEqual([{ role: 'user', content: 'c' }])
  })
})
