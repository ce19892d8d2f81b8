// Several file systems as one tree.
import { SameloopError } from '../error/error.ts'
import { vfsError, withPath } from '../vfs/error.ts'
import { isInside, joinPath, normalizePath, parentPath, pathWithin } from '../vfs/path.ts'
import { noDirectory, pageOf, rootStays } from '../vfs/rule.ts'
import { copy } from '../vfs/text.ts'
import { entriesOf } from '../vfs/walk.ts'
import type { Vfs, VfsEntry, VfsStat } from '../vfs/vfs.ts'

interface Mount {
  readonly point: string
  readonly vfs: Vfs
}

interface Place extends Mount {
  /** The path within `vfs`. */
  readonly path: string
}

/**
 * One tree of several: `mount({ '/': memory, '/workspace': disk })`. "/" must be given (`config-invalid`). A mount point is
 * a directory that can be neither removed nor renamed (`vfs-busy`); a rename from one file system to another copies.
 */
export function mount(points: Readonly<Record<string, Vfs>>): Vfs {
  const mounts = Object.entries(points)
    .map(([point, vfs]): Mount => ({ point: normalizePath(point), vfs }))
    .sort((left, right) => right.point.length - left.point.length)
  if (mounts.at(-1)?.point !== '/')
    throw new SameloopError('config-invalid', 'Cannot mount: wanted a file system at "/"')
  const placeOf = (path: string): Place => {
    const found = mounts.find(({ point }) => isInside(point, path))!
    return { ...found, path: pathWithin(found.point, path) }
  }
  const at = async <Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result> => {
    const place = placeOf(normalizePath(path))
    try {
      return await work(place)
    } catch (error) {
      throw withPath(error, normalizePath(path))
    }
  }
  const shown = (place: Place, stat: VfsStat): VfsStat => ({ ...stat, path: joinPath(place.point, stat.path) })
  const isStem = (path: string): boolean => mounts.some(({ point }) => point !== '/' && isInside(path, point))
  const free = (path: string, action: string): string => {
    const normal = normalizePath(path)
    if (normal === '/') throw rootStays(action)
    if (isStem(normal)) throw vfsError('EBUSY', normal, { action, reason: 'another file system is mounted there' })
    return normal
  }
  return {
    capabilities: joined(mounts),
    stat: (path, options) =>
      at(path, async (place) => {
        const stat = await place.vfs.stat(place.path, options)
        if (stat !== undefined) return shown(place, stat)
        const normal = normalizePath(path)
        return isStem(normal) ? { path: normal, type: 'dir', size: 0, mtime: 0 } : undefined
      }),
    list: (path, options) => at(path, (place) => listMerged(mounts, place, normalizePath(path), options)),
    read: (path, options) => at(path, (place) => place.vfs.read(place.path, options)),
    write: (path, data, options) =>
      at(path, async (place) => shown(place, await place.vfs.write(place.path, data, options))),
    mkdir: (path, options) =>
      at(path, (place) =>
        place.vfs.mkdir(place.path, isStem(normalizePath(path)) ? { ...options, recursive: true } : options),
      ),
    rm: async (path, options) => at(free(path, 'remove'), (place) => place.vfs.rm(place.path, options)),
    rename: async (from, to, options) => {
      const [source, target] = [placeOf(free(from, 'rename')), placeOf(free(to, 'rename to'))]
      if (source.vfs === target.vfs) return at(from, () => source.vfs.rename(source.path, target.path, options))
      const parent = await target.vfs.stat(parentPath(target.path), options)
      if (parent?.type !== 'dir') throw noDirectory(to, 'rename to')
      const stat = await target.vfs.stat(target.path, options)
      if (stat?.type === 'dir') throw vfsError('EISDIR', to, { action: 'rename to' })
      await at(from, () => copy(source.vfs, source.path, target.path, { ...options, into: target.vfs }))
      await source.vfs.rm(source.path, { ...options, recursive: true })
    },
  }
}

async function listMerged(
  mounts: readonly Mount[],
  place: Place,
  path: string,
  options: NonNullable<Parameters<Vfs['list']>[1]> = {},
): ReturnType<Vfs['list']> {
  const { signal } = options
  const below = mounts.filter(({ point }) => point !== path && isInside(path, point))
  if (below.length === 0) return place.vfs.list(place.path, options)
  const entries = new Map<string, VfsEntry>()
  const known = (await place.vfs.stat(place.path, { signal })) !== undefined
  if (known) for await (const entry of entriesOf(place.vfs, place.path, { signal })) entries.set(entry.name, entry)
  for (const { point } of below) {
    const name = pathWithin(path, point).split('/')[1]!
    entries.set(name, { name, type: 'dir' })
  }
  return pageOf(path, [...entries.keys()].sort(), options, (name) => entries.get(name)!)
}

function joined(mounts: readonly Mount[]): Vfs['capabilities'] {
  const all = mounts.map(({ vfs }) => vfs.capabilities)
  return {
    name: `mount(${all
      .map(({ name }) => name)
      .reverse()
      .join(', ')})`,
    persistent: all.every(({ persistent }) => persistent),
    readOnly: all.every(({ readOnly }) => readOnly),
    atomicRename: false,
    cas: all.every(({ cas }) => cas),
    append: all.every(({ append }) => append === 'native') ? 'native' : 'rewrite',
    watch: false,
  }
}
