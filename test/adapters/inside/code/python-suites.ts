// The suites of `python` for one runtime. A start takes time: all of the contract is in the long run.
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { sandboxContract } from '../../../../src/testing/contract/sandbox.ts'
import { contractCase } from '../report.ts'
import type { Suite } from '../report.ts'
import { sampled } from '../sampled.ts'
import { pythonCases } from './python-cases.ts'
import { pythonHostileCases } from './python-hostile.ts'
import { pythonPrograms } from './python-programs.ts'

export const pythonSuites = (make: () => Sandbox): readonly Suite[] => [
  { name: 'python', cases: sampled([...pythonCases(make), ...sandboxContract(async () => make(), pythonPrograms)]) },
  { name: 'python, hostile', cases: pythonHostileCases(make) },
]

/** Where there is no Python. */
export const withoutPython = (why: string): readonly Suite[] => [
  { name: 'python', cases: [contractCase('runs programs in Python', async () => {}, why)] },
]
