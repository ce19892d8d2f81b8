// Files of no runtime: in memory.
export { memoryFiles } from '../../src/vfs/memory.ts'
export type { MemoryFilesOptions } from '../../src/vfs/memory.ts'
