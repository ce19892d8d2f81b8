// The shell of a runtime under its contract and cases of its own: in a Worker, where there is one, and in this thread.
import { shell as threadShell } from '../../../../adapters/virtual/shell.ts'
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { sandboxContract } from '../../../../src/testing/contract/sandbox.ts'
import type { Suite } from '../report.ts'
import { batteryCases } from './battery.ts'
import { ownCases } from './cases.ts'
import { fixtureCases } from './fixtures.ts'
import { hostileCases } from './hostile.ts'
import { networkCases } from './network.ts'
import { shellPrograms } from './programs.ts'

function suiteOf(where: string, make: () => Sandbox): Suite {
  const { hardKill } = make()
  const anew = async (): Promise<Sandbox> => make()
  return {
    name: `shell ${where}`,
    cases: [
      ...sandboxContract(anew, shellPrograms(hardKill)),
      ...ownCases(make),
      ...networkCases(make),
      ...batteryCases(where, make),
    ],
  }
}

const hostileOf = (where: string, make: () => Sandbox): Suite => ({
  name: `hostile scripts ${where}`,
  cases: hostileCases(where, make),
})

const recordedOf = (where: string, make: () => Sandbox): Suite => ({
  name: `recorded commands ${where}`,
  cases: fixtureCases(where, make),
})

/** `own` is what the entry point of the runtime gives. */
export function shellSuites(own: () => Sandbox): readonly Suite[] {
  const thread = 'in this thread'
  const make = () => threadShell()
  const inThread = suiteOf(thread, make)
  if (!own().hardKill) return [inThread, hostileOf(thread, make), recordedOf(thread, make)]
  return [suiteOf('in a Worker', own), hostileOf('in a Worker', own), recordedOf('in a Worker', own), inThread]
}
