// Reading instructions: only out of files that are marked as trusted, and only within a limit.
import { isSameloopError } from '../error/error.ts'
import { readText } from '../vfs/text.ts'
import type { Vfs, VfsOperation } from '../vfs/vfs.ts'

export type TrustedText =
  | { readonly text: string }
  /** Why there is none; absent where there is no file. */
  | { readonly text: undefined; readonly why?: string }

/** The text of a file of at most `maxBytes`. A fault of the files is an answer; anything else they throw is thrown. */
export async function trustedText(
  files: Vfs,
  path: string,
  { maxBytes, signal }: VfsOperation & { readonly maxBytes: number },
): Promise<TrustedText> {
  try {
    const stat = await files.stat(path, { signal })
    if (stat?.type !== 'file') return { text: undefined }
    if (stat.trusted !== true) return { text: undefined, why: 'it lies in files that are not marked as trusted' }
    return { text: await readText(files, path, { maxBytes, signal }) }
  } catch (error) {
    if (!isSameloopError(error) || !error.code.startsWith('vfs-')) throw error
    return { text: undefined, why: error.message }
  }
}
