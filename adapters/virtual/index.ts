// `sameloop/virtual`: an environment that needs no runtime.
export { virtual } from './preset.ts'
export { shell } from './shell.ts'
export { memoryFiles } from './vfs.ts'
export type { MemoryFilesOptions } from './vfs.ts'
export type { Preset, PresetOptions } from './environment.ts'
export type { ShellOptions } from './shell.ts'
export { javascript } from './javascript.ts'
export type { JavaScriptOptions } from './javascript.ts'
