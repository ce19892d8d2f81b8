// How events become rows, without a Durable Object.
import { describe, expect, it } from 'vitest'
import { recorder } from '../../../adapters/cloudflare/event-log/recorder.ts'
import type { SessionLog } from '../../../adapters/cloudflare/event-log/log.ts'
import { agent } from '../../../src/index.ts'
import type { RunEvent } from '../../../src/message/event.ts'
import { scriptedModel } from '../../../src/model/scripted-model.ts'
import { canonicalTrace } from '../../../src/testing/trace.ts'
import { tool } from '../../../src/tool/define.ts'
import { testHost } from '../../host.ts'

const saved = async (): Promise<void> => {}

function written(): { readonly rows: RunEvent[]; readonly log: SessionLog } {
  const rows: RunEvent[] = []
  const log = { append: (events: readonly RunEvent[]) => void rows.push(...events), publish: () => {} }
  return { rows, log: log as unknown as SessionLog }
}

const delta = (seq: number, text: string, id = '0'): RunEvent => ({
  type: 'text-delta',
  step: 1,
  id,
  delta: text,
  seq,
  at: 0,
  run: 'run_1',
})

describe('recorder()', () => {
  it('leaves the canonical trace of a run as it is', async () => {
    const words = 'Some words in small pieces, and then a call. '.repeat(100)
    const echo = tool({ name: 'echo', description: 'Echoes', effect: 'read', execute: () => words })
    const model = scriptedModel([[{ reasoning: words }, words, { calls: [{ name: 'echo' }] }], words], { chunk: 7 })
    const events: RunEvent[] = []
    for await (const event of agent({ model, tools: [echo] }).run('go')) events.push(event)
    const { rows, log } = written()
    const recording = recorder(log, { host: testHost(), saved })
    for (const event of events) await recording.add(event)
    await recording.flush()
    expect(canonicalTrace(rows)).toEqual(canonicalTrace(events))
    expect(rows.length).toBeLessThan(events.length / 20)
  })

  it('holds text back for 200 ms, or until there are 2000 characters', async () => {
    const host = testHost()
    const { rows, log } = written()
    const events = recorder(log, { host, saved })
    void events.add(delta(1, 'a'))
    await host.advance(199)
    expect(rows).toEqual([])
    void events.add(delta(2, 'b'))
    await host.advance(1)
    expect(rows).toEqual([delta(2, 'ab')])
    for (let seq = 3; seq < 103; seq++) await events.add(delta(seq, 'x'.repeat(20)))
    expect(rows[1]).toEqual(delta(102, 'x'.repeat(2000)))
    expect(host.timers).toBe(0)
  })

  it('writes what it holds before any other event, and before another block', async () => {
    const { rows, log } = written()
    const events = recorder(log, { host: testHost(), saved })
    await events.add(delta(1, 'a'))
    await events.add(delta(2, 'b', '1'))
    expect(rows).toEqual([delta(1, 'a')])
    await events.add({ type: 'text-end', step: 1, id: '1', seq: 3, at: 0, run: 'run_1' })
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  it('writes nothing before the log of the run has it', async () => {
    const { rows, log } = written()
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const events = recorder(log, { host: testHost(), saved: () => gate })
    const adding = events.add({ type: 'text-end', step: 1, id: '1', seq: 3, at: 0, run: 'run_1' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(rows).toEqual([])
    release()
    await adding
    expect(rows).toHaveLength(1)
  })

  it('writes nothing after it was closed', async () => {
    const host = testHost()
    const { rows, log } = written()
    const events = recorder(log, { host, saved })
    void events.add(delta(1, 'a'))
    events.close()
    await host.advance(1000)
    expect(rows).toEqual([])
  })

  it('does not lose what could not be written later: the next call rejects with it', async () => {
    const host = testHost()
    const full = new Error('full')
    const log = {
      append: () => {
        throw full
      },
      publish: () => {},
    }
    const events = recorder(log as unknown as SessionLog, { host, saved })
    void events.add(delta(1, 'a'))
    await host.advance(200)
    await expect(events.flush()).rejects.toBe(full)
    await expect(events.add(delta(2, 'b', '1'))).rejects.toBe(full)
  })
})
