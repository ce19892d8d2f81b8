// The adapters of Node and Bun, each under its contract.
import { shell } from '../../../adapters/node/shell.ts'
import { memoryFiles } from '../../../adapters/virtual/vfs.ts'
import { vfsContract } from '../../../src/testing/contract/vfs.ts'
import { vfsSequences } from '../../../src/testing/contract/vfs-sequences.ts'
import { diskMeasures, diskSuites } from './disk/suites.ts'
import { python } from '../../../adapters/node/python.ts'
import { pythonSuites, withoutPython } from './code/python-suites.ts'
import { javascript } from '../../../adapters/node/javascript.ts'
import { javascriptSuites } from './code/javascript-suites.ts'
import { measure } from './measure.ts'
import { reportOf } from './report.ts'
import { measureShell } from './shell/measure.ts'
import { shellSuites } from './shell/suites.ts'
import { stdioSuite } from './stdio/suite.ts'
import type { Suite } from './report.ts'

/** What a program computes within one call of a built-in function. */
const bun = 'Bun ends a Worker that computes only when it calls out'
const memory = async () => memoryFiles()

const suites = (): readonly Suite[] => [
  { name: 'memoryFiles', cases: [...vfsContract(memory), ...vfsSequences(memory)] },
  ...diskSuites(),
  ...shellSuites(() => shell()),
  stdioSuite(),
  ...javascriptSuites({ make: () => javascript(), endless: 'Bun' in globalThis ? bun : undefined }),
  ...('Bun' in globalThis ? withoutPython('Bun has no permission model') : pythonSuites(() => python())),
]

export async function report(): Promise<string> {
  await measure(diskMeasures)
  await measureShell(() => shell())
  return reportOf(suites())
}
