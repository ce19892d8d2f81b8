// The types of project.mjs, for tests written in TypeScript.
import type { ChildProcess, SpawnOptions } from 'node:child_process'

export interface Started extends ChildProcess {
  /** Ends the program at once, and with `group` whatever it started in turn. */
  end(): void
}

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const root: string
export const quietEnvironment: Readonly<Record<string, string>>
export function isMain(meta: ImportMeta): boolean
export function tool(path: string): string
export function endChildren(): void
export function start(
  command: string,
  args: readonly string[],
  options?: SpawnOptions & { readonly group?: boolean | undefined },
): Started
export function run(
  command: string,
  args: readonly string[],
  options?: SpawnOptions & { readonly echo?: boolean | undefined; readonly limitMs?: number | undefined },
): Promise<{ readonly code: number; readonly output: string }>
export function seconds(from: number): string
export function closePart(counts: Counts): void
export function countsOf(outcomes: readonly string[]): Counts
