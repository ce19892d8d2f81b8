// The port behind `ctx.shell` and `ctx.code`: something that runs a command or a program over the environment's files.
import type { Fetch } from '../host/host.ts'
import type { Json } from '../json/value.ts'
import type { Vfs, VfsChange } from '../vfs/vfs.ts'

/** What a sandbox has of the world, for one command. `ctx.shell` and `ctx.code` give that of the call. */
export interface ExecWorld {
  /** Where the command reads and writes; without, the sandbox has files of its own that last as long as it. */
  readonly fs?: Vfs | undefined
  /** The network; without, there is none. */
  readonly fetch?: Fetch | undefined
  /** Runs a tool, where the language can ask for one. */
  readonly call?: ((nameOrUri: string, input: Json) => Promise<unknown>) | undefined
}

export interface ExecRequest extends ExecWorld {
  /** The command of a shell, or a program's text. */
  readonly command: string
  /** Default: where the last command of this sandbox left it, at first the root of the files. */
  readonly cwd?: string | undefined
  /** Variables of this command alone. Default: none beside the sandbox's own. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Default: empty. */
  readonly stdin?: string | Uint8Array | undefined
  readonly signal?: AbortSignal | undefined
  /** Milliseconds. Default 120,000. */
  readonly timeoutMs?: number | undefined
  /** All changes of files happen when the command ends well, or none does. Default false. */
  readonly atomic?: boolean | undefined
  /** Told what is printed as it comes. What it throws is dropped. */
  readonly onOutput?: ((chunk: { readonly stream: 'stdout' | 'stderr'; readonly text: string }) => void) | undefined
}

export interface ExecResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number
  /** Characters cut from each stream; the whole is in the file named by `spilledTo`. */
  readonly truncated?:
    | {
        readonly stdout?: number | undefined
        readonly stderr?: number | undefined
        readonly spilledTo?: string | undefined
      }
    | undefined
  /** What ended it before its time. */
  readonly stopped?: 'abort' | 'timeout' | 'limit' | 'killed' | 'crash' | undefined
  readonly changes?: readonly VfsChange[] | undefined
}

export interface Sandbox {
  /** For example `just-bash`, `quickjs`, `host-shell`. */
  readonly kind: string
  readonly languages: readonly ('bash' | 'javascript' | 'python')[]
  readonly isolation: 'none' | 'interpreter' | 'worker' | 'isolate' | 'container'
  /** False: only limits stop it, an abort cannot. */
  readonly hardKill: boolean
  /** For the tool's description: what is there, what is missing. */
  describe(): string
  /** Never rejects for a fault of the script; only for misuse. */
  exec(request: ExecRequest): Promise<ExecResult>
  warm?(): Promise<void>
  dispose(): Promise<void>
}
