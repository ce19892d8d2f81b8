// Files of no runtime: in memory, and copy-on-write over any other.
export { cow } from '../../src/overlay/cow.ts'
export type { Overlay } from '../../src/overlay/cow.ts'
export { memoryFiles } from '../../src/vfs/memory.ts'
export type { MemoryFilesOptions } from '../../src/vfs/memory.ts'
