// Single use of a snapshot by compare-and-set in a run store.
import { isSameloopError } from '../error/error.ts'
import type { RunStore } from '../tool/run-store.ts'

/** Claims the snapshot of a run at `seq`: false where it was claimed before by anyone. Each has a log of its own. */
export async function claimSnapshot(store: RunStore, run: string, seq: number): Promise<boolean> {
  const log = `claim:${run}:${seq}`
  const epoch = await store.lease(log)
  try {
    await store.append(log, [{ seq, type: 'journal-claim', data: null }], { expectSeq: 0, epoch })
    return true
  } catch (thrown) {
    if (isSameloopError(thrown, 'journal-conflict')) return false
    throw thrown
  }
}
