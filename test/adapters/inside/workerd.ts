// The adapters of workerd without Node globals, each under its contract.
import { shell } from '../../../adapters/cloudflare/shell.ts'
import { memoryFiles } from '../../../adapters/virtual/vfs.ts'
import { vfsContract } from '../../../src/testing/contract/vfs.ts'
import { vfsSequences } from '../../../src/testing/contract/vfs-sequences.ts'
import { measured } from './measure.ts'
import { reportOf } from './report.ts'
import { shellSuites } from './shell/suites.ts'
import type { Suite } from './report.ts'

const memory = async () => memoryFiles()

const suites = (): readonly Suite[] => [
  { name: 'memoryFiles', cases: [...vfsContract(memory), ...vfsSequences(memory)] },
  ...shellSuites(() => shell()),
]

export const report = async (): Promise<string> => reportOf(suites(), await measured({}))
