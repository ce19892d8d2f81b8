// What tools that run commands and programs have in common: who is asked, how long they may take, how an end is told.
import type { ExecResult, Sandbox } from '../sandbox/sandbox.ts'
import type { ReadyPolicy } from '../policy/policy.ts'
import type { Json } from '../json/value.ts'
import type { Policy } from '../tool/rule.ts'
import { fail, ok } from '../tool/tool.ts'
import type { ToolAnswer } from '../tool/tool.ts'

/** Lines kept of each stream, half from its beginning and half from its end. */
const maxLines = 200

/** Milliseconds that a command may take, from the policy. Default 120,000. */
export const limitMs = (policy: Policy | undefined): number =>
  (policy as Partial<ReadyPolicy> | undefined)?.shellTimeoutMs ?? 120_000

/** The time a model wants for a command, in milliseconds, within what it may have. */
export const timeFor = (wanted: number | undefined, longest: number): number =>
  Math.min(Math.max(1, wanted ?? longest), longest)

/** Whether it reaches nothing but the files and the network that it is given. */
export const isVirtual = ({ isolation }: Sandbox): boolean => isolation !== 'none'

function middleCut(text: string): string {
  const lines = text.split('\n')
  if (lines.length <= maxLines + 1) return text
  const half = maxLines / 2
  const left = lines.length - maxLines
  return [...lines.slice(0, half), `[${left} more lines are left out here]`, ...lines.slice(-half)].join('\n')
}

const ends: Readonly<Record<NonNullable<ExecResult['stopped']>, string>> = {
  abort: 'It was aborted.',
  timeout: 'It took too long and was ended. What it wrote before is there.',
  limit: 'It reached a limit of the sandbox and was ended. What it wrote before is there.',
  killed: 'It was ended from outside.',
  crash: 'The sandbox could not run it, or broke while it ran. The next one gets a new sandbox.',
}

/** Tells the model how it ended; an exit code other than 0 is a failure. */
export function told({ exitCode, stdout, stderr, durationMs, stopped, truncated, changes }: ExecResult): ToolAnswer {
  const parts = [
    ...(exitCode === 0 && !stopped ? [] : [`exit code ${exitCode}`]),
    ...(stopped ? [ends[stopped]] : []),
    ...(stdout ? [middleCut(stdout)] : []),
    ...(stderr ? [`stderr:\n${middleCut(stderr)}`] : []),
    ...(truncated?.spilledTo ? [`[the whole output is in ${truncated.spilledTo}]`] : []),
  ]
  const text = parts.join('\n').trimEnd() || '[no output]'
  const details: Json = {
    exitCode,
    durationMs,
    ...(stopped ? { stopped } : {}),
    ...(changes ? { changes: changes.map(({ type, path }) => ({ type, path })) } : {}),
  }
  return exitCode === 0 && !stopped ? ok(text, { details }) : fail(text, { details })
}
