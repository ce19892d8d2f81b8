// What every sandbox must do, as plain functions: an adapter runs them in its own runtime, under any test runner.
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { check, equal, includes } from '../assertion.ts'
import type { ContractCase } from './case.ts'
import { isLacking } from './sandbox-case.ts'
import type { Case, Program, SandboxPrograms, Texts } from './sandbox-case.ts'
import { runCases } from './sandbox-runs.ts'
import { stopCases } from './sandbox-stops.ts'

export type { LackingProgram, SandboxPrograms } from './sandbox-case.ts'

/**
 * The contract of the sandbox port. `make` gives a new sandbox for each case. Cases about programs that are lacking are
 * skipped. Commands that are to be stopped get between 0.3 and 20 seconds; a case takes at most a minute or so.
 */
export function sandboxContract(make: () => Promise<Sandbox>, programs: SandboxPrograms): readonly ContractCase[] {
  const text: Texts = (name) => {
    const program: SandboxPrograms[typeof name] = programs[name]
    if (isLacking(program)) throw new Error(`There is no program "${name}": ${program.lacking}`)
    return program as Program<typeof name>
  }
  const isDeclared: Case = {
    name: 'says what it is, and stops what computes for ever, or not, as declared',
    needs: [],
    check: async ({ kind, languages, isolation, hardKill, describe }) => {
      check(kind.length > 0 && languages.length > 0 && describe().length > 0, 'a kind, a language and a description')
      includes('none interpreter worker isolate container', isolation, 'The isolation')
      equal(hardKill, !isLacking(programs.loop), 'whether it can end what computes for ever')
    },
  }
  return [isDeclared, ...runCases, ...stopCases].map(({ name, needs, check: run }) => ({
    name,
    skipped: needs.map((need) => programs[need]).find(isLacking)?.lacking,
    run: async () => {
      const sandbox = await make()
      try {
        await run(sandbox, text)
      } finally {
        await sandbox.dispose()
      }
    },
  }))
}
