// A run whose store breaks at write k, for every k, goes on from its log to the same end.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import type { Agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Message } from '../../src/message/part.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { recover } from '../../src/recovery/recover.ts'
import { failingStore } from '../../src/testing/crash/failing-store.ts'
import type { Tool } from '../../src/tool/tool.ts'
import type { RunStore } from '../../src/tool/run-store.ts'
import { breaks, counting, cutAfter, text, world } from '../crash-rig.ts'
import type { World } from '../crash-rig.ts'
import { saying } from './rig.ts'

function tools({ counts }: World): readonly Tool[] {
  const counted = counting(counts)
  return [
    counted('look', { effect: 'read' }),
    counted('put', { effect: 'idempotent' }),
    counted('pay', { effect: 'unsafe' }),
    counted('asked', { effect: 'unsafe', approval: true }),
    counted('add_line', { effect: 'local' }, async (_, { fs }) => {
      const before = await text(fs, '/lines')
      await fs.write('/lines', new TextEncoder().encode(`${before}line\n`))
      return 'added'
    }),
    counted('outer', { effect: 'read' }, (_, context) => context.call('pay', {})),
  ]
}

const names = (...all: readonly string[]) => ({ calls: all.map((name) => ({ name, callId: null })) })

/** A model that knows where it is by what it reads, as a real one does. */
function assistantOf(world: World, store: RunStore): Agent {
  const turns: readonly ScriptedTurn[] = [
    ['Let me see. ', names('look', 'pay', 'add_line')],
    [{ reasoning: 'hm', providerData: { scripted: { signature: 'abc' } } }, names('asked', 'put')],
    names('outer', 'add_line'),
    'All done',
  ]
  return agent({
    model: saying(turns),
    tools: tools(world),
    env: { host: webHost, fs: world.files, store },
    approve: ({ why }) => (why === 'unknown-outcome' ? { result: 'looked: it was done' } : 'approve'),
  })
}

const said = (messages: readonly Message[]): unknown => messages.map(({ role, content }) => [role, content.map(shown)])

function shown(part: Message['content'][number]): unknown {
  if (part.type === 'tool-result') return [part.name, part.ok]
  return part.type === 'tool-call' ? part.name : part
}

async function whole(): Promise<{ readonly writes: number; readonly transcript: unknown }> {
  const here = world()
  const store = failingStore(here.store, Infinity, 'before')
  const result = await assistantOf(here, store).run('go', { id: 'r' }).result
  expect(result.status).toBe('done')
  expect(here.counts).toEqual({ look: 1, pay: 2, add_line: 2, asked: 1, put: 1, outer: 1 })
  return { writes: store.writes, transcript: said(result.messages) }
}

describe('a crash at every write of an agent', () => {
  for (const how of breaks) {
    it(`goes on to the same end (the store breaks: ${how})`, async () => {
      const { writes, transcript } = await whole()
      expect(writes).toBeGreaterThan(8)
      for (let at = 1; at <= writes; at++) {
        const here = world()
        const run = assistantOf(here, failingStore(here.store, at, how)).run('go', { id: 'r' })
        await cutAfter(run.result)
        const isThere = (await here.store.list()).length > 0
        if (!isThere) continue
        const again = await recover(assistantOf(here, here.store), { store: here.store, run: 'r' })
          .then((resumed) => resumed.result)
          .catch((thrown: Error) => thrown.message)
        const where = `write ${at} of ${writes}, ${how}`
        if (typeof again === 'string') {
          expect(again, where).toContain('done')
          continue
        }
        expect([where, again.status, said(again.messages)]).toEqual([where, 'done', transcript])
        expect([where, await text(here.files, '/lines')]).toEqual([where, 'line\nline\n'])
        const { pay = 0, asked = 0 } = here.counts
        expect([where, pay <= 2, asked <= 1]).toEqual([where, true, true])
      }
    })
  }
})
