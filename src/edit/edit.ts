// Replaces one exact piece of a text file.
import { replaceText } from '../diff/replace.ts'
import type { Replacement } from '../diff/replace.ts'
import { vfsError, withPath } from '../vfs/error.ts'
import { absolutePath } from '../vfs/path.ts'
import type { Vfs, VfsOperation, VfsStat } from '../vfs/vfs.ts'
import { makeChange, planChange } from './change.ts'

export interface EditResult {
  readonly before: string
  readonly after: string
  /** How many places changed. */
  readonly count: number
  readonly stat: VfsStat
}

/**
 * Replaces `find` in the file. `vfs-invalid` where it is missing or not unique; `vfs-conflict` where the file is not at
 * `etag`, or changes in the meantime and the file system can tell. A file of "\r\n" lines keeps them.
 */
export async function edit(
  vfs: Vfs,
  path: string,
  options: Replacement & VfsOperation & { readonly etag?: string | undefined },
): Promise<EditResult> {
  const { etag, signal } = options
  const at = absolutePath(vfs, path)
  let count = 0
  const change = await planChange(
    vfs,
    at,
    (before) => {
      const made = replaceIn(at, before, options)
      count = made.count
      return made.text
    },
    { signal },
  )
  if (etag !== undefined && change.etag !== etag) throw vfsError('ECONFLICT', at, { action: 'edit' })
  return { before: change.before ?? '', after: change.after, count, stat: await makeChange(vfs, change, { signal }) }
}

/** The replacement in the text of a file that must be there. */
export function replaceIn(
  path: string,
  before: string | undefined,
  change: Replacement,
): ReturnType<typeof replaceText> {
  if (before === undefined) throw vfsError('ENOENT', path, { action: 'edit' })
  try {
    return replaceText(before, change)
  } catch (error) {
    throw withPath(error, path)
  }
}
