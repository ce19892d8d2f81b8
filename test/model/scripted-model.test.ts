import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/message/part.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { settle, testHost } from '../host.ts'
import { request, tell, user } from '../dialect/wire.ts'

describe('scriptedModel()', () => {
  it('says text, reasoning and calls, and ends by itself', async () => {
    const model = scriptedModel([
      [
        { reasoning: 'Hm', providerData: { scripted: { sign: 'x' } } },
        'Let me look',
        { calls: [{ name: 'look', input: { at: 1 } }, { name: 'go' }] },
      ],
      'Done',
    ])
    const first = await tell(model)
    expect(first).toMatchObject({ reasoning: 'Hm', text: 'Let me look', finish: { reason: 'tool-calls' } })
    expect(first.calls).toEqual([
      { id: 'call_1', name: 'look', text: '{"at":1}', args: { at: 1 } },
      { id: 'call_2', name: 'go', text: '{}', args: {} },
    ])
    expect(first.items[0]).toMatchObject({ providerData: { scripted: { sign: 'x' } } })
    expect(await tell(model)).toMatchObject({ text: 'Done', finish: { reason: 'stop' } })
  })

  it('spells ids and argument text as it is told, broken ones too', async () => {
    const model = scriptedModel([
      [
        {
          calls: [
            { name: 'f', raw: '{"a', callId: null },
            { name: 'g', callId: 'same' },
          ],
        },
      ],
    ])
    expect((await tell(model)).calls).toMatchObject([{ id: undefined, text: '{"a' }, { id: 'same' }])
  })

  it('takes model events as they are, and its own finish and usage', async () => {
    const model = scriptedModel([
      [{ type: 'source', source: { type: 'source', url: 'https://a.test' } }, { usage: { input: 3 } }],
      [{ finish: 'length', rawReason: 'max', usage: { output: 9 } }, 'never said'],
    ])
    expect((await tell(model)).events).toEqual([
      { type: 'source', source: { type: 'source', url: 'https://a.test' } },
      { type: 'finish', reason: 'stop', usage: { input: 3 } },
    ])
    expect((await tell(model)).events).toEqual([
      { type: 'finish', reason: 'length', rawReason: 'max', usage: { output: 9 } },
    ])
  })

  it('streams in pieces that never cut a pair', async () => {
    const { events } = await tell(scriptedModel([['ab😀cd', { calls: [{ name: 'f', input: 'xyz' }] }]], { chunk: 3 }))
    expect(events.flatMap((event) => ('delta' in event ? [event.delta] : []))).toEqual(['ab😀', 'cd', '"xy', 'z"'])
  })

  it('answers from the request, and keeps requests as they were', async () => {
    const messages: Message[] = [user('one')]
    const model = scriptedModel([(asked, turn) => `${turn}: ${asked.messages.length}`, async () => ['two']])
    expect((await tell(model, request({ messages }))).text).toBe('1: 1')
    messages.push(user('two'))
    expect((await tell(model, request({ messages }))).text).toBe('two')
    expect(model.requests.map((asked) => asked.messages.length)).toEqual([1, 2])
  })

  it('fails where the script says so, and when it is at its end', async () => {
    const mine = new Error('mine')
    const model = scriptedModel([
      ['Hel', { error: mine }],
      [{ error: { code: 'stream-stalled', message: 'Slow', retryable: true } }],
    ])
    expect(await tell(model)).toMatchObject({ text: 'Hel', error: mine })
    expect((await tell(model)).error).toMatchObject({ code: 'stream-stalled', retryable: true })
    expect((await tell(model)).error).toMatchObject({
      code: 'model-script',
      message: 'Cannot answer request 3: the script has 2 turns',
    })
  })

  it('waits on the host clock, and ends at once on abort', async () => {
    const host = testHost()
    const controller = new AbortController()
    const model = scriptedModel([
      [{ wait: 50 }, 'late'],
      [{ wait: 50 }, 'never'],
    ])
    const first = tell(model, request(), { host })
    await host.advance(50)
    expect((await first).text).toBe('late')
    const second = tell(model, request(), { host, signal: controller.signal })
    await settle()
    controller.abort('stop')
    expect(await second).toMatchObject({ error: 'stop', text: '' })
  })
})
