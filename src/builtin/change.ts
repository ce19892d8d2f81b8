// A planned change of one file: how it is shown before a person decides, and how it is made.
import { vfsError } from '../vfs/error.ts'
import { isSameloopError } from '../error/error.ts'
import type { Preview } from '../message/decision.ts'
import type { Json } from '../message/part.ts'
import { countChanges, diff } from '../diff/diff.ts'
import { readText, writeText } from '../vfs/text.ts'
import type { Vfs, VfsOperation } from '../vfs/vfs.ts'

/** Characters of a diff that are kept for people. */
const maxDiff = 20_000
const maxContents = 10 * 2 ** 20

/** The text a file has now (`undefined` where there is none), and the text it shall have. */
export interface Change {
  readonly path: string
  readonly before: string | undefined
  readonly after: string
  readonly etag: string | undefined
}

/** Reads the file and works out its new text. A binary or very large file counts as one without text. */
export async function planChange(
  files: Vfs,
  path: string,
  rewrite: (before: string | undefined) => string,
  options: VfsOperation & { readonly replacesAny?: boolean } = {},
): Promise<Change> {
  const { signal, replacesAny = false } = options
  const stat = await files.stat(path, { signal })
  if (stat?.type === 'dir') throw vfsError('EISDIR', path, { action: 'write' })
  const before = stat && (await currentText(files, path, { signal, replacesAny }))
  const after = rewrite(before)
  if (after.length > maxContents)
    throw vfsError('EFBIG', path, { action: 'write', reason: `at most ${maxContents} characters are allowed` })
  return { path, before, after, etag: files.capabilities.cas ? stat?.etag : undefined }
}

async function currentText(
  files: Vfs,
  path: string,
  options: VfsOperation & { readonly replacesAny: boolean },
): Promise<string> {
  try {
    return await readText(files, path, options)
  } catch (error) {
    const unreadable = isSameloopError(error, 'vfs-invalid') || isSameloopError(error, 'vfs-too-large')
    if (options.replacesAny && unreadable) return ''
    throw error
  }
}

/** Writes it, unless the file changed since the plan was made. */
export async function makeChange(files: Vfs, change: Change, { signal }: VfsOperation): Promise<void> {
  const { path, after, etag } = change
  if (change.before === undefined) await writeText(files, path, after, { mode: 'create', parents: true, signal })
  else await writeText(files, path, after, { ifMatch: etag, signal })
}

export function changeDiff({ path, before, after }: Change): string {
  return diff(before ?? '', after, { from: before === undefined ? '/dev/null' : `a${path}`, to: `b${path}` })
}

const cutDiff = (text: string): string =>
  text.length > maxDiff ? `${text.slice(0, maxDiff)}\n[the diff is cut: ${text.length} characters]\n` : text

/** For people, beside the result. */
export function changeDetails(change: Change): Json {
  const text = changeDiff(change)
  return { path: change.path, diff: cutDiff(text), ...countChanges(text) }
}

/** For the person who decides. A change that cannot be planned is shown as what is wrong with it. */
export async function changePreview(verb: string, path: string, plan: () => Promise<Change>): Promise<Preview> {
  try {
    const change = await plan()
    const text = changeDiff(change)
    const { added, removed } = countChanges(text)
    const kind = change.before === undefined ? ', a new file' : ''
    return { summary: `${verb} ${JSON.stringify(path)}${kind} (+${added} -${removed} lines)`, diff: cutDiff(text) }
  } catch (error) {
    if (!isSameloopError(error)) throw error
    return { summary: `${verb} ${JSON.stringify(path)}; this will fail: ${error.message}` }
  }
}
