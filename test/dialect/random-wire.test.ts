// Random servers: whatever JSON a stream holds, the run ends with our own words and a valid transcript.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { anthropic } from '../../src/dialect/anthropic.ts'
import { openaiChat } from '../../src/dialect/openai-chat.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Model } from '../../src/model/model.ts'
import { anyObject, eventsOf, made, unanswered, within } from '../agent/rig.ts'

const scalar = fc.constantFrom<unknown>(
  null,
  0,
  -1,
  1,
  '',
  'x',
  '{}',
  '{"a":1}',
  true,
  [],
  {},
  'tool_use',
  'stop',
  'end_turn',
  '__proto__',
  'a',
)
const keys =
  'index id type name text delta content input role function arguments tool_calls finish_reason choices message usage error code status stop_reason content_block partial_json thinking signature citations annotations url_citation url title reasoning reasoning_content reasoning_details refusal prompt_tokens output_tokens tool_use_id server_name __proto__ constructor'.split(
    ' ',
  )
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom(...keys), tie('value')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
  ),
}))
const openai = fc.oneof(
  value,
  fc.record(
    {
      choices: fc.array(
        fc.record(
          {
            index: scalar,
            delta: fc.oneof(
              value,
              fc.record(
                {
                  content: value,
                  tool_calls: fc.array(
                    fc.record(
                      {
                        index: scalar,
                        id: scalar,
                        function: fc.oneof(value, fc.record({ name: scalar, arguments: scalar })),
                      },
                      { requiredKeys: [] },
                    ),
                    { maxLength: 3 },
                  ),
                  reasoning_details: value,
                  annotations: value,
                },
                { requiredKeys: [] },
              ),
            ),
            finish_reason: scalar,
          },
          { requiredKeys: [] },
        ),
        { maxLength: 2 },
      ),
      usage: value,
      citations: value,
    },
    { requiredKeys: [] },
  ),
)
const claude = fc.oneof(
  value,
  fc.record(
    {
      type: fc.constantFrom(
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
        'ping',
        'error',
      ),
      index: scalar,
      content_block: fc.oneof(
        value,
        fc.record(
          {
            type: fc.constantFrom(
              'text',
              'tool_use',
              'thinking',
              'redacted_thinking',
              'server_tool_use',
              'web_search_tool_result',
              'mcp_tool_use',
            ),
            id: scalar,
            name: scalar,
            input: value,
            text: scalar,
            content: value,
            tool_use_id: scalar,
          },
          { requiredKeys: ['type'] },
        ),
      ),
      delta: fc.oneof(
        value,
        fc.record(
          {
            type: fc.constantFrom(
              'text_delta',
              'input_json_delta',
              'thinking_delta',
              'signature_delta',
              'citations_delta',
            ),
            text: scalar,
            partial_json: scalar,
            thinking: scalar,
            signature: scalar,
            citation: value,
            stop_reason: scalar,
          },
          { requiredKeys: [] },
        ),
      ),
      message: value,
      usage: value,
      error: value,
    },
    { requiredKeys: ['type'] },
  ),
)

describe.each<[string, fc.Arbitrary<unknown>, (fetch: () => Promise<Response>) => Model]>([
  ['openai', openai, (fetch) => openaiChat({ model: 'm', apiKey: 'k', fetch, maxRetries: 0 })],
  ['anthropic', claude, (fetch) => anthropic({ model: 'm', apiKey: 'k', fetch, maxRetries: 0 } as never)],
])('%s', (_, payload, make) => {
  it('never fails with an engine error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(payload, { minLength: 1, maxLength: 6 }), fc.boolean(), async (payloads, whole) => {
        let asked = 0
        const host = { ...webHost, timer: (ms: number, fire: () => void) => webHost.timer(Math.min(ms, 1), fire) }
        const body = whole
          ? JSON.stringify(payloads[0])
          : `${payloads.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`
        const fetch = async (): Promise<Response> =>
          asked++ > 3
            ? Promise.reject(new Error('enough'))
            : new Response(body, { headers: { 'content-type': whole ? 'application/json' : 'text/event-stream' } })
        const run = agent({
          model: make(fetch),
          env: { host },
          tools: [made('a', () => asked, { input: anyObject })],
          limits: { steps: 3 },
        }).run('go')
        const events = await within(eventsOf(run), 5000)
        const result = await within(run.result)
        if (events === 'hung' || result === 'hung') throw new Error('hung')
        expect(result.error?.code).not.toBe('run-internal')
        expect(unanswered(result.messages)).toEqual([])
        const ids = result.messages.flatMap(({ content }) =>
          content.flatMap((part) => (part.type === 'tool-call' && !part.providerExecuted ? [part.callId] : [])),
        )
        expect(new Set(ids).size).toBe(ids.length)
        for (const { content } of result.messages)
          for (const part of content) {
            if (part.type === 'text' || part.type === 'reasoning') expect(part.text).toBeTypeOf('string')
            if (part.type === 'tool-call') expect(part.name).toBeTypeOf('string')
          }
        JSON.stringify([events, result.snapshot])
      }),
      { numRuns: Number(process.env['RUNS'] ?? 150) },
    )
  }, 120_000)
})
