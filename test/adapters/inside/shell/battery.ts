// Commands with what a real bash prints, from outside this repository: how many of them this shell gives alike.
import { check } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { memoryFiles } from '../../../../src/vfs/memory.ts'
import { say } from '../report.ts'
import type { MakeShell } from './case.ts'

export interface Battery {
  readonly commands: readonly (readonly [name: string, command: string, stdout: string])[]
  readonly files: Readonly<Record<string, string>>
}

/** Put in by the bundler; nothing where the commands are not there. */
declare const SHELL_BATTERY: Battery | null

const least = 42

export function batteryCases(where: string, make: MakeShell): readonly ContractCase[] {
  const battery = SHELL_BATTERY
  return [
    {
      name: `gives at least ${least} of the checked commands as a real bash does`,
      skipped: battery === null ? 'the checked commands are not beside the repository' : undefined,
      run: async () => {
        if (battery === null) return
        const sandbox = make()
        const others: string[] = []
        for (const [name, command, stdout] of battery.commands) {
          const fs = memoryFiles({ files: battery.files })
          const result = await sandbox.exec({ command, fs, cwd: '/', timeoutMs: 10_000 })
          if (result.stdout !== stdout) others.push(name)
        }
        await sandbox.dispose()
        const { length } = battery.commands
        say(
          `shell ${where}: ${length - others.length} of ${length} checked commands as in a real bash (not: ${others.join(', ')})`,
        )
        check(length - others.length >= least, `${least} of the checked commands alike, but for ${others.join(', ')}`)
      },
    },
  ]
}
