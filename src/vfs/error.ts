// Errors of file systems: a code of ours, the POSIX name for shells, and the path.
import type { ErrorCode } from '../error/codes.ts'
import { isSameloopError, SameloopError } from '../error/error.ts'
import { cut } from '../json/text.ts'

/** The POSIX name of a file-system fault, as shells print it. `ECONFLICT` is ours: an `ifMatch` that does not match. */
export type Errno =
  | 'ENOENT'
  | 'EEXIST'
  | 'ENOTDIR'
  | 'EISDIR'
  | 'ENOTEMPTY'
  | 'EACCES'
  | 'EROFS'
  | 'EINVAL'
  | 'ENOSPC'
  | 'EBUSY'
  | 'EFBIG'
  | 'ECONFLICT'
  | 'EIO'

const codes: Record<Errno, readonly [code: ErrorCode, words: string]> = {
  ENOENT: ['vfs-not-found', 'no such file or directory'],
  EEXIST: ['vfs-exists', 'it exists already'],
  ENOTDIR: ['vfs-not-directory', 'not a directory'],
  EISDIR: ['vfs-is-directory', 'it is a directory'],
  ENOTEMPTY: ['vfs-not-empty', 'the directory is not empty'],
  EACCES: ['vfs-denied', 'permission denied'],
  EROFS: ['vfs-read-only', 'the file system is read-only'],
  EINVAL: ['vfs-invalid', 'invalid argument'],
  ENOSPC: ['vfs-no-space', 'no space left'],
  EBUSY: ['vfs-busy', 'it is in use'],
  EFBIG: ['vfs-too-large', 'the file is too large'],
  ECONFLICT: ['vfs-conflict', 'it changed since it was read'],
  EIO: ['vfs-failed', 'the file system failed'],
}

export function isErrno(value: unknown): value is Errno {
  return typeof value === 'string' && Object.hasOwn(codes, value)
}

/** What is said beside the errno and the path. */
export interface VfsErrorDetails {
  /** What was being done, as "Cannot …" goes on. Default "use". */
  readonly action?: string | undefined
  /** Replaces the general words about the errno. */
  readonly reason?: string | undefined
  readonly cause?: unknown
}

const shownPath = 200

/** A path, quoted and cut, as it may stand in a message. */
export function quotePath(path: string): string {
  return JSON.stringify(cut(path, shownPath))
}

/**
 * The error for a fault at `path`: `Cannot read "/a": no such file or directory`. `data` has `errno`, `path`, `action`
 * and `reason`; `vfs-busy` may succeed later.
 */
export function vfsError(errno: Errno, path: string, details: VfsErrorDetails = {}): SameloopError {
  const [code, words] = codes[errno]
  const { action = 'use', reason = words, cause } = details
  return new SameloopError(code, `Cannot ${action} ${quotePath(path)}: ${reason}`, {
    data: { errno, path, action, reason },
    cause,
    retryable: errno === 'EBUSY',
  })
}

/** The same fault with the path as a wrapper shows it, so that the one below stays hidden. Other errors pass as they are. */
export function withPath(error: unknown, path: string): unknown {
  if (!isSameloopError(error)) return error
  const { errno, action, reason } = error.data
  if (!isErrno(errno)) return error
  return vfsError(errno, path, { action: word(action), reason: word(reason), cause: error.cause })
}

const word = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
