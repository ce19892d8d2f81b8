// What commands give, and how they read what they are given.
import type { Command, CommandContext } from 'just-bash/browser'

export type Result = Awaited<ReturnType<Command['execute']>>
export type Context = Parameters<Command['execute']>[1]

export const printed = (stdout: string, exitCode = 0): Result => ({ stdout, stderr: '', exitCode })
export const refused = (name: string, words: string, exitCode = 1): Result => ({
  stdout: '',
  stderr: `${name}: ${words}\n`,
  exitCode,
})

/** Bytes as the shell passes them on: a string in which each character is one. */
export const binary = (stdout: string, stderr = '', exitCode = 0): Result => ({
  stdout,
  stderr,
  exitCode,
  stdoutKind: 'bytes',
  stdoutEncoding: 'binary',
})

/** The most characters or bytes that one command of ours gives. */
export const maxOutput: number = 10 * 2 ** 20

/** The standard input, each character a byte. */
export const inputBinary = (stdin: CommandContext['stdin']): string => stdin as unknown as string
