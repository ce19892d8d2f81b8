// Files in a folder of the user's disk.
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { handleFiles } from './files.ts'
import type { HandleFilesOptions } from './files.ts'

/**
 * The files of a folder that the user picked (`showDirectoryPicker({ mode: 'readwrite' })`), as `opfsFiles()` has them,
 * without a `batch`. Other programs may change them at any time. A permission that lapsed is `vfs-denied`, whose words
 * say to ask again; names that the user's system does not take are `vfs-invalid`. Give an agent `cow(folderFiles(…))`
 * where its changes should be looked at first.
 */
export function folderFiles(handle: FileSystemDirectoryHandle, options: HandleFilesOptions = {}): Vfs {
  return handleFiles({ ...options, name: 'folder', root: async () => handle })
}
