// Waiting for somebody else's code without letting it keep a stopped run alive.
import type { Caller } from './scope.ts'

/** What `work` gives, or `instead` as soon as the run is stopped. */
export function unlessStopped<Value>(run: Caller, work: Promise<Value>, instead: Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(instead)
    run.stopListeners.add(leave)
    work.then(resolve, reject).finally(() => run.stopListeners.delete(leave))
    if (run.stopped) leave()
  })
}
