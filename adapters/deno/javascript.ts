// Programs in JavaScript in Deno, in a Worker.
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { quickjsFacts } from '../virtual/quickjs/facts.ts'
import { scriptUrl } from './sandbox-options.ts'
import type { DenoSandboxOptions } from './sandbox-options.ts'
import { denoWorker } from './worker.ts'

export type JavaScriptOptions = DenoSandboxOptions

/**
 * A sandbox for programs in JavaScript: QuickJS, compiled to WebAssembly, in a Worker that is started with the first
 * program. A program may hold 32 MiB and compute for ten seconds or more. At an abort or timeout the Worker is given up at
 * once; what still computes in it, as Deno does not end that, is ended by its own counts or soon after its time, and what
 * one call of a built-in function does by nothing.
 */
export function javascript({ host, limits, workerUrl, permissions }: JavaScriptOptions = {}): Sandbox {
  const url = workerUrl ?? scriptUrl('javascript', '../virtual/worker/javascript.ts')
  return inWorker({ ...quickjsFacts, host, limits, start: () => denoWorker(url, { permissions }) })
}
