// A planned change of one text file: what it is, and how it is made.
import { isSameloopError } from '../error/error.ts'
import { vfsError } from '../vfs/error.ts'
import { readText, writeText } from '../vfs/text.ts'
import type { Vfs, VfsOperation, VfsStat } from '../vfs/vfs.ts'

const maxContents = 10 * 2 ** 20

/** The text a file has now (`undefined` where there is none), and the text it shall have. */
export interface Change {
  readonly path: string
  readonly before: string | undefined
  readonly after: string
  /** What was there, where the file system gives etags. */
  readonly etag: string | undefined
}

export interface PlanOptions extends VfsOperation {
  /** A binary or very large file counts as one without text. Default false: it is `vfs-invalid` or `vfs-too-large`. */
  readonly replacesAny?: boolean | undefined
}

/** Reads the file at a normal path and works out its new text, of at most 10 Mi characters. */
export async function planChange(
  files: Vfs,
  path: string,
  rewrite: (before: string | undefined) => string,
  options: PlanOptions = {},
): Promise<Change> {
  const stat = await files.stat(path, options)
  if (stat?.type === 'dir') throw vfsError('EISDIR', path, { action: 'write' })
  const before = stat && (await currentText(files, path, options))
  const after = rewrite(before)
  if (after.length > maxContents)
    throw vfsError('EFBIG', path, { action: 'write', reason: `at most ${maxContents} characters are allowed` })
  return { path, before, after, etag: stat?.etag }
}

async function currentText(files: Vfs, path: string, { signal, replacesAny }: PlanOptions): Promise<string> {
  try {
    return await readText(files, path, { signal })
  } catch (error) {
    const unreadable = isSameloopError(error, 'vfs-invalid') || isSameloopError(error, 'vfs-too-large')
    if (replacesAny === true && unreadable) return ''
    throw error
  }
}

/** Writes it; `vfs-conflict` or `vfs-exists` where the file changed since the plan and the file system can tell. */
export function makeChange(files: Vfs, change: Change, { signal }: VfsOperation): Promise<VfsStat> {
  const { path, before, after, etag } = change
  if (before === undefined) return writeText(files, path, after, { mode: 'create', parents: true, signal })
  return writeText(files, path, after, { ifMatch: files.capabilities.cas ? etag : undefined, signal })
}
