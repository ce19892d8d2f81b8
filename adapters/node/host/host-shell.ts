// The shell of the machine as a sandbox that confines nothing: for Node, Bun and Deno.
import { isSameloopError, SameloopError } from '../../../src/error/error.ts'
import { confined } from '../../../src/confined/confined.ts'
import type { ConfinedLimits } from '../../../src/confined/request.ts'
import type { Host } from '../../../src/host/host.ts'
import type { Ending, Program } from '../../../src/sandbox/interpreter.ts'
import type { ExecRequest, Sandbox } from '../../../src/sandbox/sandbox.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { builtin, folderAt } from '../builtin.ts'
import { directoryFiles } from '../files/directory-files.ts'
import { follow, jailAt } from '../files/place.ts'
import { hostError } from '../files/host-error.ts'
import { endingOf, start } from './process.ts'
import type { Started } from './process.ts'
import { variables } from './variables.ts'

export interface HostShellOptions {
  /** The directory that "/" is for `cwd`: commands begin in it. It does not keep them in it. */
  readonly root: string
  /** Variables of this program that commands see. Default `PATH`, `HOME`, `LANG`, `TERM`. */
  readonly inherit?: readonly string[] | undefined
  /** Default `bash` from the `PATH`, or `sh`. */
  readonly shell?: string | undefined
  readonly host?: Host | undefined
  readonly limits?: ConfinedLimits | undefined
}

/** How long a command that is to end may take for it. */
const graceMs = 1000

/** The system takes no longer single argument. */
const commandBytes = 120_000

/**
 * Runs commands in the shell of this machine. NOTHING CONFINES THEM: they do what the user of this program may do, read
 * and write whatever the user may, and reach the network; no policy, jail or overlay of files holds for them. Give it to
 * an agent only where a person approves each command: the `shell` tool asks each time, as `isolation` is 'none'.
 *
 * Of the `fs` of a command only its root counts, for a relative `cwd`, and as the place for output that is too long for
 * the result; the command itself sees the disk. `fetch` and `call` are ignored, and an `atomic` command is refused, as
 * nothing could be taken back. A command that ends takes the processes of its group with it; one that is stopped gets
 * SIGTERM, and SIGKILL a second later. The exit code of what a signal ended is 128 and its number. In Deno it needs
 * `--allow-run`, and `--allow-read` and `--allow-env`. For Linux and macOS: throws `config-missing-capability` elsewhere.
 */
export function hostShell({ root, inherit, shell, host, limits }: HostShellOptions): Sandbox {
  if (builtin('node:path').sep === '\\')
    throw new SameloopError(
      'config-missing-capability',
      'Cannot make a host shell: it needs process groups, as Linux and macOS have them',
    )
  const jail = jailAt(folderAt(root))
  const disk = directoryFiles(root)
  let current: Started | undefined
  const run = async (program: Program): Promise<Ending> => {
    const refuse = (words: string): Ending => {
      program.output('stderr', `host-shell: ${words}\n`)
      return { exitCode: 126 }
    }
    const size = new TextEncoder().encode(program.command).length
    if (size > commandBytes) return refuse(`a command may have ${commandBytes} bytes, and has ${size}`)
    try {
      const top = await jail.root()
      const { real } = await follow(jail, { path: program.cwd, action: 'enter' })
      const started = start({ program, shell, cwd: real, env: { ...variables(inherit), ...program.env } })
      current = started
      return await endingOf(started, { program, top })
    } catch (thrown) {
      const fault = hostError(thrown, program.cwd, 'run a command in')
      return refuse(isSameloopError(fault) ? fault.message : 'it could not be started')
    } finally {
      // Its number may become that of another process.
      current = undefined
    }
  }
  const sandbox = confined(
    { kind: 'host-shell', languages: ['bash'], describe, host, limits },
    { isolation: 'none', hardKill: true, graceMs, load: async () => {}, run, kill: () => current?.kill('SIGKILL') },
  )
  return {
    ...sandbox,
    exec: async (request) => {
      if (request.atomic === true)
        throw new SameloopError('config-invalid', 'Cannot run a command of the host shell: it cannot be atomic')
      return sandbox.exec({ ...request, fs: seen(disk, request) })
    },
  }
}

const describe = (): string =>
  'It is the real shell of this machine, with all programs that are installed. Processes that a command leaves behind are ended.'

/** Where a command begins is looked up on the disk; what it prints too much goes where whoever asks can read it. */
function seen(disk: Vfs, { fs = disk }: ExecRequest): Vfs {
  return {
    ...disk,
    capabilities: { ...disk.capabilities, root: fs.capabilities.root },
    write: (path, data, options) => fs.write(path, data, options),
  }
}
