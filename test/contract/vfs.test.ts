import { describe, it } from 'vitest'
import { memoryFiles } from '../../adapters/virtual/vfs.ts'
import { cow } from '../../src/overlay/cow.ts'
import { vfsContract } from '../../src/testing/contract/vfs.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { jail } from '../../src/wrapper/jail.ts'
import { mount } from '../../src/wrapper/mount.ts'
import { quota } from '../../src/wrapper/quota.ts'

function holds(make: () => Vfs, lacks: Parameters<typeof vfsContract>[1] = []): void {
  for (const { name, skipped, run } of vfsContract(async () => make(), lacks)) it.skipIf(skipped)(name, run)
}

describe('the vfs contract', () => {
  describe('memory', () => {
    holds(() => memoryFiles())
  })

  describe('a jail in memory', () => {
    holds(() => jail(memoryFiles({ files: { '/secret': 'x' } }), '/deep/jail'))
  })

  describe('a quota that is never reached', () => {
    holds(() => quota(memoryFiles(), { bytes: 2 ** 20 }))
  })

  describe('a mount of memory alone', () => {
    holds(() => mount({ '/': memoryFiles() }), ['watch'])
  })

  describe('a copy-on-write overlay over memory', () => {
    holds(() => cow(memoryFiles()), ['watch'])
  })

  describe('an overlay over an overlay over a jail', () => {
    holds(() => cow(cow(jail(memoryFiles(), '/x'))), ['watch'])
  })
})
