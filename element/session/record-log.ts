// The records of a conversation: a list with listeners, and the short form of it that is kept.
import { joinDelta } from '../../src/message/delta.ts'
import type { ChatRecord } from './session.ts'

export interface RecordLog {
  readonly records: readonly ChatRecord[]
  /** A listener that throws stops neither the others nor the conversation; what it threw is logged to the console. */
  add(record: ChatRecord): void
  subscribe(listener: (record: ChatRecord) => void): () => void
}

export function recordLog(before: readonly ChatRecord[] = []): RecordLog {
  const records = [...before]
  const listeners = new Set<(record: ChatRecord) => void>()
  return {
    records,
    add(record) {
      records.push(record)
      for (const listener of listeners) tell(listener, record)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function tell(listener: (record: ChatRecord) => void, record: ChatRecord): void {
  try {
    listener(record)
  } catch (thrown) {
    console.error(thrown)
  }
}

/** Joins neighbouring deltas of one block: the same picture in far fewer records. */
export function joinedRecords(records: readonly ChatRecord[]): ChatRecord[] {
  const out: ChatRecord[] = []
  for (const record of records) {
    const last = out.at(-1)
    const event = last?.type === 'event' && record.type === 'event' ? joinDelta(last.event, record.event) : undefined
    if (event === undefined) out.push(record)
    else out[out.length - 1] = { type: 'event', event }
  }
  return out
}

/** The newest whole runs whose JSON is at most `limit` characters long. What is left out is said by a `cut`. */
export function keptRecords(records: readonly ChatRecord[], limit: number): readonly ChatRecord[] {
  let size = 0
  let from = records.length
  for (let index = records.length - 1; index >= 0; index--) {
    const record = records[index] as ChatRecord
    size += JSON.stringify(record).length
    if (size > limit) break
    if (record.type === 'user' || record.type === 'cut' || index === 0) from = index
  }
  const kept = records.slice(from)
  return from === 0 || kept[0]?.type === 'cut' ? kept : [{ type: 'cut', id: `cut-${from}` }, ...kept]
}
