// A limit on how much may be written.
import { amounts } from '../error/amount.ts'
import { serial } from '../stream/serial.ts'
import { vfsError } from '../vfs/error.ts'
import { intercept } from './intercept.ts'
import { normalizePath, parentPath } from '../vfs/path.ts'
import { checkSpace } from '../vfs/rule.ts'
import type { Space } from '../vfs/rule.ts'
import type { Vfs, VfsOperation } from '../vfs/vfs.ts'
import { walk } from '../vfs/walk.ts'

export interface QuotaLimits {
  /** Of all files below `root` together; more is `vfs-no-space`. */
  readonly bytes?: number | undefined
  /** Files and directories below `root`; more is `vfs-no-space`. */
  readonly files?: number | undefined
  /** Of one file; more is `vfs-too-large`. */
  readonly fileBytes?: number | undefined
}

/** All limits, those that are not given without end. Throws `config-invalid`. */
export const quotaOf = (limits: QuotaLimits): { readonly [Name in keyof QuotaLimits]-?: number } =>
  amounts(limits, { bytes: Infinity, files: Infinity, fileBytes: Infinity })

/**
 * `vfs` with limits. What is there already counts: it is measured before the first write, and again after a removal or a
 * rename. Writes that go past this wrapper are seen then only. Throws `config-invalid` for a limit that is no number
 * from 0.
 */
export function quota(vfs: Vfs, limits: QuotaLimits & { readonly root?: string | undefined }): Vfs {
  const { root = '/' } = limits
  const { bytes: maxBytes, files: maxEntries, fileBytes } = quotaOf(limits)
  let usage: Space | undefined
  const { maxFileBytes = Infinity } = vfs.capabilities
  const most = Math.min(maxFileBytes, fileBytes)
  const wrapped = intercept(vfs, {
    capabilities: { maxFileBytes: most === Infinity ? undefined : most },
    around: async (call, next, files) => {
      if (call.operation !== 'write' && call.operation !== 'mkdir') {
        if (!call.writes) return next()
        try {
          return await next()
        } finally {
          usage = undefined
        }
      }
      const path = normalizePath(call.path)
      const { signal } = call
      const old = await files.stat(path, { signal })
      const kept = call.append === true ? (old?.size ?? 0) : 0
      const size = kept + (call.size ?? 0)
      if (size > fileBytes)
        throw vfsError('EFBIG', path, { action: 'write', reason: `a file may have ${fileBytes} bytes` })
      usage ??= await measure(files, root, { signal })
      const more = { bytes: size - (old?.size ?? 0), entries: await countMissing(files, path, signal) }
      checkSpace(path, { used: usage, more }, { maxBytes, maxEntries })
      const result = await next()
      if (usage !== undefined) usage = { bytes: usage.bytes + more.bytes, entries: usage.entries + more.entries }
      return result
    },
    change: (change) => change,
  })
  // Or several could pass the check together.
  const inTurn = serial()
  return {
    ...wrapped,
    write: (path, data, options) => inTurn(() => wrapped.write(path, data, options)),
    mkdir: (path, options) => inTurn(() => wrapped.mkdir(path, options)),
    rm: (path, options) => inTurn(() => wrapped.rm(path, options)),
    rename: (from, to, options) => inTurn(() => wrapped.rename(from, to, options)),
  }
}

async function countMissing(vfs: Vfs, path: string, signal: AbortSignal | undefined): Promise<number> {
  let count = 0
  for (let at = path; at !== '/' && (await vfs.stat(at, { signal })) === undefined; at = parentPath(at)) count += 1
  return count
}

async function measure(vfs: Vfs, root: string, options: VfsOperation): Promise<Space> {
  const usage = { bytes: 0, entries: 0 }
  if ((await vfs.stat(root, options))?.type !== 'dir') return usage
  for await (const entry of walk(vfs, root, { ...options, maxEntries: Infinity })) {
    usage.entries += 1
    if (entry.type === 'file') usage.bytes += entry.size ?? (await vfs.stat(entry.path, options))?.size ?? 0
  }
  return usage
}
