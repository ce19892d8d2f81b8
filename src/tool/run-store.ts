// The run-store port: where a run's records survive its process.
import type { Json } from '../json/value.ts'
import type { VfsChange } from '../vfs/vfs.ts'

/** One row of a run's log: an event, or a record the run needs to go on (its `type` starts with `journal-`). */
export interface RunRecord {
  readonly seq: number
  readonly type: string
  readonly data: Json
}

export interface AppendOptions {
  /** The last `seq` the writer knows of; another one in the store is a `journal-conflict`. */
  readonly expectSeq: number
  /** The writer's lease; an older one than the store's is a `journal-conflict`. */
  readonly epoch: number
  /** File changes that commit with the records, where files and log are one store. */
  readonly files?: readonly FileChange[] | undefined
}

export interface RunSummary {
  readonly run: string
  readonly lastSeq: number
  readonly epoch: number
}

/** A file as a change leaves it; without `data` it is gone, or a directory. */
export interface FileChange extends VfsChange {
  readonly data?: Uint8Array | undefined
}

/** The log of one run while somebody runs it. */
export interface RunJournal {
  /** Keeps an event, or a record of another type (`journal-…`), for the next append. */
  note(type: string, data: object): void
  /** Appends what was noted, `files` in the same append; `undefined` where nothing is left to write. Rejects with `journal-…`. */
  commit(files?: readonly FileChange[]): Promise<void> | undefined
}

export interface RunStore {
  /** Appends all records or none. */
  append(run: string, records: readonly RunRecord[], options: AppendOptions): Promise<void>
  /** Records with `seq` above `after`, in order. */
  read(run: string, after: number): AsyncIterable<RunRecord>
  /** Takes the run over: the new epoch, above every earlier one. */
  lease(run: string): Promise<number>
  /** Asks to be woken for this run at `at` (milliseconds since the epoch); `undefined` clears it. */
  timer(run: string, at: number | undefined): Promise<void>
  list(): Promise<readonly RunSummary[]>
  delete(run: string): Promise<void>
}
