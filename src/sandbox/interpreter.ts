// The port of what runs a program in the thread it is called in: a shell, a JavaScript engine. Time, output, order of
// commands and Workers are no concern of it: `src/confined` makes a `Sandbox` of an interpreter.
import type { ExecWorld, Sandbox } from './sandbox.ts'

export interface Program extends ExecWorld {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: Uint8Array
  /** An interpreter looks at it as often as it can; one that computes cannot. */
  readonly signal: AbortSignal
  /** Milliseconds until the signal aborts, for limits an interpreter keeps by itself. */
  readonly timeoutMs: number
  output(stream: 'stdout' | 'stderr', text: string): void
}

export interface Ending {
  readonly exitCode: number
  /** Where the next command begins. */
  readonly cwd?: string | undefined
  /** A limit of its own ended it, or it saw that its time was over. */
  readonly stopped?: 'limit' | 'timeout' | undefined
}

export interface Interpreter extends Pick<Sandbox, 'kind' | 'languages' | 'describe'> {
  /** Never rejects for a fault of the program. Where it rejects the interpreter is broken, and is not used again. */
  run(program: Program): Promise<Ending>
  dispose?(): void
}

/** Makes an interpreter, which may have to load first. */
export type LoadInterpreter = () => Promise<Interpreter>
