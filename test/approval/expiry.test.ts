// Questions that are answered too late.
import { describe, expect, it } from 'vitest'
import { webHost } from '../../src/host/web-host.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { call, calls, copied, made, pay, rig, sub, task } from '../agent/rig.ts'

describe('a question that expires', () => {
  it('a decision after the expiry is a denial, also where the timer sleeps', async () => {
    let skew = 0
    const host = { ...webHost, now: () => Date.now() + skew }
    let ran = 0
    const { assistant } = rig([calls('pay'), 'done'], {
      tools: [made('pay', () => void ran++, { approval: true })],
      approvalExpiryMs: 60_000,
      approvalWaitMs: Infinity,
      env: { host },
    })
    const run = assistant.run('x')
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      skew = 3_600_000
      run.decide({ callId: event.callId, decision: 'approve' })
    }
    expect(ran).toBe(0)
  })

  it('a question does not grow younger by a resume', async () => {
    let skew = 0
    const env = { host: { ...webHost, now: () => Date.now() + skew } }
    let ran = 0
    const build = (...turns: ScriptedTurn[]) =>
      rig(turns, {
        tools: [made('pay', () => void ran++, { approval: true })],
        approvalExpiryMs: 60_000,
        env,
      }).assistant
    const first = await build(calls('pay')).run('x').result
    skew = 3_600_000
    const again = await (await build('done').resume(first.snapshot, [])).result
    if (again.status === 'suspended') {
      const callId = again.pending[0]?.callId as string
      await (
        await build('done').resume(again.snapshot, [{ callId, decision: 'approve' }])
      ).result
    }
    expect(ran).toBe(0)
  })
})

describe('a question that was asked elsewhere', () => {
  it('import of an expired snapshot asks', async () => {
    let skew = 0
    const env = { host: { ...webHost, now: () => Date.now() + skew } }
    let ran = 0
    const build = (...turns: ScriptedTurn[]) =>
      rig(turns, {
        tools: [made('pay', () => void ran++, { approval: true })],
        approvalExpiryMs: 60000,
        env,
        approve: ({ reason }) => (reason?.includes('elsewhere') ? 'approve' : 'defer'),
      }).assistant
    const { snapshot } = await build(calls('pay')).run('x').result
    skew = 3_600_000
    const { status } = await (await build('done').resume(snapshot, [], { trust: 'import' })).result
    expect([status, ran]).toEqual(['done', 1])
  })

  it('expiry of a question of a sub-agent over resume', async () => {
    let skew = 0
    const env = { host: { ...webHost, now: () => Date.now() + skew } }
    const paid: unknown[] = []
    const build = (outer: ScriptedTurn[], inner: ScriptedTurn[]) =>
      rig(outer, { tools: [sub('a', inner, { tools: [pay(paid)] })], approvalExpiryMs: 60000, env }).assistant
    const { snapshot } = await build([{ calls: [task('a')] }], [call('pay', { amount: 1 })]).run('x').result
    skew = 3_600_000
    const result = await (await build(['done'], ['not paid']).resume(copied(snapshot), [])).result
    expect([result.status, paid]).toEqual(['done', []])
  })
})
