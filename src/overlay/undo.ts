// What takes changes of files back: found out before they are made, and made where they were made half.
import type { Vfs } from '../vfs/vfs.ts'
import { joinPath, parentPath } from '../vfs/path.ts'
import { entriesOf, walk } from '../vfs/walk.ts'
import { applyChange, stateOf } from './change.ts'
import type { FileChange } from './change.ts'

/** For `putBack`: how everything is now that the changes touch. */
export async function undoOf(files: Vfs, changes: readonly FileChange[]): Promise<readonly FileChange[]> {
  const undo: FileChange[] = []
  for (const change of changes) undo.unshift(...(await undoOfOne(files, change)))
  return undo
}

/** How many bytes `undoOf` holds in memory. */
export async function undoBytes(files: Vfs, changes: readonly FileChange[]): Promise<number> {
  let bytes = 0
  for (const { path } of changes) {
    const stat = await files.stat(path)
    if (stat?.type === 'dir')
      for await (const { size = 0 } of walk(files, path, { maxEntries: Infinity })) bytes += size
    else bytes += stat?.size ?? 0
  }
  return bytes
}

/** What an undo may hold in memory. */
export const maxUndoBytes: number = 2 ** 28

interface ChangeAllOptions {
  /** Belongs to it: what it throws undoes the changes. */
  readonly last?: () => void
  /** Is told the path of each change that was taken back. */
  readonly onTakenBack?: (path: string) => void
}

/**
 * Makes the changes, or, where one of them fails, none: what was made is taken back, as far as these files let it and as
 * it replaced no more than 256 MiB.
 */
export async function changeAll(
  files: Vfs,
  changes: readonly FileChange[],
  { last, onTakenBack }: ChangeAllOptions = {},
): Promise<void> {
  const undos: { readonly path: string; readonly undo: readonly FileChange[] }[] = []
  let bytes = 0
  try {
    for (const change of changes) {
      bytes += await undoBytes(files, [change])
      if (bytes <= maxUndoBytes) undos.unshift({ path: change.path, undo: await undoOf(files, [change]) })
      await applyChange(files, change)
    }
    last?.()
  } catch (thrown) {
    for (const { path, undo } of undos) {
      await putBack(files, undo).catch(() => undefined)
      onTakenBack?.(path)
    }
    throw thrown
  }
}

async function undoOfOne(files: Vfs, { type, path, data }: FileChange): Promise<readonly FileChange[]> {
  const top = await highestMissing(files, path)
  if (top !== undefined) return [{ type: 'delete', path: top }]
  // A directory that is there already stays as it is.
  if (type !== 'delete' && !data && (await files.stat(path))?.type === 'dir') return []
  const state = await stateOf(files, path)
  return state[0]?.type === 'add' ? [{ type: 'delete', path }, ...state] : state
}

/** With it everything below goes that will be made. `undefined` where all is there. */
async function highestMissing(files: Vfs, path: string): Promise<string | undefined> {
  if ((await files.stat(path)) !== undefined) return undefined
  let at = path
  while (at !== '/' && (await files.stat(parentPath(at))) === undefined) at = parentPath(at)
  return at
}

/**
 * Makes everything as `undoOf` found it, and touches nothing that is so already: what cannot be written could not be
 * changed either. A second time it does nothing more.
 */
export async function putBack(files: Vfs, undo: readonly FileChange[]): Promise<void> {
  const wanted = new Map(undo.flatMap(({ type, path, data }) => (type === 'delete' ? [] : ([[path, data]] as const))))
  for (const { type, path } of undo) if (type === 'delete') await clear(files, path, wanted)
  for (const change of undo)
    if (change.type !== 'delete' && !(await isSo(files, change))) await applyChange(files, change)
}

/** Removes what is there, but for what is wanted. */
async function clear(files: Vfs, path: string, wanted: ReadonlyMap<string, Uint8Array | undefined>): Promise<void> {
  const type = (await files.stat(path))?.type
  if (type === undefined) return
  if (!wanted.has(path) || (type === 'file') !== (wanted.get(path) !== undefined))
    return files.rm(path, { recursive: true, force: true })
  if (type === 'file') return
  const names: string[] = []
  for await (const { name } of entriesOf(files, path)) names.push(name)
  for (const name of names) await clear(files, joinPath(path, name), wanted)
}

async function isSo(files: Vfs, { path, data }: FileChange): Promise<boolean> {
  const stat = await files.stat(path)
  if (!data) return stat?.type === 'dir'
  if (stat?.type !== 'file' || stat.size !== data.length) return false
  const found = await files.read(path)
  return found.length === data.length && found.every((byte, index) => byte === data[index])
}
