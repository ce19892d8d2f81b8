// A record of what was done to files.
import { isSameloopError } from '../error/error.ts'
import { intercept } from './intercept.ts'
import type { VfsCall } from './intercept.ts'
import type { Vfs } from '../vfs/vfs.ts'

/** An operation that has ended; `code` is that of its error. */
export interface VfsTrace extends VfsCall {
  readonly ok: boolean
  readonly code?: string | undefined
}

/** `vfs` with an observer of every operation, in the order they end. What the observer throws is dropped. */
export function traced(vfs: Vfs, observe: (trace: VfsTrace) => void): Vfs {
  const tell = (trace: VfsTrace): void => {
    try {
      observe(trace)
    } catch {}
  }
  return intercept(vfs, {
    around: async (call, next) => {
      try {
        const result = await next()
        tell({ ...call, ok: true })
        return result
      } catch (error) {
        tell({ ...call, ok: false, code: isSameloopError(error) ? error.code : undefined })
        throw error
      }
    },
    change: (change) => change,
  })
}
