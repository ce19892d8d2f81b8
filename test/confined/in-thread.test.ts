import { describe, expect, it } from 'vitest'
import { inThread } from '../../src/confined/in-thread.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { testHost } from '../host.ts'
import { toy, toyFacts } from './toy.ts'

const make = (options = {}) => inThread({ ...toyFacts, load: async () => toy(), ...options })

describe('inThread()', () => {
  it('runs a program', async () => {
    expect(await make().exec({ command: 'print hello\nwarn oh\nexit 3' })).toMatchObject({
      exitCode: 3,
      stdout: 'hello\n',
      stderr: 'oh\n',
    })
  })
  it('keeps files and the working directory from command to command', async () => {
    const sandbox = make()
    await sandbox.exec({ command: 'write a/b hello\ncd a' })
    expect((await sandbox.exec({ command: 'pwd\nread b' })).stdout).toBe('/a\nhello')
  })
  it('waits for files that never answer no longer than half a minute, with the changes of an atomic command too', async () => {
    const host = testHost()
    const fs = { ...memoryFiles(), write: () => new Promise<never>(() => {}) }
    const result = make({ host }).exec({ command: 'write a b', fs, atomic: true })
    await host.advance(40_000)
    const { exitCode, stderr, changes } = await result
    expect([exitCode, changes]).toEqual([1, []])
    expect(stderr).toContain('whether the changes were kept is not known')
  })
})
