// Files of no runtime: in memory, and copy-on-write over any other.
export { cow } from '../../src/vfs/cow.ts'
export type { Overlay } from '../../src/vfs/cow.ts'
export { memoryFiles } from '../../src/vfs/memory.ts'
export type { MemoryFilesOptions } from '../../src/vfs/memory.ts'
