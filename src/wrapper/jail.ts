// A directory as a file system of its own.
import { isSameloopError } from '../error/error.ts'
import { withPath } from '../vfs/error.ts'
import { intercept } from './intercept.ts'
import type { VfsCall } from './intercept.ts'
import { isInside, joinPath, normalizePath, pathWithin } from '../vfs/path.ts'
import { rootStays } from '../vfs/rule.ts'
import type { Vfs, VfsStat } from '../vfs/vfs.ts'

/**
 * The directory `root` of `vfs` as "/". No path leads out of it, and errors show paths as seen from inside. A missing
 * root looks empty and is made by the first write.
 */
export function jail(vfs: Vfs, root: string): Vfs {
  const base = normalizePath(root)
  const change = ({ type, path }: { type: 'add' | 'modify' | 'delete'; path: string }) =>
    isInside(base, path) ? { type, path: pathWithin(base, path) } : undefined
  let ready: Promise<void> | undefined
  const grow = (): Promise<void> => {
    ready ??= vfs.mkdir(base, { recursive: true })
    ready.catch(() => (ready = undefined))
    return ready
  }
  return intercept(vfs, {
    capabilities: { name: `jail(${vfs.capabilities.name})`, root: undefined },
    around: async (call, next) => {
      const path = normalizePath(call.path)
      const to = call.to === undefined ? undefined : normalizePath(call.to)
      if (call.operation === 'rename' && (path === '/' || to === '/')) throw rootStays('rename')
      if (call.operation === 'rm' && path === '/') throw rootStays('remove')
      try {
        if (call.writes) await grow()
        return inside(call, base, await next(joinPath(base, path), to === undefined ? undefined : joinPath(base, to)))
      } catch (error) {
        if (call.operation === 'list' && path === '/' && isSameloopError(error, 'vfs-not-found'))
          return emptyList as never
        throw withPath(error, shownPath(error, base) ?? path)
      }
    },
    change,
    prefix: (prefix) => joinPath(base, prefix),
  })
}

const emptyList: Awaited<ReturnType<Vfs['list']>> = { entries: [] }

/** The result with its path as seen from inside; a root that does not exist yet looks like an empty directory. */
function inside<Result>(call: VfsCall, base: string, result: Result): Result {
  if (call.operation !== 'stat' && call.operation !== 'write') return result
  const stat = result as VfsStat | undefined
  if (stat !== undefined) return { ...stat, path: pathWithin(base, stat.path) } as Result
  return (normalizePath(call.path) === '/' ? { path: '/', type: 'dir', size: 0, mtime: 0 } : undefined) as Result
}

function shownPath(error: unknown, base: string): string | undefined {
  const path = isSameloopError(error) ? error.data['path'] : undefined
  return typeof path === 'string' && isInside(base, path) ? pathWithin(base, path) : undefined
}
