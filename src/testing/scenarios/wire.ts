// The loop over real wire formats: what a provider's server may do to us, and what we send it.
import { anthropic } from '../../dialect/anthropic.ts'
import { openaiChat } from '../../dialect/openai-chat.ts'
import type { Json } from '../../json/value.ts'
import { tool } from '../../tool/define.ts'
import type { Kit, Scenario } from '../kit.ts'
import type { ServerAnswer, ServerChunk } from '../server.ts'
import { cast, checkTranscript, echo, hasLoneSurrogate, lastResults, play } from './cast.ts'

const sse = { 'content-type': 'text/event-stream' }

const data = (payload: unknown): string => `data: ${JSON.stringify(payload)}\n\n`

const chat = (delta: object, finish: string | null = null): string =>
  data({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })

const chatText = (text: string): ServerAnswer => ({
  headers: sse,
  body: [chat({ content: text }), chat({}, 'stop'), 'data: [DONE]\n\n'],
})

const chatCall = (name: string, args: string, id = 'call_a'): string =>
  chat({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: args } }] })

const named = (type: string, payload: object = {}): string => `event: ${type}\n${data({ type, ...payload })}`

const claude = (
  blocks: readonly { readonly start: object; readonly deltas: readonly object[] }[],
  stop: string,
): ServerAnswer => ({
  headers: sse,
  body: [
    named('message_start', {
      message: { id: 'm', model: 'claude', content: [], usage: { input_tokens: 10, output_tokens: 1 } },
    }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      named('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => named('content_block_delta', { index, delta })),
      named('content_block_stop', { index }),
    ]),
    named('message_delta', { delta: { stop_reason: stop }, usage: { output_tokens: 5 } }),
    named('message_stop'),
  ],
})

/** Serves the answers in turn. */
function script(kit: Kit, answers: readonly ServerAnswer[]): void {
  let number = 0
  kit.serve(() => answers[number++] ?? { status: 500, body: 'the script is over' })
}

const sent = (kit: Kit, index: number): { readonly messages: readonly { readonly [key: string]: unknown }[] } =>
  JSON.parse(kit.requests[index]?.body ?? '{}')

const compatible = (more: object = {}) => ({
  model: openaiChat({ model: 'm', apiKey: 'sk-secret', baseUrl: 'https://llm.test/v1', ...more }),
})

export const wireScenarios: readonly Scenario[] = [
  {
    name: 'a truncated call that the server calls finished is not run, and the next request is valid JSON throughout',
    run: async (kit) => {
      let ran = 0
      const write = tool({ name: 'write', description: 'Writes.', execute: () => void ran++ })
      script(kit, [
        {
          headers: sse,
          body: [chatCall('write', '{"path":"/a","text":"x'), chat({}, 'tool_calls'), 'data: [DONE]\n\n'],
        },
        chatText('ok'),
      ])
      const { result } = await play(kit, cast(kit, [], { ...compatible(), tools: [write] }))
      const [, assistant, answer] = sent(kit, 1).messages as [
        unknown,
        { tool_calls: { function: { arguments: string } }[] },
        { tool_call_id: string; content: string },
      ]
      kit.equal([ran, result.status, kit.requests.length], [0, 'done', 2])
      kit.equal(JSON.parse(assistant.tool_calls[0]?.function.arguments ?? 'x'), {})
      kit.equal(answer.tool_call_id, 'call_a')
    },
  },
  {
    name: 'a stream that ends without a finish is reset and repeated, and its call never runs',
    run: async (kit) => {
      let ran = 0
      const write = tool({ name: 'write', description: 'Writes.', execute: () => void ran++ })
      script(kit, [
        { headers: sse, body: [chat({ content: 'Writing' }), chatCall('write', '{"a":1}')] },
        chatText('whole'),
      ])
      const { result, events } = await play(kit, cast(kit, [], { ...compatible(), tools: [write] }))
      kit.equal([ran, result.text, events.filter(({ type }) => type === 'step-reset').length], [0, 'whole', 1])
    },
  },
  {
    name: 'a server that is overloaded, limited or gone before the first event is asked again, as it wishes',
    run: async (kit) => {
      const busy: readonly ServerAnswer[] = [
        { status: 529, body: '{"error":{"type":"overloaded_error","message":"busy"}}' },
        { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
        { status: 429, headers: { 'retry-after': '7' }, body: '{}' },
        { headers: sse, body: [data({ error: { code: 502, message: 'Provider disconnected' }, choices: [] })] },
        { body: [{ break: true }], headers: sse },
      ]
      for (const first of busy) {
        script(kit, [first, chatText('back')])
        const before = kit.clock.now()
        const { result, events } = await play(kit, cast(kit, [], compatible()))
        kit.equal([result.text, events.filter(({ type }) => type === 'retry').length], ['back', 1])
        if (first.status === 429) kit.check(kit.clock.now() - before >= 7000, 'the wait the server asked for')
      }
    },
  },
  {
    name: 'a wrong key, a wrong request and an HTML page fail at once with what was said, and the key never shows',
    run: async (kit) => {
      const wrong: readonly (readonly [ServerAnswer, string])[] = [
        [{ status: 401, body: '{"error":{"message":"Incorrect API key provided: sk-secret"}}' }, 'model-request'],
        [{ status: 400, body: '{"error":{"message":"The model does not exist"}}' }, 'model-request'],
        [{ headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Login</title>' }, 'model-response'],
      ]
      for (const [answer, code] of wrong) {
        script(kit, [answer])
        const { result, events } = await play(kit, cast(kit, [], compatible()))
        kit.equal(
          [result.status, result.error?.code, events.filter(({ type }) => type === 'retry').length],
          ['failed', code, 0],
        )
        kit.check(!JSON.stringify([events, result, result.error]).includes('sk-secret'), 'the key does not show')
      }
    },
  },
  {
    name: 'a stream that stalls in its middle is reset after the silence and repeated',
    run: async (kit) => {
      script(kit, [{ headers: sse, body: [chat({ content: 'He' }), { wait: 10 ** 7 }] }, chatText('Hello')])
      const { result, events } = await play(kit, cast(kit, [], compatible({ idleTimeoutMs: 5000 })))
      kit.equal([result.text, events.filter(({ type }) => type === 'step-reset').length], ['Hello', 1])
    },
  },
  {
    name: 'an abort during a request ends the request itself',
    run: async (kit) => {
      script(kit, [{ headers: sse, body: [chat({ content: 'He' }), { wait: 10 ** 7 }] }])
      const { assistant } = cast(kit, [], compatible())
      const run = assistant.run('go')
      kit.host.timer(100, () => run.abort())
      await kit.trace(run)
      await kit.clock.settle()
      kit.equal([(await run.result).status, kit.requests[0]?.signal?.aborted], ['aborted', true])
    },
  },
  {
    name: 'no request ever holds half of a surrogate pair',
    run: async (kit) => {
      const high = '\ud83d'
      const odd = tool({ name: 'odd', description: 'Odd.', effect: 'read', execute: () => `ok ${high}` })
      script(kit, [
        {
          headers: sse,
          body: [
            chatCall('echo', '{"text":"\\ud83d"}'),
            chat({ tool_calls: [{ index: 1, id: 'b', function: { name: 'odd', arguments: '{}' } }] }),
            chat({}, 'tool_calls'),
          ],
        },
        chatText('ok'),
      ])
      await play(
        kit,
        cast(kit, [], { ...compatible(), tools: [echo, odd], instructions: `Be ${high} nice` }),
        `x\ud800y 😀`,
      )
      for (const { body } of kit.requests) {
        kit.check(!/\\u[dD][89a-fA-F]/.test(body) && !hasLoneSurrogate(body), 'a well-formed body')
        kit.includes(body, '😀')
      }
    },
  },
  {
    name: 'signed thinking goes back unchanged before the call it led to, and all results in one message',
    run: async (kit) => {
      const thinking = {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: 'I need ' },
          { type: 'thinking_delta', thinking: 'two' },
          { type: 'signature_delta', signature: 'EqQB+/==' },
        ],
      }
      const call = (id: string, text: string) => ({
        start: { type: 'tool_use', id, name: 'echo', input: {} },
        deltas: [
          { type: 'input_json_delta', partial_json: '' },
          { type: 'input_json_delta', partial_json: JSON.stringify({ text }) },
        ],
      })
      script(kit, [
        claude([thinking, call('toolu_1', 'a'), call('toolu_2', 'b')], 'tool_use'),
        claude([{ start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: 'ok' }] }], 'end_turn'),
      ])
      const model = anthropic({ model: 'claude', apiKey: 'sk-secret', baseUrl: 'https://claude.test/v1' })
      const { result } = await play(kit, cast(kit, [], { model, tools: [echo] }))
      type Block = { readonly type: string; readonly [key: string]: Json }
      const [, said, given, ...rest] = sent(kit, 1).messages as unknown as { role: string; content: Block[] }[]
      kit.equal(said?.content[0], { type: 'thinking', thinking: 'I need two', signature: 'EqQB+/==' })
      kit.equal(
        [given?.role, given?.content.map((block) => [block.type, block['tool_use_id']]), rest.length],
        [
          'user',
          [
            ['tool_result', 'toolu_1'],
            ['tool_result', 'toolu_2'],
          ],
          0,
        ],
      )
      kit.equal([result.text, kit.requests[0]?.headers['x-api-key']], ['ok', 'sk-secret'])
    },
  },
  {
    name: 'a body cut at every byte says the same',
    run: async (kit) => {
      const text = 'Zürich 北京 👩‍👩‍👧 "quoted" \\ and\nnew'
      const whole = new TextEncoder().encode(
        [
          chat({ content: text }),
          chatCall('echo', JSON.stringify({ text })),
          chat({}, 'tool_calls'),
          'data: [DONE]\n\n',
        ].join(''),
      )
      const bytes: ServerChunk[] = Array.from(whole, (byte) => new Uint8Array([byte]))
      script(kit, [{ headers: sse, body: bytes }, chatText('ok')])
      const { result } = await play(kit, cast(kit, [], { ...compatible(), tools: [echo] }))
      kit.equal(lastResults(result.messages)[0]?.text, text)
      checkTranscript(kit, result.messages)
    },
  },
]
