// The log that a run goes on from after a crash, and when all of the run so far is in it.
import type { RunJournal, RunStore } from '../../../src/tool/run-store.ts'

export interface RunLog {
  /** For one run. */
  readonly store: RunStore
  /** Resolves when all that the run has said so far is in the store. Rejects where it cannot be written. */
  saved(): Promise<void>
}

export function runLog(store: RunStore): RunLog {
  let journal: RunJournal | undefined
  return {
    store: { ...store, open: (run, opening) => (journal = store.open(run, opening)) },
    async saved() {
      await journal?.opened
      await journal?.commit()
    },
  }
}
