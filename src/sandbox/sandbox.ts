// The port behind `ctx.shell` and `ctx.code`: something that runs a command or a program over the environment's files.
import type { VfsChange } from '../vfs/vfs.ts'

export interface ExecRequest {
  readonly command: string
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly stdin?: string | Uint8Array | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
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
