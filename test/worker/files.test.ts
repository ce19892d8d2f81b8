// The files of a Durable Object, in workerd.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { vfsContract } from '../../src/testing/contract/vfs.ts'
import { workshop } from './workerd.ts'
import type { Workshop } from './workerd.ts'

let shop: Workshop
let report: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  shop = await workshop('contract.ts', { PROBE: 'Probe' })
  const { url } = await shop.serve()
  report = (await (await fetch(url)).json()) as typeof report
})
afterAll(() => shop?.close())

describe('the vfs contract over the SQLite of a Durable Object', () => {
  it.each(vfsContract(async () => memoryFiles()))('$name', ({ name }) => {
    expect(report[name]).toBe('kept')
  })
})
