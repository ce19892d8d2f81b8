// An agent that calls agents, whose store breaks at write k, for every k, goes on to the same end.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import type { Agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { recover } from '../../src/recovery/recover.ts'
import { failingStore } from '../../src/testing/crash/failing-store.ts'
import type { Break } from '../../src/testing/crash/failing-store.ts'
import type { RunStore } from '../../src/tool/run-store.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { made, pause, results } from '../agent/rig.ts'

/** Says what its turn is by how much it has said. */
const saying = (turns: readonly ScriptedTurn[]) =>
  scriptedModel(
    Array.from(
      { length: 20 },
      () =>
        ({ messages }) =>
          turns[messages.filter(({ role }) => role === 'assistant').length] as never,
    ),
  )

const call = (name: string, input: object = {}) => ({ calls: [{ name, input: input as never, callId: null }] })

function family(counts: Record<string, number>, store: RunStore): Agent {
  const counted = (name: string, more: Partial<Tool> = {}): Tool =>
    made(
      name,
      async () => {
        counts[name] = (counts[name] ?? 0) + 1
        await pause()
        return name
      },
      more,
    )
  const inner = agent({
    model: saying(['I pay. ', call('pay'), 'paid all'].slice(1)),
    tools: [counted('pay', { approval: true })],
  }).asTool({ name: 'inner', description: 'Pays' })
  const middle = agent({
    model: saying([call('look'), call('inner', { task: 'pay' }), 'middle is done']),
    tools: [counted('look', { effect: 'read' }), inner],
  }).asTool({ name: 'middle', description: 'Looks and pays' })
  return agent({
    model: saying([{ calls: [...call('middle', { task: 'go' }).calls, ...call('send').calls] }, 'all done']),
    tools: [middle, counted('send')],
    env: { host: webHost, store },
    approve: ({ why, name }) => (why === 'unknown-outcome' ? { result: name } : 'approve'),
  })
}

const cutAfter = <Value>(work: Promise<Value>): Promise<Value | 'cut'> =>
  Promise.race([work, new Promise<'cut'>((resolve) => setTimeout(() => resolve('cut'), 80))])

describe('a crash at every write of agents within agents', () => {
  for (const how of ['before', 'after', 'dies'] satisfies Break[]) {
    it(`goes on to the same end (the store breaks: ${how})`, async () => {
      const store = memoryStore()
      const counting = failingStore(store, Infinity, how)
      const whole = await family({}, counting).run('go', { id: 'r' }).result
      expect(whole.status).toBe('done')
      for (let at = 1; at <= counting.writes; at++) {
        const here = memoryStore()
        const counts: Record<string, number> = {}
        await cutAfter(family(counts, failingStore(here, at, how)).run('go', { id: 'r' }).result)
        if (!(await here.list()).length) continue
        const where = `write ${at} of ${counting.writes}`
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
