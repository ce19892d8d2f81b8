import { describe } from 'vitest'
import { memoryFiles } from '../../adapters/virtual/vfs.ts'
import { cow } from '../../src/overlay/cow.ts'
import { vfsContract } from '../../src/testing/contract/vfs.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { jail } from '../../src/wrapper/jail.ts'
import { mount } from '../../src/wrapper/mount.ts'
import { quota } from '../../src/wrapper/quota.ts'
import { holds } from '../contract-tests.ts'

const keeps = (make: () => Vfs, lacks: Parameters<typeof vfsContract>[1] = []): void =>
  holds(vfsContract(async () => make(), lacks))

describe('the vfs contract', () => {
  describe('memory', () => {
    keeps(() => memoryFiles())
  })

  describe('a jail in memory', () => {
    keeps(() => jail(memoryFiles({ files: { '/secret': 'x' } }), '/deep/jail'))
  })

  describe('a quota that is never reached', () => {
    keeps(() => quota(memoryFiles(), { bytes: 2 ** 20 }))
  })

  describe('a mount of memory alone', () => {
    keeps(() => mount({ '/': memoryFiles() }), ['watch'])
  })

  describe('a copy-on-write overlay over memory', () => {
    keeps(() => cow(memoryFiles()), ['watch'])
  })

  describe('an overlay over an overlay over a jail', () => {
    keeps(() => cow(cow(jail(memoryFiles(), '/x'))), ['watch'])
  })
})
