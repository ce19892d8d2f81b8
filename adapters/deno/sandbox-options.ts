// What the sandboxes of Deno may be told, and where their scripts are.
import type { WorkerSandboxOptions } from '../virtual/sandbox-options.ts'

export interface DenoSandboxOptions extends WorkerSandboxOptions {
  /** 'none' needs `--unstable-worker-options`. Default: the Worker has the permissions of the program. */
  readonly permissions?: 'none' | undefined
}

/** Beside this module as it is built; Deno also runs the sources as they are, for which it is at `source`. */
export const scriptUrl = (name: string, source: string): URL =>
  new URL(import.meta.url.endsWith('.ts') ? source : `./deno-${name}-worker.js`, import.meta.url)
