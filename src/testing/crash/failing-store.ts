// A store that breaks at a chosen write, as a process that dies there or a disk that fails would.
import { runStore } from '../../journal/run-store.ts'
import type { RunStorage, RunStore } from '../../tool/run-store.ts'

/**
 * `before`: the write did not happen and fails. `after`: it happened and fails all the same. `dies`: it happened, and
 * nobody hears of it any more.
 */
export type Break = 'before' | 'after' | 'dies'

export interface FailingStore extends RunStore {
  /** Appends so far. */
  readonly writes: number
}

/** Breaks at append number `at`, counted from 1, and at all after it. */
export function failingStore(storage: RunStorage, at: number, how: Break): FailingStore {
  let writes = 0
  const never = new Promise<never>(() => {})
  const store = runStore({
    ...storage,
    append: async (run, records, options) => {
      writes++
      if (writes > at) return how === 'dies' ? never : fail()
      if (writes === at && how === 'before') return fail()
      await storage.append(run, records, options)
      if (writes === at) return how === 'dies' ? never : fail()
    },
  })
  return Object.defineProperty(store, 'writes', { get: () => writes }) as FailingStore
}

function fail(): never {
  throw new Error('The disk is gone')
}
