// All files at one moment, to go back to or to carry elsewhere.
import { absolutePath, joinPath, pathWithin } from '../vfs/path.ts'
import { entriesOf, walk } from '../vfs/walk.ts'
import type { Vfs, VfsOperation } from '../vfs/vfs.ts'

/** Structured-cloneable. Paths count from the directory that was taken. */
export interface FilesSnapshot {
  readonly version: 1
  readonly dirs: readonly string[]
  readonly files: readonly { readonly path: string; readonly data: Uint8Array }[]
}

/** The contents of everything below `root` (default: where relative paths count from), held in memory. */
export async function snapshot(
  vfs: Vfs,
  options: VfsOperation & { readonly root?: string | undefined } = {},
): Promise<FilesSnapshot> {
  const { signal } = options
  const root = absolutePath(vfs, options.root ?? '.')
  const dirs: string[] = []
  const files: { path: string; data: Uint8Array }[] = []
  for await (const entry of walk(vfs, root, { signal })) {
    const path = pathWithin(root, entry.path)
    if (entry.type === 'dir') dirs.push(path)
    else files.push({ path, data: await vfs.read(entry.path, { signal }) })
  }
  return { version: 1, dirs, files }
}

/** Makes `root` hold what the snapshot holds, and nothing else. Not atomic. */
export async function restore(
  vfs: Vfs,
  taken: FilesSnapshot,
  options: VfsOperation & { readonly root?: string | undefined } = {},
): Promise<void> {
  const { signal } = options
  const root = absolutePath(vfs, options.root ?? '.')
  await vfs.mkdir(root, { recursive: true, signal })
  const old: string[] = []
  for await (const { name } of entriesOf(vfs, root, { signal })) old.push(name)
  for (const name of old) await vfs.rm(joinPath(root, name), { recursive: true, signal })
  for (const path of taken.dirs) await vfs.mkdir(joinPath(root, path), { recursive: true, signal })
  for (const { path, data } of taken.files) await vfs.write(joinPath(root, path), data, { parents: true, signal })
}
