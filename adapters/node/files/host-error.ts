// Faults of the disk in the words of file systems here. No message names a place on the disk.
import { isSameloopError } from '../../../src/error/error.ts'
import { vfsError } from '../../../src/vfs/error.ts'
import type { Errno } from '../../../src/vfs/error.ts'

const errnos: Readonly<Record<string, readonly [errno: Errno, reason?: string]>> = {
  ENOENT: ['ENOENT'],
  EEXIST: ['EEXIST'],
  ENOTDIR: ['ENOTDIR'],
  EISDIR: ['EISDIR'],
  ENOTEMPTY: ['ENOTEMPTY'],
  EACCES: ['EACCES'],
  EPERM: ['EACCES'],
  ELOOP: ['EACCES', 'symbolic links lead nowhere'],
  EROFS: ['EROFS'],
  EINVAL: ['EINVAL'],
  ENAMETOOLONG: ['EINVAL', 'the name is too long for this disk'],
  EILSEQ: ['EINVAL', 'this disk cannot have such a name'],
  EXDEV: ['EINVAL', 'the two places are on different disks'],
  ENOSPC: ['ENOSPC'],
  EDQUOT: ['ENOSPC', 'the quota of the disk is used up'],
  EFBIG: ['EFBIG'],
  EBUSY: ['EBUSY'],
  ETXTBSY: ['EBUSY', 'it is being run'],
  EMFILE: ['EBUSY', 'too many files are open'],
  ENFILE: ['EBUSY', 'too many files are open'],
}

/** The code of what Node and Deno throw. */
export function hostCode(thrown: unknown): string | undefined {
  const { code, name } = (thrown ?? {}) as { readonly code?: unknown; readonly name?: unknown }
  if (typeof code === 'string') return code
  // Deno refuses what the program was not allowed.
  return name === 'NotCapable' ? 'EACCES' : undefined
}

/** The same fault at `path`; errors of ours pass as they are. */
export function hostError(cause: unknown, path: string, action: string): unknown {
  if (isSameloopError(cause)) return cause
  const [errno, reason] = errnos[hostCode(cause) ?? ''] ?? (['EIO'] as const)
  return vfsError(errno, path, { action, reason, cause })
}

/** What `work` gives, its faults in our words. */
export async function onDisk<Result>(path: string, action: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    throw hostError(thrown, path, action)
  }
}

/** What `work` gives, or nothing where it finds nothing. */
export async function whereFound<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (thrown) {
    const code = hostCode(thrown)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw thrown
  }
}
