// What an overlay changed, and how it gets into the files below.
import { vfsError } from '../vfs/error.ts'
import { applyChange } from './change.ts'
import { changeAll } from './undo.ts'
import type { FileChange } from './change.ts'
import { isHidden, resetLayers } from './layer.ts'
import type { Layers } from './layer.ts'
import { isInside } from '../vfs/path.ts'
import { walk } from '../vfs/walk.ts'
import type { Vfs, VfsChange, VfsOperation } from '../vfs/vfs.ts'

const everything = { maxEntries: Infinity }

export async function changesOf(layers: Layers, options: VfsOperation): Promise<readonly VfsChange[]> {
  const { lower, upper } = layers
  const changes: VfsChange[] = []
  for await (const { path, type } of walk(upper, '/', { ...everything, ...options })) {
    const below = await lower.stat(path, options)
    if (type === 'dir') {
      if (below?.type === 'dir' || (await upper.list(path, { limit: 1 })).entries.length > 0) continue
      changes.push({ type: 'add', path })
    } else if (below?.type !== 'file') changes.push({ type: 'add', path })
    else if (!(await sameBytes(layers, path, options))) changes.push({ type: 'modify', path })
  }
  for (const path of layers.hidden) changes.push(...(await deletionsIn(layers, path, options)))
  return changes.sort((left, right) => (left.path < right.path ? -1 : Number(left.path > right.path)))
}

async function sameBytes({ lower, upper }: Layers, path: string, options: VfsOperation): Promise<boolean> {
  const [below, above] = [await lower.read(path, options), await upper.read(path, options)]
  return below.length === above.length && below.every((byte, index) => byte === above[index])
}

async function deletionsIn({ lower, upper }: Layers, path: string, options: VfsOperation): Promise<VfsChange[]> {
  const below = await lower.stat(path, options)
  if (below === undefined) return []
  const gone = async (at: string): Promise<boolean> => (await upper.stat(at, options))?.type !== 'file'
  if (below.type === 'file') return (await gone(path)) ? [{ type: 'delete', path }] : []
  const changes: VfsChange[] = []
  let files = 0
  for await (const entry of walk(lower, path, { ...everything, ...options })) {
    if (entry.type === 'dir') continue
    files += 1
    if (await gone(entry.path)) changes.push({ type: 'delete', path: entry.path })
  }
  if (files === 0 && (await upper.stat(path, options)) === undefined) changes.push({ type: 'delete', path })
  return changes
}

export async function commitLayers(layers: Layers, options: VfsOperation): Promise<readonly VfsChange[]> {
  const { lower } = layers
  const changes = await changesOf(layers, options)
  await checkBases(layers, changes, options)
  const writes = await writesOf(layers, changes)
  const apply = async (target: Vfs): Promise<void> => {
    for (const write of writes) await applyChange(target, write)
  }
  // From here on an abort would leave half a commit.
  await (lower.batch === undefined ? changeBelow(layers, writes) : lower.batch(apply))
  resetLayers(layers)
  return changes
}

async function changeBelow(layers: Layers, writes: readonly FileChange[]): Promise<void> {
  const back: string[] = []
  try {
    await changeAll(layers.lower, writes, { onTakenBack: (path) => void back.push(path) })
  } catch (thrown) {
    // They have the contents from before and other etags: nobody else changed them.
    for (const path of layers.bases.keys())
      if (back.some((root) => isInside(root, path))) layers.bases.set(path, (await layers.lower.stat(path))?.etag)
    throw thrown
  }
}

/** A file below as it was when it was first changed above: its etag, or `undefined` where nothing was. */
export type Base = readonly [path: string, etag: string | undefined]

/** What must be so below for a commit of these changes. */
export const basesOf = (layers: Layers, changes: readonly VfsChange[]): readonly Base[] =>
  changes
    .filter(({ type, path }) => layers.bases.has(path) || (type !== 'delete' && !isHidden(layers, path)))
    .map(({ path }) => [path, layers.bases.get(path)])

/** `vfs-conflict` where a file below is no longer the one that was changed above. */
export async function checkBases(layers: Layers, changes: readonly VfsChange[], options: VfsOperation): Promise<void> {
  for (const [path, etag] of basesOf(layers, changes)) {
    const stat = await layers.lower.stat(path, options)
    if (stat?.etag !== etag) throw vfsError('ECONFLICT', path, { action: 'commit' })
  }
}

/** What makes the files below as they are seen above, in the order in which it can be made. */
export async function writesOf(
  { lower, upper, hidden }: Layers,
  changes: readonly VfsChange[],
): Promise<readonly FileChange[]> {
  const writes: FileChange[] = []
  for (const path of hidden) {
    const [below, above] = [await lower.stat(path), await upper.stat(path)]
    const replaced = below?.type === 'file' && above?.type === 'file'
    if (below && !replaced) writes.push({ type: 'delete', path })
  }
  const written = new Set(changes.flatMap(({ type, path }) => (type === 'delete' ? [] : [path])))
  for await (const { path, type } of walk(upper, '/', everything)) {
    if (type === 'dir') writes.push({ type: 'add', path })
    else if (written.has(path)) writes.push({ type: 'modify', path, data: await upper.read(path) })
  }
  return writes
}
