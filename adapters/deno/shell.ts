// The shell in Deno.
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { justBashFacts } from '../virtual/just-bash/facts.ts'
import { scriptUrl } from './sandbox-options.ts'
import type { DenoSandboxOptions } from './sandbox-options.ts'
import { denoWorker } from './worker.ts'

export type ShellOptions = DenoSandboxOptions

/** The shell's package loads without permissions, and is without its known faults, only as it is built. */
const builtScript = '../../dist/deno-shell-worker.js'

/**
 * A simulated bash (just-bash) in a Worker, over the files of whoever asks. No program of the machine is run. The Worker
 * starts with the first command; at an abort or timeout it is given up at once, and what still computes in it, as Deno does
 * not end that, goes on until its own counts end it. `/tmp` lasts as long as the Worker. Where Deno runs the sources of
 * this library as they are, `npm run build` must have been run in them, or `workerUrl` be given.
 */
export function shell({ workerUrl, permissions, ...options }: ShellOptions = {}): Sandbox {
  const url = workerUrl ?? scriptUrl('shell', builtScript)
  return inWorker({ ...justBashFacts, ...options, start: () => denoWorker(url, { permissions }) })
}
