// What the shell's own cases are made of.
import { equal } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import type { ExecRequest, Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { memoryFiles } from '../../../../src/vfs/memory.ts'
import type { Vfs } from '../../../../src/vfs/vfs.ts'

export type MakeShell = () => Sandbox

export interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

export type Run = (command: string, request?: Partial<ExecRequest>) => Promise<Ran>

/** A case with a new shell over new files. */
export const shellCase =
  (make: MakeShell) =>
  (name: string, check: (run: Run, fs: Vfs) => Promise<void>): ContractCase => ({
    name,
    run: async () => {
      const [sandbox, fs] = [
        make(),
        memoryFiles({ files: { '/w/a.txt': 'one\ntwo\nthree\n', '/w/b.txt': 'one\n2\n' } }),
      ]
      try {
        await check((command, request) => sandbox.exec({ command, fs, cwd: '/w', ...request }), fs)
      } finally {
        await sandbox.dispose()
      }
    },
    skipped: undefined,
  })

/** Each command prints this; a pair says its exit code, too. */
export type Answers = Readonly<Record<string, string | readonly [stdout: string, exitCode: number]>>

export async function answers(run: Run, table: Answers): Promise<void> {
  for (const [command, answer] of Object.entries(table)) {
    const [stdout, exitCode] = typeof answer === 'string' ? [answer, 0] : answer
    const result = await run(command)
    equal([result.stdout, result.exitCode], [stdout, exitCode], `${command} (${result.stderr})`)
  }
}
