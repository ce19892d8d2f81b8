// What the cases of the sandbox contract are made of.
import type { ExecRequest, ExecResult, Sandbox } from '../../sandbox/sandbox.ts'
import { check, equal } from '../assertion.ts'

/** Why there is no such program in the sandbox's language. */
export interface LackingProgram {
  readonly lacking: string
}

/** Texts in the sandbox's language. Two of them, joined by a line break, are one that does both. */
export interface SandboxPrograms {
  /** Prints `hello`. */
  readonly hello: string | LackingProgram
  /** Prints `oh` to the standard error and ends with 3. */
  readonly fail: string | LackingProgram
  /** Prints the text of a file; ends with another code than 0 where there is none. */
  readonly read: ((path: string) => string) | LackingProgram
  /** `text` is letters and digits. */
  readonly write: ((path: string, text: string) => string) | LackingProgram
  /** Computes for ever. It is lacking where nothing but its own limits ends it: then `hardKill` is false. */
  readonly loop: string | LackingProgram
  /** Waits for a minute or more. */
  readonly wait: string | LackingProgram
  /** Prints for ever. */
  readonly flood: string | LackingProgram
  /** Prints so many characters, all `x`. */
  readonly chars: ((count: number) => string) | LackingProgram
  /** Prints the working directory. */
  readonly where: string | LackingProgram
  /** Changes the working directory. */
  readonly go: ((path: string) => string) | LackingProgram
  /** Prints a variable of the environment. */
  readonly variable: ((name: string) => string) | LackingProgram
  /** Prints what comes on the standard input. */
  readonly echo: string | LackingProgram
  /** Calls itself for ever. */
  readonly recurse: string | LackingProgram
  /** Takes memory for ever. */
  readonly allocate: string | LackingProgram
}

export type Name = keyof SandboxPrograms
export type Program<Key extends Name> = Exclude<SandboxPrograms[Key], LackingProgram>

/** Gives a program that a case needs. */
export type Texts = <Key extends Name>(name: Key) => Program<Key>

export interface Case {
  readonly name: string
  readonly needs: readonly Name[]
  check(sandbox: Sandbox, text: Texts): Promise<void>
}

export const isLacking = (program: SandboxPrograms[Name]): program is LackingProgram =>
  typeof program === 'object' && 'lacking' in program

export const trimmed = ({ exitCode, stdout }: ExecResult): readonly [number, string] => [exitCode, stdout.trim()]

/** How it ended that did not end by itself. */
export const ended = ({ exitCode, stopped }: ExecResult): readonly unknown[] => [exitCode, stopped]

/** Runs a program that must not end well, whatever ends it, and then one that must. */
export async function survives(sandbox: Sandbox, request: ExecRequest, hello: string): Promise<ExecResult> {
  const result = await sandbox.exec(request)
  check(result.exitCode !== 0, 'an exit code that says that it did not end well')
  equal(trimmed(await sandbox.exec({ command: hello })), [0, 'hello'], 'The next command')
  return result
}
