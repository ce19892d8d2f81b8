// The run-store port: where a run's log survives its process.
import type { Json } from '../json/value.ts'
import type { Host } from '../host/host.ts'
import type { FileChange } from '../overlay/change.ts'
import type { Vfs } from '../vfs/vfs.ts'

/** One row of a run's log: an event, or a record the run needs to go on (its `type` starts with `journal-`). */
export interface RunRecord {
  /** Counts up from 1, without gaps. */
  readonly seq: number
  readonly type: string
  /** JSON text. */
  readonly data: string
}

export interface AppendOptions {
  /** The last `seq` the writer knows of; another one in the store is a `journal-conflict`. */
  readonly expectSeq: number
  /** The writer's lease; an older one than the store's is a `journal-conflict`. */
  readonly epoch: number
  /** Changes to the store's own `files` that commit with the records. */
  readonly files?: readonly FileChange[] | undefined
}

export interface Lease {
  /** Above every earlier one of this run. */
  readonly epoch: number
  /** Of the last record; 0 where there is none. */
  readonly lastSeq: number
}

export interface RunSummary {
  readonly run: string
  readonly lastSeq: number
  readonly epoch: number
}

/** What an adapter implements; `runStore(…)` of `sameloop/journal` makes a store of it. */
export interface RunStorage {
  /** Files that are one store with the log, so that both change together or not at all. */
  readonly files?: Vfs | undefined
  /** Appends all records, and changes all files, or none. */
  append(run: string, records: readonly RunRecord[], options: AppendOptions): Promise<void>
  /** Records with `seq` above `after`, in order. */
  read(run: string, after: number): AsyncIterable<RunRecord>
  /** The last record, if there is one. */
  last(run: string): Promise<RunRecord | undefined>
  /** Takes the run over: who wrote before cannot any more. */
  lease(run: string): Promise<Lease>
  /** Asks to be woken for this run at `at` (milliseconds since the epoch); `undefined` clears it. */
  timer(run: string, at: number | undefined): Promise<void>
  list(): Promise<readonly RunSummary[]>
  delete(run: string): Promise<void>
}

/** Where a log begins, or goes on. */
export interface Opening {
  readonly driver: string
  /** Of the last event so far. */
  readonly seq: number
  /** What the run begins with; asked for where the log does not have it. */
  readonly snapshot: () => Json
  /** What is new since the snapshot. */
  readonly input?: Json | undefined
  /** The how manieth try after a crash this is. Absent where the run was not interrupted. */
  readonly recovery?: number | undefined
  /** The snapshot counts, whatever the log says. */
  readonly isImport?: boolean | undefined
  readonly host: Host
}

/** Files as one call sees and changes them. */
export interface FileWork {
  readonly fs: Vfs
  /** What is to be changed for it, once nobody else is about to. Rejects with `vfs-conflict` where others changed the same. */
  changes(): Promise<readonly FileChange[]>
  /** The changes are written, or dropped. */
  release(): void
}

/** The log of one run while somebody runs it. */
export interface RunJournal {
  /** Files that commit with the log, where the store has such files and they are these. */
  work(files: Vfs | undefined): FileWork | undefined
  /** Rejects with `run-snapshot-used` where the run has gone on from there already, and with `journal-…`. */
  readonly opened: Promise<void>
  /** Keeps an event, or a record of another type (`journal-…`), for the next append. */
  note(type: string, data: object): void
  /** Appends what was noted, `files` in the same append; `undefined` where nothing is left to write. Rejects with `journal-…`. */
  commit(files?: readonly FileChange[]): Promise<void> | undefined
}

export interface RunStore extends RunStorage {
  /** Begins the log of a run, or goes on with it, and takes it over. */
  open(run: string, opening: Opening): RunJournal
}
