// A plan whose store breaks at write k, for every k, goes on from its log to the same values.
import { describe, expect, it } from 'vitest'
import { webHost } from '../../src/host/web-host.ts'
import { orchestrator } from '../../src/orchestrator/orchestrator.ts'
import type { Orchestrator } from '../../src/orchestrator/orchestrator.ts'
import { plan } from '../../src/plan/plan.ts'
import { recover } from '../../src/recovery/recover.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { failingStore } from '../../src/testing/crash/failing-store.ts'
import type { RunStore } from '../../src/tool/run-store.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { writeText } from '../../src/vfs/text.ts'
import { breaks, counting, cutAfter, world } from '../crash-rig.ts'
import type { World } from '../crash-rig.ts'

const anything = jsonSchema<{ n?: number; items?: number[] }>({ type: 'object' })

function flowOf({ counts, files }: World, store: RunStore): Orchestrator {
  const make = counting(counts)
  const counted = (name: string, more: Partial<Tool>, work: (input: { n?: number }) => unknown): Tool =>
    make(name, { input: anything as never, ...more }, work as Tool['execute'])
  return orchestrator({
    tools: [
      counted('list', { effect: 'read' }, () => ({ items: [1, 2, 3] })),
      counted('double', { effect: 'idempotent' }, ({ n = 0 }) => ({ n: n * 2 })),
      counted('pay', { effect: 'unsafe' }, () => ({ receipt: 7 })),
      make('write', { input: anything as never, effect: 'local' }, async (_, { fs }) => {
        await writeText(fs, '/out', 'out')
        return 'written'
      }),
      counted('fails', { effect: 'read' }, () => Promise.reject(new Error('no'))),
    ],
    env: { host: webHost, fs: files, store },
    approve: ({ why }) => (why === 'unknown-outcome' ? { result: { receipt: 7 } } : 'approve'),
  })
}

const steps = plan()
  .step({ id: 'items', tool: 'list' })
  .step({
    id: 'each',
    tool: 'double',
    forEach: { $from: 'items', path: 'result.items' },
    input: { n: { $item: true } },
  })
  .step({ id: 'paid', tool: 'pay', after: ['items'] })
  .step({ id: 'bad', tool: 'fails', onError: { value: 'mended' } })
  .step({ id: 'out', tool: 'write', input: { sum: { $from: 'each' }, paid: { $from: 'paid' }, bad: { $from: 'bad' } } })
  .step({ id: 'never', tool: 'pay', when: 'paid.result.receipt == 0' })

describe('a crash at every write of a plan', () => {
  for (const how of breaks) {
    it(`goes on to the same values (the store breaks: ${how})`, async () => {
      const here = world()
      const store = failingStore(here.store, Infinity, how)
      const whole = await flowOf(here, store).run(steps).result
      expect(whole.status).toBe('done')
      expect(here.counts).toEqual({ list: 1, double: 3, pay: 1, write: 1, fails: 1 })
      expect(store.writes).toBeGreaterThan(5)
      for (let at = 1; at <= store.writes; at++) {
        const there = world()
        const run = flowOf(there, failingStore(there.store, at, how)).run(steps)
        await cutAfter(run.result)
        if (!(await there.store.list()).length) continue
        const where = `write ${at} of ${store.writes}`
        const again = await recover(flowOf(there, there.store), { store: there.store, run: run.id }).then(
          (resumed) => resumed.result,
          (thrown: Error) => thrown.message,
        )
        if (typeof again === 'string') expect(again, where).toContain('done')
        else expect([where, again.status, again.steps]).toEqual([where, 'done', whole.steps])
        const { pay = 0, write = 0 } = there.counts
        expect([where, pay, write >= 1]).toEqual([where, Math.min(pay, 1), true])
        expect(new TextDecoder().decode(await there.files.read('/out'))).toBe('out')
      }
    })
  }
})
