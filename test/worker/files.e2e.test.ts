// The files of a Durable Object, and the preset around them, in workerd.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { virtual } from '../../adapters/virtual/index.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { storeContract } from '../../src/testing/contract/store.ts'
import { vfsContract } from '../../src/testing/contract/vfs.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { swap } from '../adapters/swap.ts'
import { workshop } from './workerd.ts'
import type { Workshop } from './workerd.ts'
import { nameOf } from '../contract-tests.ts'

let shop: Workshop
let url = ''
let contract: Readonly<Record<string, string>>
let stores: Readonly<Record<string, string>>

const ask = async (path: string): Promise<any> => (await fetch(url + path)).json()

beforeAll(async () => {
  shop = await workshop('probe.ts', { PROBE: 'Probe' })
  url = (await shop.serve()).url
  contract = await ask('/contract')
  stores = await ask('/store')
})
afterAll(() => shop?.close())

describe('the vfs contract over the SQLite of a Durable Object', () => {
  for (const one of vfsContract(async () => memoryFiles(), ['watch'])) {
    it.skipIf(one.skipped !== undefined)(nameOf(one), () => {
      expect(contract[one.name]).toBe('kept')
    })
  }
})

describe('sqliteFiles()', () => {
  it('keeps files that span several rows: ranges, appends, renames and shorter contents', async () => {
    expect(await ask('/large')).toEqual({
      read: [true, true, true, true, true],
      appended: true,
      moved: true,
      shorter: [9, 40, 71],
    })
  })

  it('holds to its limits, and what is removed makes room', async () => {
    const [space, large] = ['vfs-no-space', 'vfs-too-large']
    const { answers, files } = await ask('/limits')
    expect(answers).toEqual([
      large,
      'went through',
      space,
      'went through',
      'went through',
      space,
      'went through',
      space,
      space,
      'went through',
      'went through',
      'vfs-no-space',
    ])
    expect(files).toBe(3)
  })

  it('makes all of a batch or nothing, and nothing over what somebody else changed meanwhile', async () => {
    expect(await ask('/batch')).toEqual({
      tooLarge: 'vfs-no-space',
      commit: 'vfs-no-space',
      conflict: 'vfs-conflict',
      untouched: true,
      done: true,
    })
  })

  it('is one with another over the same storage, and seeds only once', async () => {
    expect(await ask('/two')).toEqual(['new.txt'])
  })
})

describe('the store contract over the SQLite of a Durable Object, files in the same transaction', () => {
  for (const one of storeContract(async () => ({ store: memoryStore() }))) {
    it.skipIf(one.skipped !== undefined)(nameOf(one), () => {
      expect(stores[one.name]).toBe('kept')
    })
  }

  it('removes all of a run, long records too', async () => {
    expect(await ask('/left')).toEqual({ count: 0 })
  })
})

describe('cloudflare()', () => {
  it('may stand in the place of virtual: the traces are equal', async () => {
    expect(await ask('/swap')).toEqual(await swap(virtual))
  })
})
