// What one call does to files, kept apart until it commits together with the call's result.
import { cow } from '../overlay/cow.ts'
import type { FileChange, FileWork } from '../tool/run-store.ts'
import { vfsError } from '../vfs/error.ts'
import type { Vfs } from '../vfs/vfs.ts'

/** Which paths the calls of one run have changed, and after which of them: not all of it is in the files yet. */
export interface Changed {
  count: number
  readonly last: Map<string, number>
}

/** A copy to write to; `changes` says, once, what its writes come to. Rejects with `vfs-conflict` where others changed the same. */
export function fileWork(files: Vfs, changed: Changed, now: () => number): FileWork {
  const began = changed.count
  const changes: FileChange[] = []
  const { capabilities } = files
  // What the overlay would write below is written with the log instead.
  const below: Vfs = {
    capabilities,
    stat: (path, options) => files.stat(path, options),
    list: (path, options) => files.list(path, options),
    read: (path, options) => files.read(path, options),
    rename: (from, to, options) => files.rename(from, to, options),
    rm: async (path) => void changes.push({ type: 'delete', path }),
    mkdir: async (path) => void changes.push({ type: 'add', path }),
    write: async (path, data) => {
      changes.push({ type: 'modify', path, data })
      return { path, type: 'file', size: data.length, mtime: now() }
    },
  }
  const overlay = cow(below, { now })
  return {
    fs: overlay,
    changes: async () => {
      await overlay.commit()
      // What another call changed since is on its way to the files, where this one could not see it.
      for (const { path } of changes)
        if ((changed.last.get(path) ?? 0) > began) throw vfsError('ECONFLICT', path, { action: 'commit' })
      changed.count++
      for (const { path } of changes) changed.last.set(path, changed.count)
      return changes
    },
  }
}
