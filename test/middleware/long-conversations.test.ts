// Long conversations: whose summary it is, what a cut leaves, and what it counts.
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../src/message/model-event.ts'
import type { Message } from '../../src/message/part.ts'
import { textMessage } from '../../src/message/text.ts'
import { repairTranscript } from '../../src/message/transcript.ts'
import { compact } from '../../src/middleware/compact.ts'
import { trim } from '../../src/middleware/trim.ts'
import { tokensOf } from '../../src/middleware/window.ts'
import { calls, made, rig } from '../agent/rig.ts'

const long = (text: string, role: 'user' | 'assistant' = 'user') => textMessage(role, text.repeat(400))

function summariser(texts: readonly (readonly ModelEvent[])[]) {
  const requests: { messages: readonly Message[]; tools: readonly unknown[]; settings: { toolChoice?: unknown } }[] = []
  let count = 0
  return {
    requests,
    model: {
      id: 's',
      provider: 's',
      capabilities: {},
      async *stream(request: never) {
        requests.push(request)
        yield texts[Math.min(count++, texts.length - 1)] ?? []
      },
    } as never,
  }
}
const said = (delta: string): readonly ModelEvent[] => [
  { type: 'text-start', id: 's' },
  { type: 'text-delta', id: 's', delta },
]
const finish = (reason: string): ModelEvent => ({ type: 'finish', reason, usage: {} }) as never

describe('compact()', () => {
  it('does not tell one conversation what another holds', async () => {
    const shared = long('hello ')
    const s = summariser([
      [...said('A is secret'), finish('stop')],
      [...said('B'), finish('stop')],
    ])
    const { assistant, model } = rig(['1', '2'], {
      middleware: [compact({ maxTokens: 250, keepTokens: 120, model: s.model })],
    })
    await assistant.run([textMessage('user', 'secret of A'), shared, textMessage('user', 'c')]).result
    await assistant.run([textMessage('user', 'of B'), shared, textMessage('user', 'c')]).result
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('A is secret')
  })
  it('keeps no half summary', async () => {
    const s = summariser([said('half')])
    const { assistant } = rig(['1'], { middleware: [compact({ maxTokens: 250, keepTokens: 120, model: s.model })] })
    const { status } = await assistant.run([long('a'), long('b'), long('c')]).result
    expect(status).toBe('failed')
  })
  it('asks with the tools of the conversation, of which none may be called', async () => {
    const s = summariser([[...said('x'), finish('stop')]])
    const tools = [made('t', () => 'r'.repeat(4000), { repeatable: true })]
    const { assistant } = rig([calls('t'), calls('t'), calls('t'), 'done'], {
      tools,
      settings: { toolChoice: 'required' },
      middleware: [compact({ maxTokens: 2100, keepTokens: 1200, model: s.model })],
    })
    await assistant.run('x').result
    expect(s.requests.length).toBeGreaterThan(0)
    for (const { settings } of s.requests) expect(settings.toolChoice).toBe('none')
    // A provider that reads calls in a transcript wants their tools (Anthropic).
    for (const { tools: given } of s.requests) expect(given).toHaveLength(1)
  })
})

describe('trim()', () => {
  it('counts the system messages that it keeps', async () => {
    const system = textMessage('system', 's'.repeat(4 * 800))
    const history = [system, ...Array.from({ length: 12 }, (_, i) => long(`${i % 10}`))]
    const { assistant, model } = rig(['done'], { middleware: [trim({ maxTokens: 1000, keepTokens: 600 })] })
    await assistant.run(history).result
    const sum = model.requests[0]?.messages.reduce((total, m) => total + tokensOf(m), 0)
    expect(sum).toBeLessThanOrEqual(1050)
  })
  it('leaves parallel calls whole', async () => {
    const tools = [
      made('a', () => 'r'.repeat(3000), { repeatable: true }),
      made('b', () => 'q'.repeat(3000), { repeatable: true }),
    ]
    const turns = [...Array.from({ length: 8 }, () => calls('a', 'b', 'a')), 'done']
    const { assistant, model } = rig(turns, { tools, middleware: [trim({ maxTokens: 3000 })] })
    expect((await assistant.run('x').result).status).toBe('done')
    for (const { messages } of model.requests) expect(repairTranscript(messages).repairs).toEqual([])
  })
})
