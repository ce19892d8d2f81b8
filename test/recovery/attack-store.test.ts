// Who takes a run over, and who may not.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { made, pause } from '../agent/rig.ts'
import { saying, call } from './rig.ts'

describe('a refusal', () => {
  it('a second run with an id that is taken does not end the first', async () => {
    const store = memoryStore()
    const slow = made('slow', () => pause(30))
    const make = () => agent({ model: saying([call('slow'), 'done']), tools: [slow], env: { host: webHost, store } })
    const first = make().run('go', { id: 'r' })
    await pause(10)
    const second = await make().run('go', { id: 'r' }).result
    expect(second.error).toMatchObject({ code: 'journal-conflict' })
    expect(await first.result).toMatchObject({ status: 'done' })
  })

  it('a snapshot that is resumed a second time is refused and does not end the first resume', async () => {
    const store = memoryStore()
    const slow = made('slow', () => pause(30), { approval: true })
    const make = () => agent({ model: saying([call('slow'), 'done']), tools: [slow], env: { host: webHost, store } })
    const { snapshot, pending } = await make().run('go', { id: 'r' }).result
    const decision = [{ callId: pending[0]!.callId, decision: 'approve' }] as const
    const first = await make().resume(snapshot, decision)
    await pause(10)
    await expect(make().resume(snapshot, decision)).rejects.toMatchObject({ code: 'run-snapshot-used' })
    expect(await first.result).toMatchObject({ status: 'done' })
  })
})
