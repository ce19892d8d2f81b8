// Faults of the disk in the words of run stores.
import { isSameloopError, SameloopError } from '../../../src/error/error.ts'
import { hostError } from '../files/host-error.ts'

/** The same fault as an error of a store; errors of ours pass as they are. */
function storeError(thrown: unknown, action: string): unknown {
  if (isSameloopError(thrown)) return thrown
  const fault = hostError(thrown, '/', action)
  const reason = isSameloopError(fault) ? String(fault.data['reason']) : 'the disk failed'
  return new SameloopError('journal-failed', `Cannot ${action}: ${reason}`, { cause: thrown, retryable: true })
}

/** What `work` gives, its faults as those of a store. */
export async function inStore<Result>(action: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    throw storeError(thrown, action)
  }
}
