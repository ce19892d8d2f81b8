// `sameloop/node`: what an agent gets in Node and Bun.
export { directoryFiles } from './files/directory-files.ts'
export type { DirectoryFilesOptions } from './files/directory-files.ts'
export { node } from './preset.ts'
export { fileStore } from './store/file-store.ts'
export type { FileStoreOptions } from './store/file-store.ts'
export { shell } from './shell.ts'
export type { Preset, PresetOptions } from '../virtual/environment.ts'
export type { NodeShellOptions } from './shell.ts'
