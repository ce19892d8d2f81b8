// The adapters of disks, each under its contract, for Node, Bun and Deno.
import { vfsContract } from '../../../../src/testing/contract/vfs.ts'
import { vfsSequences } from '../../../../src/testing/contract/vfs-sequences.ts'
import type { Suite } from '../report.ts'
import { directoryCases } from './directory-cases.ts'
import { freshFiles } from './scratch.ts'

export const diskSuites = (): readonly Suite[] => [
  {
    name: 'directoryFiles',
    cases: [...vfsContract(freshFiles, ['watch']), ...vfsSequences(freshFiles), ...directoryCases],
  },
]

/** What `--measure` prints figures of. */
export const diskMeasures = { directoryFiles: freshFiles }
