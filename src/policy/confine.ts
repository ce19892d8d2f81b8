// Files within a policy: one root, protected paths, perhaps read-only, perhaps a quota.
import { vfsError } from '../vfs/error.ts'
import { anchorGlob, globTest } from '../pattern/glob.ts'
import { intercept } from '../wrapper/intercept.ts'
import type { VfsCall } from '../wrapper/intercept.ts'
import { isInside, joinPath, normalizePath, parentPath, pathWithin, resolvePath } from '../vfs/path.ts'
import { quota, quotaOf } from '../wrapper/quota.ts'
import type { QuotaLimits } from '../wrapper/quota.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { walk } from '../vfs/walk.ts'

export interface FileLimits {
  /** Where relative paths count from, and out of which no path leads. Default "/". */
  readonly workspaceRoot?: string | undefined
  /**
   * Globs, relative ones from the root, `.env` at any depth. What matches, and all below it, is neither read nor written
   * nor listed, whoever approved it. Upper and lower case, and Unicode forms, count as the same.
   */
  readonly protectedPaths?: readonly string[] | undefined
  readonly readOnly?: boolean | undefined
  readonly quotas?: QuotaLimits | undefined
}

type PathTest = (path: string) => boolean

/** A function that puts files under these limits: what breaks them is `vfs-denied` or `vfs-read-only`. */
export function fileConfinement(limits: FileLimits): (files: Vfs) => Vfs {
  const root = normalizePath(limits.workspaceRoot ?? '/')
  const isProtected = protection(limits.protectedPaths ?? [], root)
  const quotas = limits.quotas && quotaOf(limits.quotas)
  return (files) => {
    const limited = quotas === undefined ? files : quota(files, { ...quotas, root })
    const outer = files.capabilities.root ?? '/'
    // A narrower root below stays the place where relative paths count from.
    const base = isInside(outer, root) ? root : outer
    const readOnly = limits.readOnly === true || files.capabilities.readOnly
    const check = async (call: VfsCall, path: string): Promise<void> => {
      if (!isInside(root, path))
        throw vfsError('EACCES', path, { action: call.operation, reason: `it lies outside of "${root}"` })
      if (isProtected?.(path) === true)
        throw vfsError('EACCES', path, { action: call.operation, reason: 'the policy protects it' })
      const isRoot = path === '/' || path === base
      if (isRoot && (call.operation === 'rm' || call.operation === 'rename'))
        throw vfsError('EACCES', path, { action: call.operation, reason: 'the root stays' })
      if (call.writes && readOnly) throw vfsError('EROFS', path, { action: call.operation })
    }
    return intercept(limited, {
      capabilities: { readOnly, root: base },
      around: async (call, next, inner) => {
        const path = resolvePath(base, call.path)
        const to = call.to === undefined ? undefined : resolvePath(base, call.to)
        await check(call, path)
        if (to !== undefined) await check(call, to)
        if (isProtected !== undefined) await checkTree(inner, call, { path, to, isProtected })
        const result = await next(path, to)
        return call.operation === 'list' && isProtected !== undefined
          ? (filtered(result, path, isProtected) as typeof result)
          : result
      },
      change: (change) => (isInside(root, change.path) && isProtected?.(change.path) !== true ? change : undefined),
      prefix: (prefix) => {
        const path = resolvePath(base, prefix)
        return isInside(root, path) ? path : root
      },
    })
  }
}

/**
 * Files may be on a disk that takes names for the same which differ in case or Unicode form, or in characters that nobody
 * sees. Upper case first: "ſ" and "ß" only meet "s" and "ss" there.
 */
const folded = (text: string): string =>
  text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')

function protection(patterns: readonly string[], root: string): PathTest | undefined {
  if (patterns.length === 0) return undefined
  const tests = patterns.map((pattern) => globTest(folded(anchorGlob(pattern.replace(/(.)\/+$/, '$1'), root))))
  return (path) => {
    for (let at = folded(path); at !== '/'; at = parentPath(at)) if (tests.some((test) => test(at))) return true
    return false
  }
}

interface Tree {
  readonly path: string
  readonly to: string | undefined
  readonly isProtected: PathTest
}

/** Removing or moving a directory must not take a protected path along, nor make one. */
async function checkTree(files: Vfs, call: VfsCall, { path, to, isProtected }: Tree): Promise<void> {
  if (call.operation !== 'rename' && !(call.operation === 'rm' && call.recursive === true)) return
  const { signal } = call
  if ((await files.stat(path, { signal }))?.type !== 'dir') return
  for await (const entry of walk(files, path, { signal })) {
    const moved = to === undefined ? entry.path : joinPath(to, pathWithin(path, entry.path))
    if (isProtected(entry.path) || isProtected(moved)) {
      throw vfsError('EACCES', path, { action: call.operation, reason: 'the policy protects something in it' })
    }
  }
}

function filtered(result: unknown, path: string, isProtected: PathTest): Awaited<ReturnType<Vfs['list']>> {
  const page = result as Awaited<ReturnType<Vfs['list']>>
  return { ...page, entries: page.entries.filter((entry) => !isProtected(joinPath(path, entry.name))) }
}
