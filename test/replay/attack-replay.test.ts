// Runs that are hard to make happen again.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { readLog } from '../../src/journal/log.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { isSameloopError } from '../../src/error/error.ts'
import { exportRun, importRun } from '../../src/recovery/file.ts'
import type { RunStore } from '../../src/tool/run-store.ts'
import { fork } from '../../src/recovery/fork.ts'
import { replay } from '../../src/replay/replay.ts'
import { made, within } from '../agent/rig.ts'
import { saying, call } from '../recovery/rig.ts'

describe('replay', () => {
  it('a forked run can be replayed', async () => {
    const store = memoryStore()
    const look = made('look', () => 1)
    await agent({
      model: saying([call('look'), call('look', { a: 1 }), 'x']),
      tools: [look],
      env: { host: webHost },
    }).run('go', { id: 'r', store }).result
    const log = await readLog(store, 'r')
    const { seq } = log.find(({ type }) => type === 'step-end')!.data as { seq: number }
    const forked = await fork(
      agent({ model: scriptedModel([call('look', { b: 1 }), 'y']), tools: [look], env: { host: webHost } }),
      log,
      seq,
      { store, id: 'f' },
    )
    expect((await forked.result).status).toBe('done')
    const again = await replay(agent({ model: scriptedModel([]), tools: [look] }), await readLog(store, 'f'))
    expect(again.differs).toBeUndefined()
  })

  it('of a log that was tampered with ends, in what differs or in an error of ours', async () => {
    const store = memoryStore()
    const look = made('look', () => 1)
    const make = (to: RunStore | null) =>
      agent({
        model: saying([['text', { calls: [{ name: 'look', callId: null }] }], 'x']),
        tools: [look],
        env: { host: webHost, store: to ?? undefined },
      })
    await make(store).run('go', { id: 'r' }).result
    const file = exportRun(await readLog(store, 'r'), { run: 'r' })
    const odd: unknown[] = []
    for (const [index, { type, data }] of file.records.entries())
      for (const key of Object.keys(data))
        for (const value of [null, 1e9, []]) {
          const copy = JSON.parse(JSON.stringify(file)) as { records: { data: Record<string, unknown> }[] }
          copy.records[index]!.data[key] = value
          try {
            const replayed = await within(replay(make(null), importRun(copy).log))
            if (replayed === 'hung') odd.push([type, key, value])
          } catch (thrown) {
            if (!isSameloopError(thrown)) odd.push([type, key, value, String(thrown)])
          }
        }
    expect(odd).toEqual([])
  })

  it('with other tools than the run had ends where the model gave no call ids', async () => {
    const store = memoryStore()
    const turns = [
      {
        calls: [
          { name: 'a', callId: null },
          { name: 'b', callId: null },
        ],
      },
      'x',
    ] as const
    const a = made('a', () => 1)
    await agent({ model: saying(turns), tools: [a, made('b', () => 1)], env: { host: webHost, store } }).run('go', {
      id: 'r',
    }).result
    const other = agent({ model: scriptedModel([]), tools: [{ ...a, name: 'c' }] })
    expect(await within(replay(other, await readLog(store, 'r')))).toMatchObject({ differs: {} })
  })
})

describe('importRun', () => {
  it('refuses what is no JSON', () => {
    const cycle: Record<string, unknown> = {}
    cycle['x'] = cycle
    for (const data of [cycle, { x: 1n }, { toJSON: () => 5 }])
      expect(() =>
        importRun({ format: 'sameloop-run', version: 1, run: 'r', records: [{ seq: 1, type: 'journal-open', data }] }),
      ).toThrow(expect.objectContaining({ code: 'journal-invalid' }))
  })
})

describe('exportRun', () => {
  it('takes out tokens of more services, and a password without a user', () => {
    const secrets = ['github_pat_11ABCDEFG0abcdefghijkl', 'hf_abcdefghijklmnopqrst', 'redis://:hunter2secret@host']
    const text = JSON.stringify(exportRun([{ seq: 1, type: 'x', data: { secrets } }], { run: 'r' }))
    expect(text).not.toMatch(/11ABCDEFG0|klmnop|hunter2/)
  })
})
