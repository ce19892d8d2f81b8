// One place through which all seven operations go: what jail, readOnly, policies and traces are made of.
import { checkBytes } from '../vfs/rule.ts'
import type { Vfs, VfsCapabilities, VfsChange, VfsOperation } from '../vfs/vfs.ts'

export interface VfsCall {
  readonly operation: 'stat' | 'list' | 'read' | 'write' | 'mkdir' | 'rm' | 'rename'
  readonly path: string
  /** Where a rename goes. */
  readonly to?: string | undefined
  readonly writes: boolean
  /** Bytes of a write. */
  readonly size?: number | undefined
  /** Whether a write adds to the end. */
  readonly append?: boolean | undefined
  /** Of `mkdir` and `rm`. */
  readonly recursive?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Interception {
  /** Runs around each operation. `next` goes on, with other paths where they are given; `files` is what lies below. */
  around<Result>(call: VfsCall, next: (path?: string, to?: string) => Promise<Result>, files: Vfs): Promise<Result>
  readonly capabilities?: Partial<VfsCapabilities> | undefined
  /** A change as the wrapper shows it, or `undefined` to hide it. Absent: the wrapper cannot be watched. */
  readonly change?: ((change: VfsChange) => VfsChange | undefined) | undefined
  /** The prefix to watch below, for one given from above. Default: the same. */
  readonly prefix?: ((prefix: string) => string) | undefined
}

type Options = VfsOperation & { readonly recursive?: boolean | undefined }

const looks = (operation: VfsCall['operation'], path: string, options: VfsOperation = {}): VfsCall => ({
  operation,
  path,
  writes: false,
  signal: options.signal,
})

const changes = (operation: VfsCall['operation'], path: string, options: Options = {}): VfsCall => ({
  operation,
  path,
  writes: true,
  recursive: options.recursive,
  signal: options.signal,
})

/** A file system whose every operation passes through `around`. It does not own `vfs`: there is no `dispose`. */
export function intercept(vfs: Vfs, interception: Interception): Vfs {
  const { around, change, prefix: below = (prefix) => prefix } = interception
  const { watch, batch } = vfs
  const watched = watch !== undefined && change !== undefined
  return {
    capabilities: { ...vfs.capabilities, ...interception.capabilities, watch: watched && vfs.capabilities.watch },
    stat: async (path, options) => around(looks('stat', path, options), (at = path) => vfs.stat(at, options), vfs),
    list: async (path, options) => around(looks('list', path, options), (at = path) => vfs.list(at, options), vfs),
    read: async (path, options) => around(looks('read', path, options), (at = path) => vfs.read(at, options), vfs),
    write: async (path, data, options) => {
      checkBytes(path, data)
      const call = { ...changes('write', path, options), size: data.length, append: options?.mode === 'append' }
      return around(call, (at = path) => vfs.write(at, data, options), vfs)
    },
    mkdir: async (path, options) => around(changes('mkdir', path, options), (at = path) => vfs.mkdir(at, options), vfs),
    rm: async (path, options) => around(changes('rm', path, options), (at = path) => vfs.rm(at, options), vfs),
    rename: async (from, to, options) => {
      const call = { ...changes('rename', from, options), to }
      return around(call, (at = from, target = to) => vfs.rename(at, target, options), vfs)
    },
    ...(watched && {
      watch: (prefix, listener) =>
        watch.call(vfs, below(prefix), (seen) => {
          const shown = change(seen)
          if (shown !== undefined) listener(shown)
        }),
    }),
    ...(batch !== undefined && {
      batch: (work) => batch.call(vfs, (inner) => work(intercept(inner, interception))) as ReturnType<typeof work>,
    }),
  }
}
