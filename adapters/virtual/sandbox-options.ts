// What the sandboxes of every runtime may be told.
import type { ConfinedLimits } from '../../src/confined/request.ts'
import type { Host } from '../../src/host/host.ts'

export interface SandboxOptions<Limits = ConfinedLimits> {
  readonly host?: Host | undefined
  /** Throws `config-invalid` for one that is no amount. */
  readonly limits?: Limits | undefined
}

/** Of a sandbox in a Worker. */
export interface WorkerSandboxOptions extends SandboxOptions {
  /** The Worker's script. Default: the one beside this module; name it where it is served from another place. */
  readonly workerUrl?: string | URL | undefined
}
