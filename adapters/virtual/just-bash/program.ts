// One command of the shell, from its text to its ending.
import type { Bash, BashOptions, CustomCommand } from 'just-bash/browser'
import type { Ending, Program } from '../../../src/sandbox/interpreter.ts'
import { memoryFiles } from '../../../src/vfs/memory.ts'
import { fetchForShell } from './fetch.ts'
import { forReaders, printer } from './printer.ts'
import type { Printer } from './printer.ts'
import { leaveName, preparation, runningName } from './script.ts'
import type { Additions, Seen } from './script.ts'
import { shellFiles } from './shell-files.ts'
import { trapCommand } from './commands/trap.ts'
import { bridge, bytesToBinary, isFileError } from './vfs-bridge.ts'
import type { Modes } from './vfs-bridge.ts'

/** What lasts from command to command. */
export interface Shell {
  readonly make: (options: BashOptions) => Bash
  readonly limits: NonNullable<BashOptions['executionLimits']>
  readonly commands: readonly CustomCommand[]
  /** Take the place of those that need a network. */
  readonly withoutNetwork: readonly CustomCommand[]
  readonly system: NonNullable<BashOptions['fs']>
  readonly modes: Modes
  readonly additions: Additions
}

/** Variables and directory, when the script was left by `exit`. */
interface Left {
  env: Record<string, string>
  cwd: string
}

type Result = Awaited<ReturnType<Bash['exec']>>

/** After the time that the sandbox gives a command, and ends it by itself, a `sleep` ends too. */
const lateMs = 1000

export async function runProgram(shell: Shell, program: Program): Promise<Ending> {
  const { command, cwd, stdin, signal } = program
  const printed = printer(program.output)
  const seen: Seen = { functions: [], redirects: false }
  let left: Left | undefined
  let handler = ''
  const leave: CustomCommand = {
    name: leaveName,
    execute: async (_args, { env, cwd }) => {
      left = { env: Object.fromEntries(env), cwd }
      return { stdout: '', stderr: '', exitCode: 0 }
    },
  }
  const trap = trapCommand({ set: (text) => (handler = text), get: () => handler })
  const bash = bashFor(shell, program, { printed, commands: [leave, trap] })
  bash.registerTransformPlugin(preparation(shell.additions, seen))
  const input = { stdin: bytesToBinary(stdin), stdinKind: 'bytes' as const }
  const ended = await attempt(printed, () => bash.exec(command, { ...input, cwd, signal }))
  const wasLeft = ended.env[runningName] === undefined
  const state: Left = wasLeft && left ? left : { env: ended.env, cwd: ended.env['PWD'] ?? cwd }
  const exitCode = await runHandler({ handler, ended, state, shell, program, printed, seen })
  printed.end()
  return { exitCode, cwd: state.cwd, stopped: isLimit(ended.exitCode, printed) ? 'limit' : undefined }
}

interface Handling {
  readonly handler: string
  readonly ended: Result
  readonly state: Left
  readonly shell: Shell
  readonly program: Program
  readonly printed: Printer
  readonly seen: Seen
}

/** What `trap … EXIT` asked for, with variables and functions as the script left them. Gives the final exit code. */
async function runHandler({ handler, ended, state, shell, program, printed, seen }: Handling): Promise<number> {
  if (handler === '' || program.signal.aborted || ended.exitCode === 126) return ended.exitCode
  const bash = bashFor(shell, program, { printed, commands: [] })
  bash.registerTransformPlugin(preparation(shell.additions, { functions: [], redirects: false }, seen.functions))
  const { [runningName]: _, ...env } = state.env
  const text = `(exit ${ended.exitCode})\n${handler}`
  const result = await attempt(printed, () => bash.exec(text, { env, cwd: state.cwd, signal: program.signal }))
  // Only an `exit` of its own is its say.
  return result.env[runningName] === undefined ? result.exitCode : ended.exitCode
}

function bashFor(
  { make, limits, commands, withoutNetwork, system, modes }: Shell,
  { fs, fetch, env, cwd, signal, timeoutMs }: Program,
  own: { readonly printed: Printer; readonly commands: readonly CustomCommand[] },
): Bash {
  const { maxExecutionTimeMs = Infinity } = limits
  const time = Math.min(maxExecutionTimeMs, timeoutMs + lateMs, 2 ** 31 - 1)
  return make({
    fs: shellFiles({ ours: bridge(fs ?? memoryFiles(), { signal, modes }), system, print: own.printed.bytes }),
    cwd,
    env: { HOME: '/', PATH: '/usr/bin:/bin', ...env },
    executionLimitProfile: 'hardened',
    executionLimits: { ...limits, maxExecutionTimeMs: time },
    customCommands: [...commands, ...own.commands, ...(fetch ? [] : withoutNetwork)],
    ...(fetch && { fetch: fetchForShell(fetch) }),
  })
}

const failed = (exitCode: number): Result => ({ stdout: '', stderr: '', exitCode, env: {} })

/** Never rejects: what files or the shell throw is said in the words of a shell. */
async function attempt(printed: Printer, run: () => Promise<Result>): Promise<Result> {
  try {
    const result = await run()
    printed.text('stdout', result.stdout)
    // What ends a script is told twice.
    if (!printed.tail().endsWith(forReaders(result.stderr))) printed.text('stderr', result.stderr)
    return result
  } catch (error) {
    if (isFileError(error)) {
      printed.text('stderr', `bash: ${error.path}: ${error.said}\n`)
      return failed(1)
    }
    printed.text('stderr', `bash: ${error instanceof Error ? error.message : String(error)}\n`)
    return failed(126)
  }
}

const isLimit = (exitCode: number, printed: Printer): boolean =>
  (exitCode === 126 || exitCode === 124) &&
  /(limit exceeded|too many|maximum .* exceeded|exceeded (its )?execution deadline)[^\n]*\n$/.test(printed.tail())
