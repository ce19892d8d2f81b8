// What one call does to files, kept apart until it commits together with the call's result.
import { cow } from '../overlay/cow.ts'
import type { FileChange } from '../overlay/change.ts'
import type { FileWork } from '../tool/run-store.ts'
import { vfsError } from '../vfs/error.ts'
import type { Vfs } from '../vfs/vfs.ts'

/** Whose turn it is to change files, until that is written: nobody else may compare with them meanwhile. */
export interface FileTurns {
  last?: Promise<void>
  /** How many have changed files, and which of them changed a path last. */
  count: number
  readonly changed: Map<string, number>
}

/**
 * A copy to write to; `changes` says, once, what its writes come to, and others wait until `release`. Rejects with
 * `vfs-conflict` where others changed the same.
 */
export function fileWork(files: Vfs, turns: FileTurns, now: () => number): FileWork {
  const changes: FileChange[] = []
  const began = turns.count
  let release = (): void => {}
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
    // Nothing is written yet, so nothing is to be taken back.
    batch: (work) => work(below),
  }
  const overlay = cow(below, { now })
  return {
    fs: overlay,
    changes: async () => {
      const { last } = turns
      turns.last = new Promise((resolve) => {
        release = resolve
      })
      await last
      await overlay.commit()
      // What was changed since this one began may have been read before.
      for (const { path } of changes)
        if ((turns.changed.get(path) ?? 0) > began) throw vfsError('ECONFLICT', path, { action: 'commit' })
      turns.count++
      for (const { path } of changes) turns.changed.set(path, turns.count)
      return changes
    },
    release: () => release(),
  }
}
