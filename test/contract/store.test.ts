import { describe, it } from 'vitest'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { runStore } from '../../src/journal/run-store.ts'
import { storeContract } from '../../src/testing/contract/store.ts'
import type { StoreAbility, StoreUnderTest } from '../../src/testing/contract/store.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'

function holds(make: () => StoreUnderTest, lacks: readonly StoreAbility[]): void {
  for (const { name, skipped, run } of storeContract(async () => make(), lacks)) it.skipIf(skipped)(name, run)
}

describe('the store contract', () => {
  describe('memory', () => {
    holds(() => {
      const store = memoryStore()
      return { store, reopen: async () => runStore(store) }
    }, ['files'])
  })

  describe('memory with files', () => {
    holds(() => ({ store: memoryStore({ files: memoryFiles() }) }), ['reopen'])
  })
})
