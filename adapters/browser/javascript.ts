// Programs in JavaScript in a web page, its Workers and extensions: in a Worker where one can be started.
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { javascript as inThread } from '../virtual/javascript.ts'
import type { WorkerSandboxOptions } from '../virtual/sandbox-options.ts'
import { quickjsFacts } from '../virtual/quickjs/facts.ts'
import { browserWorker } from './worker.ts'

export type JavaScriptOptions = WorkerSandboxOptions

/**
 * A sandbox for programs in JavaScript: QuickJS, compiled to WebAssembly, in a Worker that is started with the first
 * program. A program may hold 32 MiB and compute for ten seconds or more; an abort or timeout ends it at once. The page's
 * security policy needs `'wasm-unsafe-eval'` in `script-src`. A service worker has no Workers: there programs run in its
 * own thread, with the limits of `javascript` from `sameloop/virtual`, and `hardKill` is false.
 */
export function javascript({ host, limits, workerUrl }: JavaScriptOptions = {}): Sandbox {
  if (typeof Worker === 'undefined') return inThread({ host, limits })
  const url = workerUrl ?? new URL('./browser-javascript-worker.js', import.meta.url)
  return inWorker({ ...quickjsFacts, host, limits, start: () => browserWorker(url) })
}
