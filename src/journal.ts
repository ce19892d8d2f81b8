// `sameloop/journal`: runs that outlive their process, and what can be done with their logs.
export { readLog } from './journal/log.ts'
export type { LogRecord } from './journal/log.ts'
export { memoryStore } from './journal/memory-store.ts'
export type { MemoryStoreOptions } from './journal/memory-store.ts'
export { runStore } from './journal/run-store.ts'
export { signed } from './journal/signed.ts'
export { exportRun, importRun } from './recovery/file.ts'
export type { ExportOptions, RunFile } from './recovery/file.ts'
export { fork } from './recovery/fork.ts'
export type { ForkChanges } from './recovery/fork.ts'
export { recover } from './recovery/recover.ts'
export type { RecoverOptions, Runner } from './recovery/recover.ts'
export { session } from './recovery/session.ts'
export type { SendOptions, Session, SessionOptions } from './recovery/session.ts'
export type { FileChange } from './overlay/change.ts'
export { replay } from './replay/replay.ts'
export type { Replayed } from './replay/replay.ts'
export type {
  AppendOptions,
  FileWork,
  Lease,
  Opening,
  RunJournal,
  RunRecord,
  RunStorage,
  RunStore,
  RunSummary,
} from './tool/run-store.ts'
