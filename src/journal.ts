// `sameloop/journal`: keeping runs and snapshots.
export { memoryStore } from './journal/memory-store.ts'
export type { MemoryStoreOptions } from './journal/memory-store.ts'
export { runStore } from './journal/run-store.ts'
export { signed } from './journal/signed.ts'
export type {
  AppendOptions,
  FileChange,
  FileWork,
  Lease,
  Opening,
  RunJournal,
  RunRecord,
  RunStorage,
  RunStore,
  RunSummary,
} from './tool/run-store.ts'
