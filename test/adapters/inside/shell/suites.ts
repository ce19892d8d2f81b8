// The shell of a runtime under its contract and cases of its own: in a Worker, where there is one, and in this thread.
import { shell as threadShell } from '../../../../adapters/virtual/shell.ts'
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { sandboxContract } from '../../../../src/testing/contract/sandbox.ts'
import type { Suite } from '../report.ts'
import { ownCases } from './cases.ts'
import { shellPrograms } from './programs.ts'

function suitesOf(where: string, make: () => Sandbox): readonly Suite[] {
  const { hardKill } = make()
  const anew = async (): Promise<Sandbox> => make()
  return [{ name: `shell ${where}`, cases: [...sandboxContract(anew, shellPrograms(hardKill)), ...ownCases(make)] }]
}

/** `own` is what the entry point of the runtime gives. Lines about figures are put into `lines` as they come. */
export function shellSuites(own: () => Sandbox): readonly Suite[] {
  const inThread = suitesOf('in this thread', () => threadShell())
  return own().hardKill ? [...suitesOf('in a Worker', own), ...inThread] : inThread
}
