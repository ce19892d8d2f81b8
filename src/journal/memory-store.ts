// The run store in memory: the reference for the contract suite, and enough for a process that never ends.
import { SameloopError } from '../error/error.ts'
import type { AppendOptions, RunRecord, RunStore, RunSummary } from '../tool/run-store.ts'

interface Log {
  readonly records: RunRecord[]
  epoch: number
  wakeAt: number | undefined
}

/** A store that lives as long as this object. Records are kept as JSON text, so later changes of the caller's do not show. */
export function memoryStore(): RunStore {
  const logs = new Map<string, Log>()
  return {
    append: async (run, records, options) => append(logOf(logs, run), run, records, options),
    async *read(run, after) {
      // A copy: what is appended while somebody reads belongs to the next read.
      for (const record of [...(logs.get(run)?.records ?? [])]) {
        if (record.seq > after) yield structuredCopy(record)
      }
    },
    lease: async (run) => ++logOf(logs, run).epoch,
    timer: async (run, at) => {
      logOf(logs, run).wakeAt = at
    },
    list: async () => [...logs].filter(([, log]) => log.records.length > 0).map(([run, log]) => summary(run, log)),
    delete: async (run) => {
      logs.delete(run)
    },
  }
}

const structuredCopy = (record: RunRecord): RunRecord => JSON.parse(JSON.stringify(record)) as RunRecord

const lastSeq = ({ records }: Log): number => records.at(-1)?.seq ?? 0

const summary = (run: string, log: Log): RunSummary => ({ run, lastSeq: lastSeq(log), epoch: log.epoch })

function logOf(logs: Map<string, Log>, run: string): Log {
  let log = logs.get(run)
  if (log === undefined) logs.set(run, (log = { records: [], epoch: 0, wakeAt: undefined }))
  return log
}

function append(log: Log, run: string, records: readonly RunRecord[], { expectSeq, epoch }: AppendOptions): void {
  const last = lastSeq(log)
  if (epoch !== log.epoch) throw conflict(run, `lease ${log.epoch}`, `lease ${epoch}`)
  if (expectSeq !== last) throw conflict(run, `record ${last} as the last`, `record ${expectSeq}`)
  let seq = last
  for (const record of records) {
    if (record.seq <= seq) throw conflict(run, `a record after ${seq}`, `record ${record.seq}`)
    seq = record.seq
  }
  log.records.push(...records.map(structuredCopy))
}

function conflict(run: string, wanted: string, got: string): SameloopError {
  return new SameloopError('journal-conflict', `Cannot write the log of run "${run}": wanted ${wanted}, got ${got}`, {
    data: { run },
  })
}
