// Programs in JavaScript in Deno, in a Worker.
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import type { JavaScriptOptions as WorkerJavaScriptOptions } from '../virtual/javascript.ts'
import { quickjsFacts } from '../virtual/quickjs/facts.ts'
import { denoWorker } from './worker.ts'

export interface JavaScriptOptions extends WorkerJavaScriptOptions {
  /** 'none' needs `--unstable-worker-options`. Default: the Worker has the permissions of the program. */
  readonly permissions?: 'none' | undefined
}

/**
 * A sandbox for programs in JavaScript: QuickJS, compiled to WebAssembly, in a Worker that is started with the first
 * program. A program may hold 32 MiB and compute for ten seconds or more. At an abort or timeout the Worker is given up at
 * once; what still computes in it, as Deno does not end that, is ended by its own counts or soon after its time, and what
 * one call of a built-in function does by nothing.
 */
export function javascript({ host, limits, workerUrl, permissions }: JavaScriptOptions = {}): Sandbox {
  const url = workerUrl ?? scriptUrl()
  return inWorker({ ...quickjsFacts, host, limits, start: () => denoWorker(url, { permissions }) })
}

/** Deno also runs the sources as they are. */
const scriptUrl = (): URL =>
  import.meta.url.endsWith('.ts')
    ? new URL('./javascript-worker.ts', import.meta.url)
    : new URL('./deno-javascript-worker.js', import.meta.url)
