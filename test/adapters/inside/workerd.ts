// The adapters of workerd without Node globals, each under its contract.
import { memoryFiles } from '../../../adapters/virtual/vfs.ts'
import { vfsContract } from '../../../src/testing/contract/vfs.ts'
import { reportOf } from './report.ts'
import type { Suite } from './report.ts'

const suites = (): readonly Suite[] => [{ name: 'memoryFiles', cases: vfsContract(async () => memoryFiles()) }]

export const report = (): Promise<string> => reportOf(suites())
