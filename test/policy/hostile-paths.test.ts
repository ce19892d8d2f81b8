// Spellings of a protected path.
import { describe, expect, it } from 'vitest'
import { policy } from '../../src/policy/policy.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'

describe('a protected path', () => {
  it.each(['/.SSH/id', '/.\u017fsh/id', '/.s\u200csh/id', '/\u00adSTRASSE', '/stra\u00dfe/x'])(
    'is protected as %j, which some file systems take for it',
    async (path) => {
      const files = policy({ protectedPaths: ['.ssh', 'straße'] }).confineFiles(memoryFiles())
      await expect(files.write(path, new Uint8Array(), { parents: true })).rejects.toMatchObject({ code: 'vfs-denied' })
    },
  )
})
