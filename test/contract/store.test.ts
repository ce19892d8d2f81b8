import { describe } from 'vitest'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { runStore } from '../../src/journal/run-store.ts'
import { storeContract } from '../../src/testing/contract/store.ts'
import type { StoreAbility, StoreUnderTest } from '../../src/testing/contract/store.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { holds } from '../contract-tests.ts'

const keeps = (make: () => StoreUnderTest, lacks: readonly StoreAbility[]): void =>
  holds(storeContract(async () => make(), lacks))

describe('the store contract', () => {
  describe('memory', () => {
    keeps(() => {
      const store = memoryStore()
      return { store, reopen: async () => runStore(store) }
    }, ['files'])
  })

  describe('memory with files', () => {
    keeps(() => ({ store: memoryStore({ files: memoryFiles() }) }), ['reopen'])
  })
})
