// What runs programs below a confined sandbox, and what the commands of one sandbox share.
import type { Host } from '../host/host.ts'
import type { Ending, Program } from '../sandbox/interpreter.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Vfs } from '../vfs/vfs.ts'
import type { Bounds } from './request.ts'

/** Where and how programs run, one at a time. */
export interface Engine extends Pick<Sandbox, 'isolation' | 'hardKill'> {
  /** Milliseconds in which a program that is to stop may end by itself, before `kill`. */
  readonly graceMs: number
  /** Makes it ready, once for all who wait; after a rejection the next call tries again. */
  load(): Promise<void>
  /** After `load`. Rejects where the program took the interpreter with it. */
  run(program: Program): Promise<Ending>
  /** Gives up what is loading or running: what comes next is loaded anew. */
  kill(): void
}

export interface Home {
  readonly kind: string
  readonly host: Host
  readonly bounds: Bounds
  readonly engine: Engine
  /** Aborts when the sandbox is disposed of. */
  readonly closing: AbortSignal
  /** Files for commands that bring none. */
  readonly ownFiles: () => Vfs
  /** Where the last command left off. */
  cwd: string | undefined
}
