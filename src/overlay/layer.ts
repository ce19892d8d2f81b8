// The two layers of an overlay as one: what was written above, and what is not hidden below.
import { vfsError } from '../vfs/error.ts'
import { memoryFiles } from '../vfs/memory.ts'
import type { MemoryFilesOptions } from '../vfs/memory.ts'
import { isInside, joinPath, parentPath } from '../vfs/path.ts'
import { copy } from '../vfs/text.ts'
import { checkMakeDir, checkMove, checkRemove, checkTarget, checkWrite, pageOf, writeAction } from '../vfs/rule.ts'
import { entriesOf } from '../vfs/walk.ts'
import type { Vfs, VfsEntry, VfsOperation, VfsStat, VfsWriteOptions } from '../vfs/vfs.ts'

/** The limits of what is written to an overlay, as `memoryFiles` has them. */
export type CowOptions = Pick<MemoryFilesOptions, 'now' | 'maxBytes' | 'maxEntries'>

export interface Layers {
  readonly lower: Vfs
  readonly options: CowOptions
  upper: Vfs
  /** Paths at and below which the lower files are not seen. */
  hidden: Set<string>
  /** The etag below, or `undefined` for nothing there, of each file at its first change. */
  bases: Map<string, string | undefined>
}

export function newLayers(lower: Vfs, options: CowOptions): Layers {
  return { lower, options, upper: memoryFiles(options), hidden: new Set(), bases: new Map() }
}

export function resetLayers(layers: Layers): void {
  Object.assign(layers, newLayers(layers.lower, layers.options))
}

export function isHidden(layers: Layers, path: string): boolean {
  if (layers.hidden.size === 0) return false
  for (let at = path; at !== '/'; at = parentPath(at)) if (layers.hidden.has(at)) return true
  return false
}

const tagged = (stat: VfsStat): VfsStat => ({ ...stat, etag: `cow-${stat.etag}` })

export async function findIn(layers: Layers, path: string, options?: VfsOperation): Promise<VfsStat | undefined> {
  const above = await layers.upper.stat(path, options)
  if (above?.type === 'file') return tagged(above)
  if (above !== undefined && path !== '/') return above
  return (isHidden(layers, path) ? undefined : await layers.lower.stat(path, options)) ?? above
}

export async function listIn(
  layers: Layers,
  path: string,
  options: NonNullable<Parameters<Vfs['list']>[1]> = {},
): ReturnType<Vfs['list']> {
  const { lower, upper } = layers
  const { signal } = options
  const dir = await findIn(layers, path, { signal })
  if (dir?.type !== 'dir') throw vfsError(dir === undefined ? 'ENOENT' : 'ENOTDIR', path, { action: 'list' })
  const entries = new Map<string, VfsEntry>()
  if (!isHidden(layers, path) && (await lower.stat(path, { signal }))?.type === 'dir') {
    for await (const entry of entriesOf(lower, path, { signal })) {
      if (!layers.hidden.has(joinPath(path, entry.name))) entries.set(entry.name, entry)
    }
  }
  if ((await upper.stat(path, { signal })) !== undefined) {
    for await (const entry of entriesOf(upper, path, { signal })) entries.set(entry.name, entry)
  }
  return pageOf(path, [...entries.keys()].sort(), options, (name) => entries.get(name)!)
}

async function isEmpty(layers: Layers, { path, type }: VfsStat, options: VfsOperation): Promise<boolean> {
  return type === 'file' || (await listIn(layers, path, { limit: 1, ...options })).entries.length === 0
}

/** Whether the directory of `path` is there; `vfs-not-directory` where a file stands in its place. */
async function hasParent(
  layers: Layers,
  path: string,
  { action, signal }: VfsOperation & { readonly action: string },
): Promise<boolean> {
  const parent = parentPath(path)
  for (let at = parent; ; at = parentPath(at)) {
    const stat = await findIn(layers, at, { signal })
    if (stat?.type === 'file') throw vfsError('ENOTDIR', path, { action })
    if (stat !== undefined) return at === parent
  }
}

/** Remembers which lower file a change started from. */
async function noteBase(layers: Layers, path: string, signal: AbortSignal | undefined): Promise<void> {
  if (layers.bases.has(path) || isHidden(layers, path)) return
  layers.bases.set(path, (await layers.lower.stat(path, { signal }))?.etag)
}

export async function writeIn(
  layers: Layers,
  path: string,
  data: Uint8Array,
  options: VfsWriteOptions,
): Promise<VfsStat> {
  const { mode, signal } = options
  const old = await findIn(layers, path, { signal })
  const place = {
    taken: old,
    hasParent: old !== undefined || (await hasParent(layers, path, { action: writeAction(options), signal })),
  }
  checkWrite(path, place, options)
  const above = await layers.upper.stat(path, { signal })
  let bytes = data
  if (mode === 'append' && old !== undefined && above === undefined) {
    const kept = await layers.lower.read(path, { signal })
    bytes = new Uint8Array(kept.length + data.length)
    bytes.set(kept)
    bytes.set(data, kept.length)
  }
  await noteBase(layers, path, signal)
  const append = mode === 'append' && above !== undefined
  return tagged(await layers.upper.write(path, bytes, { mode: append ? 'append' : 'overwrite', parents: true, signal }))
}

export async function makeDirIn(
  layers: Layers,
  path: string,
  options: NonNullable<Parameters<Vfs['mkdir']>[1]>,
): Promise<void> {
  const { signal } = options
  const taken = await findIn(layers, path, { signal })
  const place = {
    taken,
    hasParent: taken !== undefined || (await hasParent(layers, path, { action: 'create', signal })),
  }
  if (checkMakeDir(path, place, options)) await layers.upper.mkdir(path, { recursive: true, signal })
}

export async function removeIn(
  layers: Layers,
  path: string,
  options: NonNullable<Parameters<Vfs['rm']>[1]>,
): Promise<void> {
  const { signal } = options
  const stat = await findIn(layers, path, { signal })
  const taken = stat && { isEmpty: options.recursive === true || (await isEmpty(layers, stat, { signal })) }
  if (!checkRemove(path, taken, options)) return
  if (stat?.type === 'file') await noteBase(layers, path, signal)
  const below = !isHidden(layers, path) && (await layers.lower.stat(path, { signal })) !== undefined
  await layers.upper.rm(path, { recursive: true, force: true, signal })
  if (!below) return
  for (const inner of layers.hidden) if (isInside(path, inner)) layers.hidden.delete(inner)
  layers.hidden.add(path)
}

/** `view` is the overlay, to read from. */
export async function moveIn(
  layers: Layers,
  view: Vfs,
  { from, to, signal }: VfsOperation & { readonly from: string; readonly to: string },
): Promise<void> {
  const stat = await findIn(layers, from, { signal })
  if (!checkMove(from, to, stat) || stat === undefined) return
  const old = await findIn(layers, to, { signal })
  checkTarget(to, stat, {
    taken: old && { type: old.type, isEmpty: await isEmpty(layers, old, { signal }) },
    hasParent: await hasParent(layers, to, { action: 'rename to', signal }),
  })
  if (stat.type === 'file') await noteBase(layers, to, signal)
  try {
    await copy(view, from, to, { into: layers.upper, signal })
  } catch (error) {
    if (stat.type === 'dir') await layers.upper.rm(to, { recursive: true, force: true })
    throw error
  }
  await removeIn(layers, from, { recursive: true, signal })
}
