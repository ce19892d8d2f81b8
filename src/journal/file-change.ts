// Changing files that are one store with a log: all of them, or none.
import type { FileChange } from '../tool/run-store.ts'
import { joinPath } from '../vfs/path.ts'
import type { Vfs } from '../vfs/vfs.ts'

/** `isStillRight` throws where it is not, once the files are changed: then they are as they were. */
export async function changeFiles(files: Vfs, changes: readonly FileChange[], isStillRight: () => void): Promise<void> {
  const undo: FileChange[] = []
  try {
    for (const change of changes) {
      undo.unshift(...(await stateOf(files, change.path)))
      await apply(files, change)
    }
    isStillRight()
  } catch (thrown) {
    for (const change of undo) await apply(files, change)
    throw thrown
  }
}

async function apply(files: Vfs, { type, path, data }: FileChange): Promise<void> {
  if (type === 'delete') return files.rm(path, { recursive: true, force: true })
  if (!data) return files.mkdir(path, { recursive: true })
  // A file may take the place of a directory.
  if ((await files.stat(path))?.type === 'dir') await files.rm(path, { recursive: true })
  await files.write(path, data, { parents: true })
}

/** What makes everything at this path as it is now. */
async function stateOf(files: Vfs, path: string): Promise<readonly FileChange[]> {
  const stat = await files.stat(path)
  if (!stat) return [{ type: 'delete', path }]
  if (stat.type === 'file') return [{ type: 'modify', path, data: await files.read(path) }]
  const { entries } = await files.list(path)
  const inside: FileChange[] = []
  for (const { name } of entries) inside.push(...(await stateOf(files, joinPath(path, name))))
  return [{ type: 'add', path }, ...inside]
}
