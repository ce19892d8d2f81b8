import { describe, expect, it } from 'vitest'
import { inThread } from '../../src/confined/in-thread.ts'
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
})
