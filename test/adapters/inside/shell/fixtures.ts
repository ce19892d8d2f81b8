// Commands with what a real bash printed when they were recorded: at least as many alike as of the package alone in Node.
import { check } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { memoryFiles } from '../../../../src/vfs/memory.ts'
import { say } from '../report.ts'
import type { MakeShell } from './case.ts'

export interface Fixture {
  readonly command: string
  readonly files: Readonly<Record<string, string>>
  readonly stdout: string
  readonly exitCode: number
}

/** Put in by the bundler; nothing where they are not there. */
declare const SHELL_FIXTURES: readonly Fixture[] | null

/** Of 778. */
const least = 769
/** So many in one case: a slow runtime is not taken for one that hangs. */
const perCase = 100

async function isAlike(sandbox: Sandbox, { command, files, stdout, exitCode }: Fixture): Promise<boolean> {
  const placed = Object.entries(files).map(([path, text]) => [`/w/${path}`, text])
  const fs = memoryFiles({ files: { '/w/.made': '', ...Object.fromEntries(placed) } })
  await fs.rm('/w/.made')
  const result = await sandbox.exec({ command, fs, cwd: '/w', timeoutMs: 20_000 })
  return result.exitCode === exitCode && result.stdout === stdout
}

export function fixtureCases(where: string, make: MakeShell): readonly ContractCase[] {
  const fixtures = SHELL_FIXTURES
  const name = `answers at least ${least} recorded commands as the bash did that was recorded`
  if (fixtures === null)
    return [{ name, skipped: 'the recorded commands are not beside the repository', run: async () => {} }]
  let alike = 0
  const parts = Array.from({ length: Math.ceil(fixtures.length / perCase) }, (_, index) => index * perCase)
  return [
    ...parts.map((from) => ({
      name: `answers recorded commands from ${from} on`,
      skipped: undefined,
      run: async () => {
        const sandbox = make()
        for (const fixture of fixtures.slice(from, from + perCase)) if (await isAlike(sandbox, fixture)) alike++
        await sandbox.dispose()
      },
    })),
    {
      name,
      skipped: undefined,
      run: async () => {
        say(`shell ${where}: ${alike} of ${fixtures.length} recorded commands as a real bash`)
        check(alike >= least, `${least} of them alike, got ${alike}`)
      },
    },
  ]
}
