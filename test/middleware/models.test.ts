// Ready middleware around models.
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../src/message/model-event.ts'
import type { Message } from '../../src/message/part.ts'
import { contentText, messageText, textMessage } from '../../src/message/text.ts'
import { repairTranscript } from '../../src/message/transcript.ts'
import type { Middleware } from '../../src/middleware/middleware.ts'
import { compact } from '../../src/middleware/compact.ts'
import { injectContext } from '../../src/middleware/inject-context.ts'
import { patchToolCalls } from '../../src/middleware/patch-tool-calls.ts'
import { redact } from '../../src/middleware/redact.ts'
import { restoring } from '../../src/middleware/restore.ts'
import { trim } from '../../src/middleware/trim.ts'
import { windowOf } from '../../src/middleware/window.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { anyObject, call, calls, eventsOf, made, results, rig } from '../agent/rig.ts'

const asked = (model: { requests: readonly { messages: readonly Message[] }[] }) =>
  model.requests.map(({ messages }) => messages.map((message) => contentText(message.content)))

describe('injectContext()', () => {
  it('adds a message to each request and none to the conversation', async () => {
    let count = 0
    const middleware = [injectContext(() => (++count === 2 ? undefined : `It is ${count} o'clock`))]
    const { assistant, model } = rig([calls('t'), 'done'], { tools: [made('t', () => 'x')], middleware })
    const { messages } = await assistant.run('hello').result
    expect(asked(model)[0]).toEqual(['hello', "It is 1 o'clock"])
    expect(asked(model)[1]).toHaveLength(3)
    expect(messages).toHaveLength(4)
  })
})

describe('patchToolCalls()', () => {
  const tools = [made('get_weather', (input) => JSON.stringify(input), { input: anyObject })]

  it('puts names and fenced arguments right before they are checked, and the transcript holds what was patched', async () => {
    const turn = { calls: [{ name: 'GetWeather', raw: '```json\n{"city":"Oslo"}\n```' }] }
    const { assistant } = rig([turn, 'done'], { tools, middleware: [patchToolCalls()] })
    const { messages } = await assistant.run('x').result
    expect(results(messages)).toMatchObject([{ ok: true, text: '{"city":"Oslo"}' }])
    expect(messages[1]?.content).toMatchObject([{ type: 'tool-call', name: 'get_weather', input: { city: 'Oslo' } }])
  })

  it('does what a function of yours says, to each of several calls', async () => {
    const patch = patchToolCalls(({ name, text }) => ({
      name: name.replace('old', 'get'),
      text: text.replace('1', '2'),
    }))
    const turn = { calls: [1, 2].map((n) => ({ name: 'old_weather', input: { n } })) }
    const { assistant } = rig([turn, 'done'], { tools, middleware: [patch] })
    expect(results((await assistant.run('x').result).messages).map(({ text }) => text)).toEqual(['{"n":2}', '{"n":2}'])
  })

  it('leaves a name alone that two tools could mean', async () => {
    const both = [...tools, made('getWeather', () => 1)]
    const { assistant } = rig([calls('GETWEATHER'), 'done'], { tools: both, middleware: [patchToolCalls()] })
    expect(results((await assistant.run('x').result).messages)).toMatchObject([{ reason: 'not-found' }])
  })
})

const long = (text: string) => textMessage('user', text.repeat(400))
const toolStep = (id: string): Message[] => [
  { role: 'assistant', content: [{ type: 'tool-call', callId: id, name: 't', input: {} }] },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', callId: id, name: 't', ok: true, content: [{ type: 'text', text: 'r'.repeat(4000) }] },
    ],
  },
]

describe('the window of a conversation', () => {
  const history = Array.from({ length: 40 }, (_, index) => [
    textMessage('user', `${index} ${'x'.repeat(400)}`),
    ...toolStep(`c${index}`),
  ]).flat()

  it('never parts a call from its result, and moves seldom', () => {
    const starts = history.map((_, index) => windowOf(history.slice(0, index + 1), 8000, 4000).start)
    for (const start of starts) expect(history[start]?.role).not.toBe('tool')
    for (const [index, start] of starts.entries()) expect(start).toBeGreaterThanOrEqual(starts[index - 1] ?? 0)
    expect(new Set(starts).size).toBeLessThan(20)
  })

  it('keeps what is below its limit, and the last message always', () => {
    expect(windowOf(history, 1e9, 1e9).start).toBe(0)
    const { start, after } = windowOf(history, 10, 5)
    expect(start).toBe(history.length - 2)
    expect(after).toBeGreaterThan(10)
    expect(windowOf([], 10, 5)).toEqual({ start: 0, before: 0, after: 0 })
  })
})

describe('trim()', () => {
  it('shortens the request and not the run, keeps system messages, and reports it', async () => {
    const history = [textMessage('system', 'Be kind'), long('a'), textMessage('assistant', 'ok'), long('b'), long('c')]
    const middleware = [trim({ maxTokens: 250, keepTokens: 150 })]
    const { assistant, model } = rig(['done'], { middleware })
    const run = assistant.run(history)
    const events = await eventsOf(run)
    expect(asked(model)[0]).toEqual([
      'Be kind',
      '[Earlier messages of this conversation were left out]',
      'c'.repeat(400),
    ])
    expect((await run.result).messages).toHaveLength(6)
    expect(events.filter(({ type }) => type === 'compaction')).toMatchObject([{ step: 1, after: 110 }])
  })

  it('always leaves a valid transcript', async () => {
    const tools = [made('t', () => 'r'.repeat(4000), { repeatable: true })]
    const turns = [...Array.from({ length: 12 }, () => calls('t')), 'done']
    const { assistant, model } = rig(turns, { tools, middleware: [trim({ maxTokens: 3500 })] })
    expect(await assistant.run('x').result).toMatchObject({ status: 'done' })
    for (const { messages } of model.requests) expect(repairTranscript(messages).repairs).toEqual([])
    expect(model.requests.at(-1)?.messages.length).toBeLessThan(12)
  })
})

describe('compact()', () => {
  it('lets the model summarise once, builds on it, and counts its tokens', async () => {
    const tools = [made('t', () => 'r'.repeat(4000), { repeatable: true })]
    const turns = Array.from({ length: 30 }, () => [
      { calls: [{ name: 't' }] },
      { usage: { input: 1, output: 1, total: 2 } },
    ])
    let summaries = 0
    const inner = scriptedModel(turns as never)
    const prompts: Message[][] = []
    const model = {
      ...inner,
      async *stream(request: Parameters<typeof inner.stream>[0], modelCall: Parameters<typeof inner.stream>[1]) {
        if (request.settings.toolChoice !== 'none') return yield* inner.stream(request, modelCall)
        prompts.push([...request.messages])
        const text = `summary ${++summaries}`
        yield [
          { type: 'text-start', id: 's' },
          { type: 'text-delta', id: 's', delta: text },
          { type: 'finish', reason: 'stop', usage: { input: 100, output: 10, total: 110 } },
        ] satisfies ModelEvent[]
      },
    }
    const middleware = [compact({ maxTokens: 5000, keepTokens: 2500 })]
    const { assistant } = rig([], { model, tools, middleware, limits: { steps: 9 } })
    const run = assistant.run('the goal')
    const events = await eventsOf(run)
    const { usage, messages } = await run.result
    expect(summaries).toBe(2)
    expect(messages.length).toBe(1 + 2 * 9)
    expect(messageText(prompts[0]?.[0] as Message)).toBe('the goal')
    expect(messageText(prompts[1]?.[0] as Message)).toBe('summary 1')
    const last = inner.requests.at(-1)?.messages as Message[]
    expect(messageText(last[0] as Message)).toBe('[Summary of the conversation so far]\nsummary 2')
    expect(repairTranscript(last).repairs).toEqual([])
    expect(usage.total).toBe(9 * 2 + 2 * 110)
    expect(events.filter(({ type }) => type === 'compaction')).toHaveLength(2)
  })

  it('keeps system messages beside the summary', async () => {
    const middleware = [compact({ maxTokens: 150, model: scriptedModel(['a and b']) })]
    const { assistant, model } = rig(['done'], { middleware })
    await assistant.run([textMessage('system', 'Be kind'), long('a'), long('b')]).result
    expect(asked(model)[0]).toEqual(['Be kind', '[Summary of the conversation so far]\na and b', 'b'.repeat(400)])
  })

  it('fails the step where there is no summary', async () => {
    const model = scriptedModel([''])
    const { assistant } = rig([], { model, middleware: [compact({ maxTokens: 10 })] })
    expect(await assistant.run([long('a'), long('b')]).result).toMatchObject({
      status: 'failed',
      error: { code: 'model-response' },
    })
  })
})

describe('redact()', () => {
  const person = 'ann.smith@example.com'

  it('shows the model placeholders, and people and tools the real thing', async () => {
    const mails: unknown[] = []
    const mail = made('mail', (input) => void mails.push(input), { input: anyObject })
    const turns = [call('mail', { to: '[email-1]', card: 'none' }), 'I wrote to [email-1].']
    const { assistant, model } = rig(turns, { tools: [mail], middleware: [redact()] })
    const { text, messages } = await assistant.run(`Write to ${person} or bob@example.com, ${person}`).result
    expect(asked(model)[0]).toEqual(['Write to [email-1] or [email-2], [email-1]'])
    expect(JSON.stringify(model.requests)).not.toContain('example.com')
    expect(mails).toEqual([{ to: person, card: 'none' }])
    expect(text).toBe(`I wrote to ${person}.`)
    expect(JSON.stringify(messages)).toContain(person)
  })

  it('reads tool results and earlier calls too, and numbers them alike in every step', async () => {
    const find = made('find', () => ({ owner: person, iban: 'DE89 3704 0044 0532 0130 00' }))
    const arrays: unknown[] = []
    const watch: Middleware = {
      name: 'watch',
      model: (request, next) => (arrays.push(request.messages), next(request)),
    }
    const middleware = [redact(), watch]
    const { assistant, model } = rig([calls('find'), calls('find'), 'ok'], { tools: [find], middleware })
    await assistant.run('card 4111 1111 1111 1111, call +47 22 33 44 55').result
    const last = asked(model).at(-1)
    expect(last?.[0]).toBe('card [card-1], call [phone-2]')
    expect(results(model.requests.at(-1)?.messages ?? [])[0]?.text).toBe('{"owner":"[email-3]","iban":"[iban-4]"}')
    // The same array grows: dialects cache what they serialised by it.
    expect(new Set(arrays).size).toBe(1)
  })

  it('takes patterns of yours, and may be for ever', async () => {
    const middleware = [redact({ patterns: { code: /secret-\d+/ }, reversible: false })]
    const { assistant, model } = rig(['It is [code]'], { middleware })
    expect((await assistant.run('secret-1 and secret-2').result).text).toBe('It is [code]')
    expect(asked(model)[0]).toEqual(['[code] and [code]'])
  })

  it('restores what a stream cut anywhere', async () => {
    const text = 'a [email-1] b [x] [[email-2]] c [email-3'
    const real = new Map([
      ['[email-1]', 'one@x'],
      ['[email-2]', 'two"@x'],
    ])
    for (let first = 0; first <= text.length; first++) {
      for (const isJson of [false, true]) {
        const stream = async function* (): AsyncGenerator<readonly ModelEvent[]> {
          for (const delta of [text.slice(0, first), text.slice(first, first + 3), text.slice(first + 3)])
            yield [isJson ? { type: 'tool-input-delta', index: 0, delta } : { type: 'text-delta', id: 't', delta }]
          yield [{ type: 'finish', reason: 'stop', usage: {} }]
        }
        let whole = ''
        for await (const events of restoring(stream(), real))
          for (const event of events) if ('delta' in event) whole += event.delta
        expect(whole).toBe(`a one@x b [x] [two${isJson ? '\\"' : '"'}@x] c [email-3`)
      }
    }
  })
})

describe('the names of patterns', () => {
  it('may be long, and hold no brackets', async () => {
    const name = 'a'.repeat(100)
    const middleware = [redact({ patterns: { [name]: /secret/ } })]
    const { assistant } = rig([`It is [${name}-1]`], { middleware })
    expect((await assistant.run('secret').result).text).toBe('It is secret')
    expect(() => redact({ patterns: { 'a]': /x/ } })).toThrow('wanted a name without brackets')
  })
})
