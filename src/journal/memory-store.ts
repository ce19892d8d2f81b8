// The run store in memory: the reference for the contract suite, and enough for a process that never ends.
import type { RunRecord, RunStore, RunSummary } from '../tool/run-store.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { checkAppend } from './conflict.ts'
import { changeFiles } from './file-change.ts'
import { runStore } from './run-store.ts'

interface Log {
  readonly records: RunRecord[]
  epoch: number
  wakeAt: number | undefined
}

export interface MemoryStoreOptions {
  /**
   * Files in memory that change together with the log, for tools with the effect `local`. They must be the `fs` of the
   * environment: `virtual()` sees to it.
   */
  readonly files?: Vfs | undefined
}

/** A store that lives as long as this object. */
export function memoryStore({ files }: MemoryStoreOptions = {}): RunStore {
  const logs = new Map<string, Log>()
  return runStore({
    files,
    append: async (run, records, options) => {
      const log = logOf(logs, run)
      const check = (): void => checkAppend(run, { epoch: log.epoch, lastSeq: lastSeq(log) }, { records, options })
      check()
      if (files && options.files) await changeFiles(files, options.files, check)
      log.records.push(...records)
    },
    async *read(run, after) {
      // A copy: what is appended while somebody reads belongs to the next read.
      yield* (logs.get(run)?.records ?? []).filter(({ seq }) => seq > after)
    },
    lease: async (run) => {
      const log = logOf(logs, run)
      return { epoch: ++log.epoch, lastSeq: lastSeq(log) }
    },
    timer: async (run, at) => {
      logOf(logs, run).wakeAt = at
    },
    list: async () => [...logs].filter(([, log]) => log.records.length > 0).map(([run, log]) => summary(run, log)),
    delete: async (run) => {
      logs.delete(run)
    },
  })
}

const lastSeq = ({ records }: Log): number => records.at(-1)?.seq ?? 0

const summary = (run: string, log: Log): RunSummary => ({ run, lastSeq: lastSeq(log), epoch: log.epoch })

function logOf(logs: Map<string, Log>, run: string): Log {
  let log = logs.get(run)
  if (log === undefined) logs.set(run, (log = { records: [], epoch: 0, wakeAt: undefined }))
  return log
}
