import { describe, it } from 'vitest'
import { memoryFiles } from '../../adapters/virtual/vfs.ts'
import { vfsContract } from '../../src/testing/contract/vfs.ts'
import { cow } from '../../src/overlay/cow.ts'
import { jail } from '../../src/wrapper/jail.ts'

describe('the vfs contract', () => {
  describe('memory', () => {
    it.each(vfsContract(async () => memoryFiles()))('$name', (promise) => promise.run())
  })

  describe('a jail in memory', () => {
    it.each(vfsContract(async () => jail(memoryFiles({ files: { '/secret': 'x' } }), '/deep/jail')))(
      '$name',
      (promise) => promise.run(),
    )
  })

  describe('a copy-on-write overlay over memory', () => {
    it.each(vfsContract(async () => cow(memoryFiles())))('$name', (promise) => promise.run())
  })

  describe('an overlay over an overlay over a jail', () => {
    it.each(vfsContract(async () => cow(cow(jail(memoryFiles(), '/x')))))('$name', (promise) => promise.run())
  })
})
