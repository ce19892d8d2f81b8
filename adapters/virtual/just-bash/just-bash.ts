// A shell as an `Interpreter`: just-bash, with the files of the command as its files.
import type { CustomCommand } from 'just-bash/browser'
import type { Interpreter } from '../../../src/sandbox/interpreter.ts'
import { justBashFacts } from './facts.ts'
import { additions, leaveName } from './script.ts'
import { commands } from './commands/all.ts'
import { runProgram } from './program.ts'
import type { Shell } from './program.ts'

export interface JustBashOptions {
  /** `hosted` is for threads that nothing can be ended in: half the commands, and ten seconds. Default `worker`. */
  readonly profile?: 'worker' | 'hosted' | undefined
}

/** Of `hardened`, counts are only ever lowered. */
const profiles: Record<NonNullable<JustBashOptions['profile']>, Shell['limits']> = {
  worker: { maxExecutionTimeMs: 2 ** 31 - 1 },
  hosted: { maxCommandCount: 5000, maxLoopIterations: 5000, maxExecutionTimeMs: 10_000 },
}

/** Commands that are made anew for each program. */
const ownNames = [leaveName, 'trap']
/** A command is found by its file. */
const placeholder = (name: string): CustomCommand => ({ name, load: () => Promise.reject(new Error('not called')) })

const notThere = (name: string): CustomCommand => ({
  name,
  execute: async () => ({ stdout: '', stderr: `bash: ${name}: command not found\n`, exitCode: 127 }),
})

/** Bytes of `/tmp`. */
const tmpBytes = 64 * 2 ** 20

/** Loads just-bash, once, when it is called. */
export async function justBash({ profile = 'worker' }: JustBashOptions = {}): Promise<Interpreter> {
  const { Bash, InMemoryFs, getNetworkCommandNames } = await import('just-bash/browser')
  const system = new InMemoryFs({}, { maxTotalBytes: tmpBytes })
  // It puts its programs and devices there, and lets its parser be used.
  const network = getNetworkCommandNames()
  const names = [...commands.map(({ name }) => name), ...ownNames, ...network]
  const first = new Bash({ fs: system, customCommands: names.map(placeholder) })
  await system.mkdir('/tmp', { recursive: true })
  const shell: Shell = {
    make: (options) => new Bash(options),
    limits: profiles[profile],
    commands,
    withoutNetwork: network.map(notThere),
    system,
    modes: new Map(),
    additions: additions(first),
  }
  return { ...justBashFacts, run: (program) => runProgram(shell, program) }
}
