// One change of a file as data: what makes it, and what takes it back.
import { joinPath } from '../vfs/path.ts'
import type { Vfs, VfsChange } from '../vfs/vfs.ts'
import { entriesOf } from '../vfs/walk.ts'

/** A file as a change leaves it. What is added without `data` is a directory. */
export interface FileChange extends VfsChange {
  readonly data?: Uint8Array | undefined
}

/** Makes the change. A second time it does nothing more. */
export async function applyChange(files: Vfs, { type, path, data }: FileChange): Promise<void> {
  if (type === 'delete') return files.rm(path, { recursive: true, force: true })
  if (!data) return files.mkdir(path, { recursive: true })
  // A file may take the place of a directory.
  if ((await files.stat(path))?.type === 'dir') await files.rm(path, { recursive: true })
  await files.write(path, data, { parents: true })
}

/** What makes everything at this path as it is now. */
export async function stateOf(files: Vfs, path: string): Promise<readonly FileChange[]> {
  const stat = await files.stat(path)
  if (!stat) return [{ type: 'delete', path }]
  if (stat.type === 'file') return [{ type: 'modify', path, data: await files.read(path) }]
  const inside: FileChange[] = []
  for await (const { name } of entriesOf(files, path)) inside.push(...(await stateOf(files, joinPath(path, name))))
  return [{ type: 'add', path }, ...inside]
}
