// The shell in whatever thread it is made in: the one for where there is no Worker.
import { inThread } from '../../src/confined/in-thread.ts'
import type { LoadInterpreter } from '../../src/sandbox/interpreter.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { justBashFacts } from './just-bash/facts.ts'
import type { SandboxOptions } from './sandbox-options.ts'

export interface ShellOptions extends SandboxOptions {
  /** Another interpreter in the place of just-bash. */
  readonly load?: LoadInterpreter | undefined
}

/**
 * A simulated bash (just-bash) in this thread, over the files of whoever asks. Nothing can end what computes but its own
 * counts: 5,000 commands and loop steps, and ten seconds of waiting. It is loaded with the first command.
 */
export function shell({ host, limits, load = loadHosted }: ShellOptions = {}): Sandbox {
  return inThread({ ...justBashFacts, host, limits, load })
}

const loadHosted: LoadInterpreter = async () => {
  const { justBash } = await import('./just-bash/just-bash.ts')
  return justBash({ profile: 'hosted' })
}
