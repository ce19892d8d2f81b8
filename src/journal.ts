// `sameloop/journal`: keeping runs and snapshots.
export { memoryStore } from './journal/memory-store.ts'
export { signed } from './journal/signed.ts'
