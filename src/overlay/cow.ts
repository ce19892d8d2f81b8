// Work on a copy: writes go to memory, the files below stay as they are until the changes are committed or dropped.
import { serial } from '../stream/serial.ts'
import { changesOf, commitLayers } from './commit.ts'
import { vfsError } from '../vfs/error.ts'
import { findIn, isHidden, listIn, makeDirIn, moveIn, newLayers, removeIn, resetLayers, writeIn } from './layer.ts'
import type { CowOptions, Layers } from './layer.ts'
import { normalizePath } from '../vfs/path.ts'
import { checkBytes } from '../vfs/rule.ts'
import type { Vfs, VfsChange, VfsOperation } from '../vfs/vfs.ts'

/** A file system with changes that are not yet in the one below. */
export interface Overlay extends Vfs {
  /** What a commit would do, sorted by path: files, and directories that are or were empty. */
  diff(options?: VfsOperation): Promise<readonly VfsChange[]>
  /**
   * Writes the changes below and starts anew. `vfs-conflict`, with nothing written, where a file below is no longer the
   * one that was changed here. Where the files below fail in the middle, what was written is taken back, as far as it
   * replaced no more than 256 MiB; only their `batch`, if they have one, does that for a process that ends as well.
   */
  commit(options?: VfsOperation): Promise<readonly VfsChange[]>
  discard(): Promise<void>
}

/** Whether these files are an overlay, whose changes a person can still drop. */
export function isOverlay(vfs: Vfs): vfs is Overlay {
  return 'commit' in vfs && 'discard' in vfs
}

/** An overlay over `lower`. Changes live in memory (64 MiB by default) and are gone with it. */
export function cow(lower: Vfs, options: CowOptions = {}): Overlay {
  return overlayOf(newLayers(lower, options))
}

/** The overlay whose layers these are. */
export function overlayOf(layers: Layers): Overlay {
  const { lower } = layers
  // Changes look before they write: none may see another half done.
  const inTurn = serial()
  const overlay: Overlay = {
    capabilities: {
      ...lower.capabilities,
      name: `cow(${lower.capabilities.name})`,
      persistent: false,
      readOnly: false,
      atomicRename: false,
      cas: lower.capabilities.cas,
      append: 'rewrite',
      watch: false,
    },
    stat: async (path, operation) => findIn(layers, normalizePath(path), operation),
    list: async (path, operation) => listIn(layers, normalizePath(path), operation),
    read: async (path, operation) => {
      const at = normalizePath(path)
      const above = await layers.upper.stat(at, operation)
      if (above === undefined && isHidden(layers, at)) throw vfsError('ENOENT', at, { action: 'read' })
      return (above === undefined ? lower : layers.upper).read(at, operation)
    },
    write: async (path, data, operation = {}) => {
      const at = normalizePath(path)
      checkBytes(at, data)
      const bytes = new Uint8Array(data)
      return inTurn(() => writeIn(layers, at, bytes, operation))
    },
    mkdir: async (path, operation = {}) => inTurn(() => makeDirIn(layers, normalizePath(path), operation)),
    rm: async (path, operation = {}) => inTurn(() => removeIn(layers, normalizePath(path), operation)),
    rename: async (from, to, operation = {}) =>
      inTurn(() => moveIn(layers, overlay, { from: normalizePath(from), to: normalizePath(to), ...operation })),
    diff: async (operation = {}) => inTurn(() => changesOf(layers, operation)),
    commit: async (operation = {}) => inTurn(() => commitLayers(layers, operation)),
    discard: async () => inTurn(async () => resetLayers(layers)),
  }
  return overlay
}
