// The shell in whatever thread it is made in: the one for where there is no Worker.
import type { Host } from '../../src/host/host.ts'
import { inThread } from '../../src/confined/in-thread.ts'
import type { ConfinedLimits } from '../../src/confined/request.ts'
import type { LoadInterpreter } from '../../src/sandbox/interpreter.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { justBashFacts } from './just-bash/facts.ts'

export interface ShellOptions {
  readonly host?: Host | undefined
  readonly limits?: ConfinedLimits | undefined
  /** The script of the Worker, where it is served from another place than beside this module. */
  readonly workerUrl?: string | URL | undefined
}

export interface ThreadShellOptions extends Omit<ShellOptions, 'workerUrl'> {
  /** Another interpreter in the place of just-bash. */
  readonly load?: LoadInterpreter | undefined
}

/**
 * A simulated bash (just-bash) in this thread, over the files of whoever asks. Nothing can end what computes but its own
 * counts: 5,000 commands and loop steps, and ten seconds of waiting. It is loaded with the first command.
 */
export function shell({ host, limits, load = loadHosted }: ThreadShellOptions = {}): Sandbox {
  return inThread({ ...justBashFacts, host, limits, load })
}

const loadHosted: LoadInterpreter = async () => {
  const { justBash } = await import('./just-bash/just-bash.ts')
  return justBash({ profile: 'hosted' })
}
