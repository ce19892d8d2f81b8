// Files whose words count as instructions.
import { readOnly } from './read-only.ts'
import type { Vfs } from '../vfs/vfs.ts'

/**
 * `vfs` read-only, and marked as written by people you trust: `skills()` and `projectInstructions()` take instructions from
 * such files alone, `mount({ '/': work, '/skills': trusted(disk) })`. What an agent changes in an overlay or copies elsewhere
 * has no mark. Mark no files that a model, a page or a stranger may have written.
 */
export function trusted(vfs: Vfs): Vfs {
  const kept = readOnly(vfs)
  return {
    ...kept,
    stat: async (path, options) => {
      const stat = await kept.stat(path, options)
      return stat && { ...stat, trusted: true }
    },
  }
}
