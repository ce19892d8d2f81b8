// Files that can be read and not changed.
import { vfsError } from '../vfs/error.ts'
import { intercept } from './intercept.ts'
import type { Vfs } from '../vfs/vfs.ts'

/** `vfs` without its writes: each is `vfs-read-only`. */
export function readOnly(vfs: Vfs): Vfs {
  return intercept(vfs, {
    capabilities: { readOnly: true },
    around: async (call, next) => {
      if (call.writes) throw vfsError('EROFS', call.path, { action: call.operation })
      return next()
    },
    change: (change) => change,
  })
}
