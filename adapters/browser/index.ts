// `sameloop/browser`: what an agent gets in a web page and its Workers.
export { indexedDbFiles } from './idb/files.ts'
export type { IndexedDbFilesOptions } from './idb/files.ts'
export { indexedDbStore } from './runs/store.ts'
export type { IndexedDbStore, IndexedDbStoreOptions } from './runs/store.ts'
export { browser } from './preset.ts'
export type { BrowserOptions } from './preset.ts'
export type { Preset, PresetOptions } from '../virtual/environment.ts'
