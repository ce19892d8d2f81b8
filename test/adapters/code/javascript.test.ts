import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { javascript as inWorker } from '../../../adapters/node/javascript.ts'
import { javascript as inThread } from '../../../adapters/virtual/javascript.ts'
import type { ContractCase } from '../../../src/testing/contract/case.ts'
import { sandboxContract } from '../../../src/testing/contract/sandbox.ts'
import { memoryFiles } from '../../../src/vfs/memory.ts'
import { writeText } from '../../../src/vfs/text.ts'
import { agentCases } from '../inside/code/javascript-agent.ts'
import { javascriptCases } from '../inside/code/javascript-cases.ts'
import { hostileCases } from '../inside/code/javascript-hostile.ts'
import { inThreadPrograms, javascriptPrograms } from '../inside/code/javascript-programs.ts'
import { nodeScript } from './node-script.ts'
import type { Script } from './node-script.ts'
import { holds } from '../../contract-tests.ts'

const limitMs = 60_000

const keeps = (cases: readonly ContractCase[]): void => holds(cases, { timeout: limitMs })

describe('javascript() in this thread', () => {
  keeps(sandboxContract(async () => inThread(), inThreadPrograms))
  keeps([...javascriptCases(() => inThread()), ...agentCases(() => inThread())])
  keeps(hostileCases({ make: () => inThread(), isWorker: false }))

  it('lists a directory of 10,000 entries, and no larger one', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => [`/d/${index}`, ''])
    const fs = memoryFiles({ files: Object.fromEntries(names) as Record<string, string> })
    const command = 'return (await fs.list("/d")).length'
    expect((await inThread().exec({ command, fs })).stdout).toBe('10000\n')
    await writeText(fs, '/d/more', '')
    expect((await inThread().exec({ command, fs })).stderr).toContain('more than 10000 entries')
  })

  it.each([
    ['returns', 'return (3n ** 1000000n) % 7n === 1n'],
    ['exits', 'const left = (3n ** 1000000n) % 7n; exit(0)'],
    ['throws', 'throw new Error(String((3n ** 1000000n) % 7n))'],
  ])('ends as late what one call of a built-in function took past its time, though it %s', async (_, command) => {
    const { exitCode, stopped, stdout, stderr } = await inThread().exec({ command, timeoutMs: 1 })
    expect([exitCode, stopped, stdout, stderr]).toEqual([124, 'timeout', '', ''])
  })

  it('has no end of its time where it is given none', async () => {
    const sandbox = inThread()
    expect((await sandbox.exec({ command: 'return 1', timeoutMs: Infinity })).stdout).toBe('1\n')
    await expect(sandbox.exec({ command: 'return 1', timeoutMs: NaN })).rejects.toMatchObject({
      code: 'config-invalid',
    })
  })

  it('keeps the limits it is given', async () => {
    const sandbox = inThread({ limits: { steps: 100_000, memoryBytes: 2 ** 21 } })
    const looped = await sandbox.exec({ command: 'for (let at = 0; at < 1e6; at++);' })
    expect([looped.exitCode, looped.stopped]).toEqual([126, 'limit'])
    expect(looped.stderr).toContain('100000 steps')
    const held = await sandbox.exec({ command: 'return new Uint8Array(2 ** 22).length' })
    expect([held.exitCode, held.stopped]).toEqual([1, 'limit'])
    expect(() => inThread({ limits: { steps: -1 } })).toThrow('steps: wanted a number from 1')
  })
})

describe('javascript() of Node', () => {
  let script: Script
  beforeAll(async () => {
    script = await nodeScript()
  })
  afterAll(() => script.remove())
  const make = () => inWorker({ workerUrl: script.url })
  keeps(sandboxContract(async () => make(), javascriptPrograms))
  keeps([...javascriptCases(make), ...agentCases(make)])
})
