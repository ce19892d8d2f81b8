// What every store checks before it appends.
import { SameloopError } from '../error/error.ts'
import type { AppendOptions, Lease, RunRecord } from '../tool/run-store.ts'

/** What is to be appended to a run. */
export interface Appending {
  readonly records: readonly RunRecord[]
  readonly options: AppendOptions
}

/** Throws `journal-conflict` unless the writer holds the run and goes on where its log ends. */
export function checkAppend(run: string, { epoch, lastSeq }: Lease, { records, options }: Appending): void {
  if (options.epoch !== epoch) throw conflict(run, `lease ${epoch}`, `lease ${options.epoch}`)
  if (options.expectSeq !== lastSeq) throw conflict(run, `record ${lastSeq} as the last`, `record ${options.expectSeq}`)
  for (const [index, { seq }] of records.entries()) {
    if (seq !== lastSeq + index + 1) throw conflict(run, `record ${lastSeq + index + 1}`, `record ${seq}`)
  }
}

function conflict(run: string, wanted: string, got: string): SameloopError {
  return new SameloopError('journal-conflict', `Cannot write the log of run "${run}": wanted ${wanted}, got ${got}`, {
    data: { run },
  })
}
