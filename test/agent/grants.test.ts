// What a person approved for a session, carried by the caller from one process to the next.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/index.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { tool } from '../../src/tool/define.ts'

const pay = tool({ name: 'pay', description: 'Pays', approval: true, execute: () => 'paid' })
const assistant = () => agent({ model: scriptedModel([{ calls: [{ name: 'pay' }] }, 'done']), tools: [pay] })

async function approved(): Promise<{ readonly allowed: string[]; readonly denied: string[] }> {
  const first = assistant()
  const { snapshot, pending } = await first.run('go').result
  const run = await first.resume(snapshot, [{ callId: pending[0]!.callId, decision: 'approve-session' }])
  return (await run.result).snapshot.grants
}

describe('RunOptions.grants', () => {
  it('holds in an agent that knows nothing of the session', async () => {
    const grants = await approved()
    const second = assistant()
    expect((await second.run('go', { session: 's', grants }).result).status).toBe('done')
    const without = agent({ model: scriptedModel([{ calls: [{ name: 'pay' }] }, 'x']), tools: [pay] })
    expect((await without.run('go', { session: 's' }).result).status).toBe('suspended')
  })

  it('holds in that run alone where there is no session, and is not changed by it', async () => {
    const grants = await approved()
    const before = JSON.stringify(grants)
    const second = agent({
      model: scriptedModel([{ calls: [{ name: 'pay' }] }, 'done', { calls: [{ name: 'pay' }] }]),
      tools: [pay],
    })
    expect((await second.run('go', { grants }).result).status).toBe('done')
    expect((await second.run('go').result).status).toBe('suspended')
    expect(JSON.stringify(grants)).toBe(before)
  })
})
