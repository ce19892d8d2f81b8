// The tables of the database: their rows, and how each version of them comes from the one before.

/** A file or a directory, under the key `[path of its directory, name]`; the root under `["/", ""]`. */
export interface EntryRow {
  readonly name: string
  readonly type: 'file' | 'dir'
  /** Bytes; 0 for a directory. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly mtime: number
  /** Another one after each write; 0 for a directory. */
  readonly version: number
  /** Under which its chunks are kept, wherever it is moved; 0 for a directory. */
  readonly content: number
}

export interface RunRow {
  readonly run: string
  readonly epoch: number
  readonly lastSeq: number
  /** Milliseconds since the epoch. */
  readonly wakeAt?: number | undefined
}

/**
 * `entries` as above; `chunks` of at most 1 MiB by `[content, part]`; `counters` by name; `runs` by name; `records` by
 * `[run, seq]`.
 */
export const tables = ['entries', 'chunks', 'counters', 'runs', 'records'] as const

/** Those that hold files. */
export const fileTables = ['entries', 'chunks', 'counters'] as const

export type Table = (typeof tables)[number]

/** What makes version 1, 2, … of the one before. They run in one transaction: all of them, or none. */
const steps: readonly ((database: IDBDatabase) => void)[] = [
  (database) => {
    for (const table of tables) database.createObjectStore(table)
  },
]

/** The version of the tables that this code knows. */
export const tableVersion: number = steps.length

/** Brings tables of `version` (0: there are none) to today's. */
export function migrate(database: IDBDatabase, version: number): void {
  for (const step of steps.slice(version)) step(database)
}
