// `sameloop/deno`: what an agent gets in Deno.
export { deno } from './preset.ts'
export { directoryFiles } from '../node/files/directory-files.ts'
export type { DirectoryFilesOptions } from '../node/files/directory-files.ts'
export { fileStore } from '../node/store/file-store.ts'
export type { FileStoreOptions } from '../node/store/file-store.ts'
export { shell } from './shell.ts'
export type { Preset, PresetOptions } from '../virtual/environment.ts'
export type { DenoShellOptions } from './shell.ts'
