// Errors of file handles in the words of files.
import { isSameloopError } from '../../../src/error/error.ts'
import type { Errno } from '../../../src/vfs/error.ts'
import { vfsError } from '../../../src/vfs/error.ts'

const faults: Readonly<Record<string, readonly [errno: Errno, reason?: string | undefined]>> = {
  NotFoundError: ['ENOENT', 'it went while it was used'],
  TypeMismatchError: ['ENOENT', 'it became another kind while it was used'],
  InvalidModificationError: ['ENOTEMPTY'],
  NoModificationAllowedError: ['EBUSY', 'somebody holds it open for writing'],
  InvalidStateError: ['EBUSY', 'it changed while it was used'],
  NotReadableError: ['EBUSY', 'it changed while it was read'],
  NotAllowedError: [
    'EACCES',
    'the permission for this folder has lapsed or was not given; after a click, ask again with requestPermission()',
  ],
  SecurityError: ['EACCES', 'the browser keeps no files for this page; indexedDbFiles() or memory may do'],
  NotSupportedError: ['EACCES', 'this browser cannot do that to files of a page; indexedDbFiles() can'],
  QuotaExceededError: ['ENOSPC', 'the browser gives this site no more space'],
  TypeError: ['EINVAL', 'the browser takes no such name'],
}

/** What a handle threw, as the error of an operation. */
export function handleError(error: unknown, path: string, action: string): unknown {
  if (isSameloopError(error)) return error
  const name = error instanceof Error || error instanceof DOMException ? error.name : ''
  const known = Object.hasOwn(faults, name) ? faults[name] : undefined
  const [errno, reason] = known ?? ['EIO']
  return vfsError(errno, path, { action, reason, cause: error })
}

export const isNamed = (error: unknown, name: string): boolean => error instanceof DOMException && error.name === name
