// Personal data in every place it may stand.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { compact } from '../../src/middleware/compact.ts'
import { redact } from '../../src/middleware/redact.ts'
import { textMessage } from '../../src/message/text.ts'
import { ok } from '../../src/tool/tool.ts'
import { anyObject, calls, made, rig, within } from '../agent/rig.ts'

describe('redact() against what wants to get past it', () => {
  it('restores what was cut at any place, beside brackets and escapes', async () => {
    for (let chunk = 1; chunk < 9; chunk++) {
      const given: unknown[] = []
      const model = scriptedModel(
        [
          [
            'see [email-1][x [email-1',
            { calls: [{ name: 't', raw: '{"a":["[email-1]","\\"[email-1]\\""],"b":[[1],[2]]}' }] },
          ],
          '[a] [email-2] [email-1]',
        ] as never,
        { chunk },
      )
      const a = agent({
        model,
        tools: [made('t', (i) => void given.push(i), { input: anyObject })],
        middleware: [redact()],
      })
      const r = await a.run('ada@example.com').result
      expect(given).toEqual([{ a: ['ada@example.com', '"ada@example.com"'], b: [[1], [2]] }])
      expect(r.text).toBe('[a] [email-2] ada@example.com')
      expect(JSON.stringify(r.messages[1])).toContain('see ada@example.com[x [email-1')
    }
  })
  it('reads the names of files and all of a source', async () => {
    const tools = [
      made('t', () =>
        ok([
          { type: 'file', mediaType: 'text/plain', data: btoa('mail'), name: 'ada@example.com.txt' },
          { type: 'source', url: 'https://x.example/?m=ada@example.com', title: 'ada@example.com' },
        ] as never),
      ),
    ]
    const { assistant, model } = rig([calls('t'), 'done'], { tools, middleware: [redact()] })
    await assistant.run('x').result
    const text = JSON.stringify(model.requests[1]?.messages)
    expect(text).not.toContain('ada@example.com')
  })
  it('reads errors of tools and calls that are no JSON', async () => {
    const tools = [
      made('t', () => {
        throw new Error('no ada@example.com')
      }),
    ]
    const { assistant, model } = rig(
      [[{ calls: [{ name: 't' }, { name: 'u', raw: '{"a": ada@example.com' }] }], 'done'] as never,
      { tools, middleware: [redact()] },
    )
    await assistant.run('x').result
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('ada@')
  })
  it('takes no time for what only begins like a match', async () => {
    for (const text of [
      '+1' + '1'.repeat(100_000),
      '+1 1'.repeat(50_000),
      'a.'.repeat(100_000) + '@',
      'A'.repeat(200_000),
      'AB12 '.repeat(50_000),
      '1234 '.repeat(50_000),
      'a@' + 'a.'.repeat(100_000),
      '['.repeat(200_000),
      '[email-'.repeat(30_000),
    ]) {
      const { assistant } = rig([text], { middleware: [redact()] })
      expect(await within(assistant.run(text).result, 10_000)).toMatchObject({ status: 'done' })
    }
  }, 60_000)
  it('keeps it from a model that summarises', async () => {
    const seen: unknown[] = []
    const s = scriptedModel([
      (q: never) => {
        seen.push(q)
        return 's'
      },
    ] as never)
    const { assistant } = rig(['done'], {
      middleware: [redact(), compact({ maxTokens: 250, keepTokens: 100, model: s })],
    })
    await assistant.run(['ada@example.com', 'b', 'c'].map((x) => textMessage('user', x.repeat(400)))).result
    expect(JSON.stringify(seen)).not.toContain('ada@')
    expect(seen).toHaveLength(1)
  })
})
