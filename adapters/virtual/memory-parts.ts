// Files and logs in memory, for the presets that have no place of their own to keep them.
import { memoryStore } from '../../src/journal/memory-store.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import type { PresetParts } from './environment.ts'

export const memoryParts: PresetParts = {
  fs: ({ now }, { files }) => memoryFiles({ now, files }),
  store: (files) => memoryStore({ files }),
}
