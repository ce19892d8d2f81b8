// Paths: absolute, "/"-separated, normalised once and then trusted. A backslash is a plain character.
import { vfsError } from './error.ts'
import type { Vfs } from './vfs.ts'

const maxPath = 4096
const maxSegment = 255
const loneSurrogate = /[\ud800-\udfff]/u

/**
 * The absolute form of a path. Empty and "." segments go, ".." never leaves "/". `vfs-invalid` for NUL, for half a
 * surrogate pair (it has no UTF-8 form), above 4096 code units, or with a segment above 255.
 */
export function normalizePath(path: string): string {
  if (path.length > maxPath) throw invalid(path, `at most ${maxPath} characters are allowed, got ${path.length}`)
  if (path.includes('\0')) throw invalid(path, 'it contains a NUL character')
  if (loneSurrogate.test(path)) throw invalid(path, 'it contains half of a surrogate pair')
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment.length > maxSegment) throw invalid(path, `a name may have at most ${maxSegment} characters`)
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

/** `path` taken as inside `root`, whatever its ".." say: it never leaves `root`, which is a normal path. */
export function joinPath(root: string, path: string): string {
  const inner = normalizePath(path)
  if (root === '/') return inner
  return inner === '/' ? root : root + inner
}

/** A relative path counts from `root`, an absolute one from "/". The result may lie outside `root`. */
export function resolvePath(root: string, path: string): string {
  return normalizePath(path.startsWith('/') ? path : `${root}/${path}`)
}

/** A path as a caller gives it, from the root that these files count relative ones from: that of a policy, or "/". */
export function absolutePath({ capabilities }: Pick<Vfs, 'capabilities'>, path: string): string {
  return resolvePath(capabilities.root ?? '/', path)
}

/** The directory of a normal path; "/" for "/". */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}

/** The last segment of a normal path; "" for "/". */
export function pathName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether the normal `path` is `root` or lies under it. */
export function isInside(root: string, path: string): boolean {
  return root === '/' || path === root || (path.startsWith(root) && path[root.length] === '/')
}

/** The normal `path` as seen from `root`, where it lies inside: "/" and what follows. */
export function pathWithin(root: string, path: string): string {
  return root === '/' ? path : path.slice(root.length) || '/'
}

function invalid(path: string, reason: string): Error {
  return vfsError('EINVAL', path, { reason })
}
