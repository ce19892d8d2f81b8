// The file-system port. Paths are absolute, separated by "/", and already normalised (see path.ts).

export interface VfsStat {
  readonly path: string
  readonly type: 'file' | 'dir'
  /** Bytes; 0 for a directory. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly mtime: number
  /** Opaque; changes on every write. */
  readonly etag?: string | undefined
  readonly mime?: string | undefined
  /** Set by `trusted()` alone: what the file says counts as instructions. */
  readonly trusted?: boolean | undefined
}

export interface VfsEntry {
  readonly name: string
  readonly type: 'file' | 'dir'
  readonly size?: number | undefined
  readonly mtime?: number | undefined
}

export interface VfsOperation {
  readonly signal?: AbortSignal | undefined
}

export interface VfsCapabilities {
  readonly name: string
  readonly persistent: boolean
  readonly readOnly: boolean
  readonly atomicRename: boolean
  /** Whether `ifMatch` is honoured atomically. */
  readonly cas: boolean
  readonly append: 'native' | 'rewrite'
  readonly watch: boolean
  readonly maxFileBytes?: number | undefined
  /** Where a caller's relative paths count from; set by a policy's confinement. Default "/". */
  readonly root?: string | undefined
}

export interface VfsWriteOptions extends VfsOperation {
  /** `overwrite` (default), `create` (fails with `vfs-exists`), or `append`. */
  readonly mode?: 'overwrite' | 'create' | 'append' | undefined
  /** Make missing directories. Default false. */
  readonly parents?: boolean | undefined
  /** Write only if the file's etag is this one, else `vfs-conflict`. */
  readonly ifMatch?: string | undefined
}

export interface VfsChange {
  readonly type: 'add' | 'modify' | 'delete'
  readonly path: string
}

/** What an adapter implements. A write is whole or not at all; errors are `SameloopError`s with a `vfs-` code. */
export interface Vfs {
  readonly capabilities: VfsCapabilities
  /** `undefined` where nothing is; never throws for that. */
  stat(path: string, options?: VfsOperation): Promise<VfsStat | undefined>
  /** Entries sorted by code unit; `cursor` continues where `limit` cut. `vfs-invalid` for a `limit` that is no number from 0. */
  list(
    path: string,
    options?: VfsOperation & { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  ): Promise<{ readonly entries: readonly VfsEntry[]; readonly cursor?: string | undefined }>
  /** The bytes from `offset`, as far as they are there. `vfs-invalid` for a range that is none. */
  read(
    path: string,
    options?: VfsOperation & { readonly offset?: number | undefined; readonly length?: number | undefined },
  ): Promise<Uint8Array>
  write(path: string, data: Uint8Array, options?: VfsWriteOptions): Promise<VfsStat>
  mkdir(path: string, options?: VfsOperation & { readonly recursive?: boolean | undefined }): Promise<void>
  rm(
    path: string,
    options?: VfsOperation & { readonly recursive?: boolean | undefined; readonly force?: boolean | undefined },
  ): Promise<void>
  rename(from: string, to: string, options?: VfsOperation): Promise<void>
  watch?(prefix: string, listener: (change: VfsChange) => void): () => void
  batch?<T>(work: (vfs: Vfs) => Promise<T>): Promise<T>
  dispose?(): Promise<void>
}
