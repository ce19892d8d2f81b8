import { describe, expect, it } from 'vitest'
import { fallback } from '../../src/model/fallback.ts'
import { scriptedModel, type ScriptedTurn } from '../../src/model/scripted-model.ts'
import { request, tell } from '../dialect/wire.ts'

const broken = { error: { code: 'model-request', message: 'Model request failed', retryable: true } } as const
const model = (id: string, ...turns: ScriptedTurn[]): ReturnType<typeof scriptedModel> =>
  scriptedModel(turns, { id, provider: id })

describe('fallback()', () => {
  it('asks the next model when one fails before it said anything', async () => {
    const told = await tell(fallback([model('a', [broken]), model('b', [broken]), model('c', 'Hi')]))
    expect(told).toMatchObject({ text: 'Hi', error: undefined, retries: ['1:0', '2:0'] })
  })

  it('does not ask the next one once something was said, or after an abort', async () => {
    const second = model('b', 'Hi')
    expect(await tell(fallback([model('a', ['Hel', broken]), second]))).toMatchObject({
      text: 'Hel',
      error: { code: 'model-request' },
    })
    expect(
      await tell(fallback([model('a', 'x'), second]), request(), { signal: AbortSignal.abort('stop') }),
    ).toMatchObject({ error: 'stop' })
    expect(second.requests).toHaveLength(0)
  })

  it('fails with the last failure where all fail', async () => {
    const last = { error: { code: 'model-connection', message: 'Cannot reach it' } } as const
    expect((await tell(fallback([model('a', [broken]), model('b', [last])]))).error).toMatchObject({
      code: 'model-connection',
    })
  })

  it('is named after the first, asks as the most careful, and wants at least one', () => {
    const careful = scriptedModel([], { capabilities: { asksFor: 'effects' } })
    expect(fallback([model('a'), careful])).toMatchObject({
      id: 'a',
      provider: 'a',
      capabilities: { asksFor: 'effects' },
    })
    expect(() => fallback([])).toThrow(expect.objectContaining({ code: 'config-invalid' }))
  })
})
