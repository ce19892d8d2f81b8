import { afterAll, beforeAll, describe } from 'vitest'
import { shell } from '../../../adapters/node/shell.ts'
import { shell as threadShell } from '../../../adapters/virtual/shell.ts'
import { sandboxContract } from '../../../src/testing/contract/sandbox.ts'
import type { SandboxPrograms } from '../../../src/testing/contract/sandbox.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { ownCases } from '../inside/shell/cases.ts'
import { networkCases } from '../inside/shell/network.ts'
import { shellPrograms } from '../inside/shell/programs.ts'
import { builtShell } from './bundle.ts'
import type { BuiltShell } from './bundle.ts'
import { holds } from '../../contract-tests.ts'

let built: BuiltShell
beforeAll(async () => {
  built = await builtShell()
})
afterAll(() => built.remove())

function keeps(make: () => Sandbox, programs: SandboxPrograms): void {
  const cases = [...sandboxContract(async () => make(), programs), ...ownCases(make), ...networkCases(make)]
  holds(cases, { timeout: 60_000 })
}

describe('the shell', () => {
  describe('in a Worker of Node', () => keeps(() => shell({ workerUrl: built.workerUrl }), shellPrograms(true)))
  describe('in this thread', () => keeps(() => threadShell({ load: built.hosted }), shellPrograms(false)))
})
