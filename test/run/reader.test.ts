import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import type { ModelEvent } from '../../src/message/model-event.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { tool } from '../../src/tool/define.ts'

describe('a detached run whose reader left', () => {
  it('goes on to its end however much the model says', async () => {
    const stream = async function* (): AsyncGenerator<readonly ModelEvent[]> {
      yield [{ type: 'text-start', id: 't' }]
      for (let told = 0; told < 2000; told++) yield [{ type: 'text-delta', id: 't', delta: 'x' }]
      yield [{ type: 'finish', reason: 'stop', usage: {} }]
    }
    const run = agent({ model: { id: 'chatty', provider: 'test', capabilities: {}, stream } }).run('go', {
      detached: true,
    })
    for await (const { type } of run) if (type === 'text-delta') break
    expect((await run.result).text).toHaveLength(2000)
  })

  it('suspends when a person is asked and nobody reads', async () => {
    const pay = tool({ name: 'pay', description: 'Pays.', approval: true, execute: () => 'paid' })
    const model = scriptedModel([{ calls: [{ name: 'pay' }] }])
    const run = agent({ model, tools: [pay] }).run('go', { detached: true })
    for await (const { type } of run) if (type === 'approval-request') break
    expect((await run.result).status).toBe('suspended')
  })
})
