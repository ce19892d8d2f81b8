// The adapters of Deno, each under its contract.
import { shell } from '../../../adapters/deno/shell.ts'
import { memoryFiles } from '../../../adapters/virtual/vfs.ts'
import { vfsContract } from '../../../src/testing/contract/vfs.ts'
import { vfsSequences } from '../../../src/testing/contract/vfs-sequences.ts'
import { kvSuite } from './disk/kv-cases.ts'
import { diskMeasures, diskSuites } from './disk/suites.ts'
import { javascript } from '../../../adapters/deno/javascript.ts'
import { python } from '../../../adapters/deno/python.ts'
import { pythonSuites } from './code/python-suites.ts'
import { javascriptSuites } from './code/javascript-suites.ts'
import { measure } from './measure.ts'
import { reportOf } from './report.ts'
import { measureShell } from './shell/measure.ts'
import { shellSuites } from './shell/suites.ts'
import { stdioSuite } from './stdio/suite.ts'
import type { Suite } from './report.ts'

const endless = 'Deno ends no Worker that computes: its thread goes on, and the process with it'
const memory = async () => memoryFiles()

const suites = (): readonly Suite[] => [
  { name: 'memoryFiles', cases: [...vfsContract(memory), ...vfsSequences(memory)] },
  ...diskSuites(),
  ...shellSuites(() => shell()),
  stdioSuite(),
  kvSuite(),
  ...javascriptSuites({ make: () => javascript(), endless }),
  ...pythonSuites(() => python()),
]

export async function report(): Promise<string> {
  await measure(diskMeasures)
  await measureShell(() => shell())
  return reportOf(suites())
}
