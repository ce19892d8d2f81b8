// What surrounds a run: the host and, where a preset or the user brings them, files, shell, code, network and a store.
import type { Fetch, Host } from '../host/host.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Vfs } from '../vfs/vfs.ts'
import type { RunStore } from './run-store.ts'

export interface Environment {
  readonly host?: Host | undefined
  /** The root of what tools may reach; a policy may narrow it further. */
  readonly fs?: Vfs | undefined
  readonly shell?: Sandbox | undefined
  readonly code?: Sandbox | undefined
  /** For tools; already guarded. The model's own requests use `host.fetch`. */
  readonly fetch?: Fetch | undefined
  readonly store?: RunStore | undefined
}
