// The run store in memory: the reference for the contract suite, and enough for a process that never ends.
import { amounts } from '../error/amount.ts'
import type { RunRecord, RunStore, RunSummary } from '../tool/run-store.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { checkAppend } from './conflict.ts'
import { changeAll } from '../overlay/undo.ts'
import { runStore } from './run-store.ts'

interface Log {
  readonly records: RunRecord[]
  /** Of all records together. */
  chars: number
  epoch: number
  wakeAt: number | undefined
}

export interface MemoryStoreOptions {
  /**
   * Files in memory that change together with the log, for tools with the effect `local`. They must be the `fs` of the
   * environment: `virtual()` sees to it.
   */
  readonly files?: Vfs | undefined
  /** In characters. Where there is more, the logs that were written to longest ago are dropped whole. Default 64 Mi. */
  readonly maxChars?: number | undefined
}

/** A store that lives as long as this object. Throws `config-invalid` for a `maxChars` that is no number from 0. */
export function memoryStore({ files, ...options }: MemoryStoreOptions = {}): RunStore {
  const { maxChars } = amounts(options, { maxChars: 2 ** 26 })
  const logs = new Map<string, Log>()
  /** Of logs that are gone: who wrote one cannot write to a new one of its name. */
  const epochs = new Map<string, number>()
  let chars = 0
  const logOf = (run: string): Log => {
    const log = logs.get(run) ?? { records: [], chars: 0, epoch: epochs.get(run) ?? 0, wakeAt: undefined }
    logs.set(run, log)
    return log
  }
  const forget = (run: string): void => {
    const log = logs.get(run)
    if (log === undefined) return
    chars -= log.chars
    logs.delete(run)
    if (log.epoch > 0) epochs.set(run, log.epoch + 1)
  }
  return runStore({
    files,
    append: async (run, records, options) => {
      const log = logOf(run)
      // A log that was deleted meanwhile is nobody's any more.
      const epochNow = (): number => (logs.get(run) === log ? log.epoch : 0)
      const check = (): void => checkAppend(run, { epoch: epochNow(), lastSeq: lastSeq(log) }, { records, options })
      check()
      if (files && options.files) await changeAll(files, options.files, { last: check })
      for (const record of records) {
        log.records.push(record)
        log.chars += record.data.length
        chars += record.data.length
      }
      // The last one written to is the last to go.
      logs.delete(run)
      logs.set(run, log)
      for (const [oldest] of logs) {
        if (chars <= maxChars || oldest === run) break
        forget(oldest)
      }
    },
    async *read(run, after) {
      // A copy: what is appended while somebody reads belongs to the next read.
      yield* (logs.get(run)?.records ?? []).filter(({ seq }) => seq > after)
    },
    last: async (run) => logs.get(run)?.records.at(-1),
    lease: async (run) => {
      const log = logOf(run)
      return { epoch: ++log.epoch, lastSeq: lastSeq(log) }
    },
    timer: async (run, at) => {
      logOf(run).wakeAt = at
    },
    list: async () => [...logs].filter(([, log]) => log.records.length > 0).map(([run, log]) => summary(run, log)),
    delete: async (run) => forget(run),
  })
}

const lastSeq = ({ records }: Log): number => records.at(-1)?.seq ?? 0

const summary = (run: string, log: Log): RunSummary => ({ run, lastSeq: lastSeq(log), epoch: log.epoch })
