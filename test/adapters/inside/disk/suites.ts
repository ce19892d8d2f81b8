// The adapters of disks, each under its contract, for Node, Bun and Deno.
import { sandboxContract } from '../../../../src/testing/contract/sandbox.ts'
import { storeContract } from '../../../../src/testing/contract/store.ts'
import { vfsContract } from '../../../../src/testing/contract/vfs.ts'
import { vfsSequences } from '../../../../src/testing/contract/vfs-sequences.ts'
import type { Suite } from '../report.ts'
import { crashCases } from '../crash/crash-cases.ts'
import { directoryCases } from './directory-cases.ts'
import { faultCases } from './fault-cases.ts'
import { freshFiles } from './scratch.ts'
import { freshShell, shellCases, shellPrograms } from './shell-cases.ts'
import { storeCases, storeOnDisk } from './store-cases.ts'

export const diskSuites = (): readonly Suite[] => [
  {
    name: 'directoryFiles',
    cases: [...vfsContract(freshFiles, ['watch']), ...vfsSequences(freshFiles), ...directoryCases],
  },
  { name: 'fileStore', cases: [...storeContract(storeOnDisk), ...storeCases] },
  { name: 'disks that fail', cases: faultCases },
  { name: 'processes that are killed', cases: crashCases },
  { name: 'hostShell', cases: [...sandboxContract(freshShell, shellPrograms), ...shellCases] },
]

/** What `--measure` prints figures of. */
export const diskMeasures = { directoryFiles: freshFiles }
