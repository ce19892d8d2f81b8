// The shell in Deno.
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { justBashFacts } from '../virtual/just-bash/facts.ts'
import type { ShellOptions } from '../virtual/shell.ts'
import { denoWorker } from './worker.ts'

export interface DenoShellOptions extends ShellOptions {
  /** 'none' takes the program's permissions from the Worker; Deno must run with `--unstable-worker-options`. */
  readonly permissions?: 'none' | undefined
}

/**
 * A simulated bash (just-bash) in a Worker, over the files of whoever asks. No program of the machine is run. The Worker
 * starts with the first command; at an abort or timeout it is given up at once, and what still computes in it, as Deno does
 * not end that, goes on until its own counts end it. `/tmp` lasts as long as the Worker.
 */
export function shell({ workerUrl, permissions, ...options }: DenoShellOptions = {}): Sandbox {
  const url = workerUrl ?? new URL('./deno-shell-worker.js', import.meta.url)
  return inWorker({ ...justBashFacts, ...options, start: () => denoWorker(url, { permissions }) })
}
