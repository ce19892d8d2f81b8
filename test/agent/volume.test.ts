// Much at once, and generators that do not end.
import { describe, expect, it } from 'vitest'
import { anyObject, calls, made, pause, results, rig } from './rig.ts'

describe('a generator', () => {
  it('that never ends and ignores its signal is left behind at the timeout and closed', async () => {
    let closed = false
    const tool = made(
      'a',
      async function* () {
        try {
          for (;;) {
            await pause(5)
            yield 1
          }
        } finally {
          closed = true
        }
      } as never,
      { timeoutMs: 40 },
    )
    const { assistant } = rig([calls('a'), [{ wait: 60 }, 'done']], { tools: [tool] })
    const result = await assistant.run('go').result
    expect(results(result.messages)[0]).toMatchObject({ reason: 'timeout' })
    expect(closed).toBe(true)
  })
  it('that parks is closed at the timeout', async () => {
    const tool = made(
      'a',
      async function* () {
        yield 1
        await new Promise(() => {})
      } as never,
      { timeoutMs: 40 },
    )
    const { assistant } = rig([calls('a'), 'done'], { tools: [tool] })
    expect(results((await assistant.run('go').result).messages)[0]).toMatchObject({ reason: 'timeout' })
  })
})

describe('much at once', () => {
  it('1000 parallel calls', async () => {
    const { assistant } = rig(
      [{ calls: Array.from({ length: 1000 }, (_, n) => ({ name: 'a', input: { n } })) }, 'done'],
      {
        tools: [
          made(
            'a',
            async ({ n }: never) => {
              await pause()
              return n
            },
            { input: anyObject } as never,
          ),
        ],
      },
    )
    const result = await assistant.run('go').result
    expect(results(result.messages).map(({ text }) => text)).toEqual(Array.from({ length: 1000 }, (_, n) => String(n)))
  })
  it('1000 parallel calls that ask', async () => {
    const { assistant } = rig(
      [{ calls: Array.from({ length: 1000 }, (_, n) => ({ name: 'a', input: { n } })) }, 'done'],
      { tools: [made('a', () => 1, { approval: true, input: anyObject } as never)] },
    )
    const { snapshot, pending } = await assistant.run('go').result
    expect(pending).toHaveLength(1000)
    const run = await assistant.resume(
      snapshot,
      pending.map(({ callId }) => ({ callId, decision: 'approve' })),
    )
    expect(await run.result).toMatchObject({ status: 'done' })
  })
  it('10 MB result, 10 MB arguments, 10,000 levels', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000)
    const big = 'x'.repeat(10_000_000)
    const { assistant } = rig(
      [
        {
          calls: [
            { name: 'a', raw: `{"d":${deep}}` },
            { name: 'a', raw: `{"t":"${big}"}` },
            { name: 'a', raw: big },
            { name: big },
          ],
        },
        'done',
      ],
      { tools: [made('a', () => big, { input: anyObject } as never)] },
    )
    const result = await assistant.run('go').result
    expect(result.status).toBe('done')
    expect(results(result.messages).map(({ reason }) => reason)).toEqual([
      'invalid-input',
      undefined,
      'invalid-input',
      'not-found',
    ])
    expect(results(result.messages).every(({ text }) => text.length < 200_000)).toBe(true)
  })
})
