// An agent that calls agents, whose store breaks at write k, for every k, goes on to the same end.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import type { Agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { recover } from '../../src/recovery/recover.ts'
import { failingStore } from '../../src/testing/crash/failing-store.ts'
import type { RunStore } from '../../src/tool/run-store.ts'
import { results } from '../agent/rig.ts'
import { breaks, counting, cutAfter } from '../crash-rig.ts'
import type { Counts } from '../crash-rig.ts'
import { call, saying } from './rig.ts'

function family(counts: Counts, store: RunStore): Agent {
  const counted = counting(counts)
  const inner = agent({
    model: saying(['I pay. ', call('pay'), 'paid all'].slice(1)),
    tools: [counted('pay', { approval: true })],
  }).asTool({ name: 'inner', description: 'Pays' })
  const middle = agent({
    model: saying([call('look'), call('inner', { task: 'pay' }), 'middle is done']),
    tools: [counted('look', { effect: 'read' }), inner],
  }).asTool({ name: 'middle', description: 'Looks and pays' })
  return agent({
    model: saying([
      {
        calls: [
          { name: 'middle', input: { task: 'go' }, callId: null },
          { name: 'send', callId: null },
        ],
      },
      'all done',
    ]),
    tools: [middle, counted('send', {})],
    env: { host: webHost, store },
    approve: ({ why, name }) => (why === 'unknown-outcome' ? { result: name } : 'approve'),
  })
}

describe('a crash at every write of agents within agents', () => {
  for (const how of breaks) {
    it(`goes on to the same end (the store breaks: ${how})`, async () => {
      const store = memoryStore()
      const unbroken = failingStore(store, Infinity, how)
      const whole = await family({}, unbroken).run('go', { id: 'r' }).result
      expect(whole.status).toBe('done')
      for (let at = 1; at <= unbroken.writes; at++) {
        const here = memoryStore()
        const counts: Counts = {}
        await cutAfter(family(counts, failingStore(here, at, how)).run('go', { id: 'r' }).result)
        if (!(await here.list()).length) continue
        const where = `write ${at} of ${unbroken.writes}`
        const again = await recover(family(counts, here), { store: here, run: 'r' }).then(
          (run) => run.result,
          (thrown: Error) => thrown.message,
        )
        if (typeof again === 'string') expect([where, again]).toEqual([where, expect.stringContaining('done')])
        else {
          expect([where, again.status, results(again.messages)]).toEqual([where, 'done', results(whole.messages)])
        }
        const { pay = 0, send = 0 } = counts
        expect([where, pay <= 1, send <= 1]).toEqual([where, true, true])
      }
    })
  }
})
