// The adapters of workerd without Node globals, each under its contract.
import { shell } from '../../../adapters/cloudflare/shell.ts'
import { javascript } from '../../../adapters/cloudflare/javascript.ts'
import { memoryFiles } from '../../../adapters/virtual/vfs.ts'
import { vfsContract } from '../../../src/testing/contract/vfs.ts'
import { vfsSequences } from '../../../src/testing/contract/vfs-sequences.ts'
// @ts-expect-error workerd gives a module of WebAssembly, which TypeScript does not know
import wasm from './quickjs.wasm'
import { javascriptSuites } from './code/javascript-suites.ts'
import { measure } from './measure.ts'
import { reportOf } from './report.ts'
import { measureShell } from './shell/measure.ts'
import { shellSuites } from './shell/suites.ts'
import type { Suite } from './report.ts'

const memory = async () => memoryFiles()

const suites = (): readonly Suite[] => [
  { name: 'memoryFiles', cases: [...vfsContract(memory), ...vfsSequences(memory)] },
  ...shellSuites(() => shell()),
  ...javascriptSuites({ make: () => javascript({ wasm }) }),
]

export async function report(): Promise<string> {
  await measure({})
  await measureShell(() => shell())
  return reportOf(suites())
}
