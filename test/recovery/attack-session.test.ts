// What is said to a session at an awkward moment.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { session } from '../../src/recovery/session.ts'
import type { RunStore } from '../../src/tool/run-store.ts'
import { pause } from '../agent/rig.ts'

function memoryStoreSlow(base: RunStore): RunStore {
  return {
    ...base,
    open: (run, opening) => {
      const journal = base.open(run, opening)
      return {
        ...journal,
        commit: (files) => {
          const c = journal.commit(files)
          return c && c.then(() => pause(30))
        },
      }
    },
  }
}

describe('a session', () => {
  it('two things said at once to a session are both heard', async () => {
    const store = memoryStore()
    const heard: string[] = []
    const talk = await session({
      agent: agent({
        model: scriptedModel(
          Array.from({ length: 3 }, () => ({ messages }) => {
            heard.push(JSON.stringify(messages))
            return 'x'
          }),
        ),
        env: { host: webHost },
      }),
      store,
      id: 's',
    })
    const runs = await Promise.all([talk.send('first'), talk.send('second')])
    for (const run of runs) await run.result
    expect(JSON.stringify(talk.messages)).toContain('second')
  })

  it('what is said to a session while its run ends is heard', async () => {
    const base = memoryStore()
    const store: RunStore = memoryStoreSlow(base)
    const talk = await session({
      agent: agent({ model: scriptedModel(['a', 'b']), env: { host: webHost } }),
      store,
      id: 's',
    })
    const run = await talk.send('first')
    for await (const event of run) if (event.type === 'step-end') break
    await pause(5)
    const next = await talk.send('second')
    await next.result
    expect(JSON.stringify(talk.messages)).toContain('second')
  })
})
