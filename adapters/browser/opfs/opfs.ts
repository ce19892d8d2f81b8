// Files in the private file system that a browser has for a site (OPFS).
import { SameloopError } from '../../../src/error/error.ts'
import { batched } from '../../../src/history/batched.ts'
import { normalizePath } from '../../../src/vfs/path.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { handleFiles } from './files.ts'
import type { HandleFilesOptions } from './files.ts'
import { growDirs, placeOf } from './handle.ts'
import type { Dir } from './handle.ts'

export interface OpfsFilesOptions extends HandleFilesOptions {
  /** Where they are, a path below the root of the site's files; made where it is missing. Default "sameloop". */
  readonly directory?: string | undefined
}

/**
 * Persistent files in OPFS, for few and large ones; `indexedDbFiles()` is faster for many small ones, and it alone
 * commits together with a store. Tabs and Workers of a site take turns. An overwrite keeps the old content until the new
 * one is whole; an append in a Worker writes in place; a new file that a crash cuts off may be left empty; a directory is
 * renamed by copying. A `batch` holds after a crash too, for one tab at a time: its intents are in `<directory>.batch`.
 * An etag is made of time and size, so `capabilities.cas` is false. A browser without OPFS, or one that cannot write to
 * it, gives `vfs-denied`.
 */
export function opfsFiles({ directory = 'sameloop', ...options }: OpfsFilesOptions = {}): Vfs {
  const path = normalizePath(directory)
  if (path === '/') throw new SameloopError('config-invalid', 'Wanted a directory below the root, got the root')
  const files = filesAt(path, options)
  return batched(files, { intents: intentsAt(`${path}.batch`, options) })
}

/** Each operation looks there first, and most never find a thing: looking makes nothing, as a full browser could not. */
function intentsAt(path: string, options: HandleFilesOptions): Vfs {
  const intents = filesAt(path, options)
  const isThere = async (): Promise<boolean> => (await placeOf(await siteRoot(), path)).taken !== undefined
  return {
    ...intents,
    // Where it cannot be found out, the files say why.
    stat: async (at, operation) => ((await isThere().catch(() => true)) ? intents.stat(at, operation) : undefined),
  }
}

function filesAt(path: string, options: HandleFilesOptions): Vfs {
  const root = async (): Promise<Dir> => growDirs(await siteRoot(), path)
  return handleFiles({ ...options, name: 'opfs', root, lock: `sameloop opfs ${path}` })
}

async function siteRoot(): Promise<Dir> {
  const storage: StorageManager | undefined = globalThis.navigator?.storage
  if (!storage?.getDirectory) throw new DOMException('There is no getDirectory()', 'SecurityError')
  return storage.getDirectory()
}
