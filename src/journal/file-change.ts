// Changing files that are one store with a log: all of them, or none.
import { applyChange } from '../overlay/change.ts'
import type { FileChange } from '../overlay/change.ts'
import { putBack, undoOf } from '../overlay/undo.ts'
import type { Vfs } from '../vfs/vfs.ts'

/** `isStillRight` throws where it is not, once the files are changed: then they are as they were. */
export async function changeFiles(files: Vfs, changes: readonly FileChange[], isStillRight: () => void): Promise<void> {
  const undo = await undoOf(files, changes)
  try {
    for (const change of changes) await applyChange(files, change)
    isStillRight()
  } catch (thrown) {
    await putBack(files, undo)
    throw thrown
  }
}
