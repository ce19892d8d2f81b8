// Changing files that are one store with a log: all of them, or none.
import { applyChange, stateOf } from '../overlay/change.ts'
import type { FileChange } from '../overlay/change.ts'
import type { Vfs } from '../vfs/vfs.ts'

/** `isStillRight` throws where it is not, once the files are changed: then they are as they were. */
export async function changeFiles(files: Vfs, changes: readonly FileChange[], isStillRight: () => void): Promise<void> {
  const undo: FileChange[] = []
  try {
    for (const change of changes) {
      undo.unshift(...(await stateOf(files, change.path)))
      await applyChange(files, change)
    }
    isStillRight()
  } catch (thrown) {
    for (const change of undo) await applyChange(files, change)
    throw thrown
  }
}
