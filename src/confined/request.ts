// What may be asked of a confined sandbox: misuse is an error, what a model asked too much of is answered in words.
import { amounts } from '../error/amount.ts'
import { SameloopError } from '../error/error.ts'
import { excerpt } from '../json/text.ts'
import type { ExecRequest } from '../sandbox/sandbox.ts'

/** Limits of a sandbox; each has a default that fits a command of a model. */
export interface ConfinedLimits {
  /** Characters of each stream that a result keeps: head and tail of what is longer. Default 1,048,576. */
  readonly outputChars?: number | undefined
  /** Characters of both streams together that are kept for the file; a command that prints more is ended. Default 16,777,216. */
  readonly spillChars?: number | undefined
  /** Characters of a command, and of its environment. Default 1,048,576. */
  readonly commandChars?: number | undefined
  /** Default 16,777,216. */
  readonly stdinBytes?: number | undefined
  /** Milliseconds in which the interpreter must load; they do not count for the command. Default 60,000. */
  readonly loadMs?: number | undefined
}

export type Bounds = { readonly [Name in keyof ConfinedLimits]-?: number }

const mebi = 2 ** 20

const defaults: Bounds = {
  outputChars: mebi,
  spillChars: 16 * mebi,
  commandChars: mebi,
  stdinBytes: 16 * mebi,
  loadMs: 60_000,
}

/** All limits, with the defaults of those that are not given. Throws `config-invalid`. */
export const boundsOf = (limits: ConfinedLimits): Bounds => amounts(limits, defaults)

/** A request with its defaults, none of whose parts the caller can change any more. */
export interface Task extends Omit<ExecRequest, 'env' | 'stdin' | 'timeoutMs'> {
  readonly env: Readonly<Record<string, string>>
  readonly stdin: Uint8Array
  readonly timeoutMs: number
  /** Why it is not run, where it asks too much. */
  readonly refused?: string | undefined
}

/** Throws `config-invalid` for what no program should ask. */
export function taskOf(request: ExecRequest, bounds: Bounds): Task {
  const { command, cwd, env = {}, stdin = '' } = request
  if (typeof command !== 'string') throw misuse('command must be a string', command)
  if (cwd !== undefined && typeof cwd !== 'string') throw misuse('cwd must be a string', cwd)
  const { timeoutMs } = amounts(request, { timeoutMs: 120_000 })
  if (typeof stdin !== 'string' && !(stdin instanceof Uint8Array))
    throw misuse('stdin must be a string or bytes', stdin)
  const variables = Object.entries(env)
  for (const [name, value] of variables)
    if (typeof value !== 'string') throw misuse(`env.${name} must be a string`, value)
  const refused = tooMuch(request, variables, bounds)
  return {
    ...request,
    env: Object.fromEntries(variables),
    stdin: refused === undefined ? bytesOf(stdin) : new Uint8Array(),
    timeoutMs,
    refused,
  }
}

function tooMuch(
  { command, stdin = '' }: ExecRequest,
  env: readonly (readonly [string, string])[],
  { commandChars, stdinBytes }: Bounds,
): string | undefined {
  if (command.length > commandChars)
    return `the command may have ${commandChars} characters, and has ${command.length}; write it to a file in pieces`
  const variables = env.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (variables > commandChars)
    return `the environment may have ${commandChars} characters, and has ${variables}; write it to a file`
  if (stdin.length > stdinBytes)
    return `the standard input may have ${stdinBytes} bytes, and has ${stdin.length} or more; write it to a file`
  return undefined
}

const bytesOf = (stdin: string | Uint8Array): Uint8Array =>
  typeof stdin === 'string' ? new TextEncoder().encode(stdin) : new Uint8Array(stdin)

const misuse = (wanted: string, came: unknown): SameloopError =>
  new SameloopError('config-invalid', `Cannot run a command: ${wanted}, got ${excerpt(came)}`)
