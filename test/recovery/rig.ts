// What the attacks on recovery share: models that know where they are, and logs that end in the middle.
import { expect } from 'vitest'
import type { LogRecord } from '../../src/journal/log.ts'
import { readLog } from '../../src/journal/log.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedModel, ScriptedTurn } from '../../src/model/scripted-model.ts'
import type { RunStore } from '../../src/tool/run-store.ts'

/** Says what its turn is by how much it has said. */
export const saying = (turns: readonly ScriptedTurn[]): ScriptedModel =>
  scriptedModel(
    Array.from(
      { length: 20 },
      () =>
        ({ messages }) =>
          turns[messages.filter(({ role }) => role === 'assistant').length] as never,
    ),
  )

export const call = (name: string, input: object = {}): ScriptedTurn => ({
  calls: [{ name, input: input as never, callId: null }],
})

/** A store with the log of run `r` up to the first record that fits. */
export async function cutAt(store: RunStore, fits: (record: LogRecord) => boolean): Promise<RunStore> {
  const log = await readLog(store, 'r')
  const at = log.findIndex(fits)
  expect(at).toBeGreaterThan(0)
  return storeOf(log.slice(0, at + 1))
}

export async function storeOf(log: readonly LogRecord[]): Promise<RunStore> {
  const store = memoryStore()
  const { epoch } = await store.lease('r')
  const rows = log.map(({ seq, type, data }) => ({ seq, type, data: JSON.stringify(data) }))
  await store.append('r', rows, { expectSeq: 0, epoch })
  return store
}
