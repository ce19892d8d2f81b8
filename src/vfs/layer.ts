// The two layers of an overlay as one: what was written above, and what is not hidden below.
import { vfsError } from './error.ts'
import { memoryFiles } from './memory.ts'
import type { MemoryFilesOptions } from './memory.ts'
import { isInside, joinPath, parentPath } from './path.ts'
import { copy } from './text.ts'
import { checkReplace } from './tree.ts'
import { entriesOf } from './walk.ts'
import type { Vfs, VfsEntry, VfsOperation, VfsStat, VfsWriteOptions } from './vfs.ts'

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
  { limit = Infinity, cursor, signal }: NonNullable<Parameters<Vfs['list']>[1]> = {},
): ReturnType<Vfs['list']> {
  const { lower, upper } = layers
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
  const names = [...entries.keys()].filter((name) => cursor === undefined || name > cursor).sort()
  const shown = names.slice(0, Math.max(1, limit))
  const page = shown.map((name) => entries.get(name)!)
  return shown.length < names.length ? { entries: page, cursor: shown.at(-1)! } : { entries: page }
}

/** Throws unless the directory of `path` is there, or may be made. */
async function checkParent(
  layers: Layers,
  path: string,
  details: { readonly make: boolean; readonly action: string } & VfsOperation,
): Promise<void> {
  const { make, action, signal } = details
  for (let at = parentPath(path); ; at = parentPath(at)) {
    const stat = await findIn(layers, at, { signal })
    if (stat?.type === 'file') throw vfsError('ENOTDIR', path, { action })
    if (stat !== undefined) return
    if (!make && at === parentPath(path) && !(await hasFileAbove(layers, at, signal)))
      throw vfsError('ENOENT', path, { action, reason: 'its directory does not exist' })
  }
}

async function hasFileAbove(layers: Layers, path: string, signal: AbortSignal | undefined): Promise<boolean> {
  for (let at = parentPath(path); at !== '/'; at = parentPath(at)) {
    if ((await findIn(layers, at, { signal }))?.type === 'file') return true
  }
  return false
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
  const { mode = 'overwrite', parents = false, ifMatch, signal } = options
  const action = mode === 'append' ? 'append to' : 'write'
  const old = await findIn(layers, path, { signal })
  if (old?.type === 'dir') throw vfsError('EISDIR', path, { action })
  if (ifMatch !== undefined && old?.etag !== ifMatch) throw vfsError('ECONFLICT', path, { action })
  if (old !== undefined && mode === 'create') throw vfsError('EEXIST', path, { action: 'create' })
  if (old === undefined) await checkParent(layers, path, { make: parents, action, signal })
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
  { recursive = false, signal }: NonNullable<Parameters<Vfs['mkdir']>[1]>,
): Promise<void> {
  const action = 'create'
  const taken = await findIn(layers, path, { signal })
  if (taken?.type === 'dir' && recursive) return
  if (taken !== undefined) throw vfsError('EEXIST', path, { action })
  await checkParent(layers, path, { make: recursive, action, signal })
  await layers.upper.mkdir(path, { recursive: true, signal })
}

export async function removeIn(
  layers: Layers,
  path: string,
  { recursive = false, force = false, signal }: NonNullable<Parameters<Vfs['rm']>[1]>,
): Promise<void> {
  const action = 'remove'
  if (path === '/') throw vfsError('EACCES', path, { action, reason: 'the root stays' })
  const stat = await findIn(layers, path, { signal })
  if (stat === undefined && force) return
  if (stat === undefined) throw vfsError('ENOENT', path, { action })
  if (stat.type === 'file') await noteBase(layers, path, signal)
  else if (!recursive && (await listIn(layers, path, { limit: 1, signal })).entries.length > 0) {
    throw vfsError('ENOTEMPTY', path, { action })
  }
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
  const action = 'rename'
  if (from === '/' || to === '/') throw vfsError('EACCES', '/', { action, reason: 'the root stays' })
  const stat = await findIn(layers, from, { signal })
  if (stat === undefined) throw vfsError('ENOENT', from, { action })
  if (from === to) return
  if (isInside(from, to))
    throw vfsError('EINVAL', to, { action: 'rename to', reason: 'it lies inside what is renamed' })
  await checkParent(layers, to, { make: false, action: 'rename to', signal })
  const taken = await findIn(layers, to, { signal })
  if (taken !== undefined) {
    const empty = taken.type === 'file' || (await listIn(layers, to, { limit: 1, signal })).entries.length === 0
    checkReplace(stat.type, { type: taken.type, empty }, to)
  }
  if (stat.type === 'file') await noteBase(layers, to, signal)
  try {
    await copy(view, from, to, { into: layers.upper, signal })
  } catch (error) {
    if (stat.type === 'dir') await layers.upper.rm(to, { recursive: true, force: true })
    throw error
  }
  await removeIn(layers, from, { recursive: true, signal })
}
