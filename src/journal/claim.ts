// Single use of a snapshot by compare-and-set in a run store.
import { isSameloopError } from '../error/error.ts'
import type { RunStore } from '../tool/run-store.ts'

/** Claims the snapshot of a run at `seq`: false where it, or a later one, was claimed before by anyone. */
export async function claimSnapshot(store: RunStore, run: string, seq: number): Promise<boolean> {
  const log = `claim:${run}`
  const epoch = await store.lease(log)
  let last = 0
  for await (const record of store.read(log, 0)) last = record.seq
  if (last >= seq) return false
  try {
    await store.append(log, [{ seq, type: 'journal-claim', data: null }], { expectSeq: last, epoch })
    return true
  } catch (thrown) {
    if (isSameloopError(thrown, 'journal-conflict')) return false
    throw thrown
  }
}
