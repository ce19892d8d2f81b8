// Programs in JavaScript in Node and Bun, in a Worker.
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { quickjsFacts } from '../virtual/quickjs/facts.ts'
import { memoryOf } from './sandbox-options.ts'
import type { NodeSandboxOptions } from './sandbox-options.ts'
import { nodeWorker } from './worker.ts'

export type JavaScriptOptions = NodeSandboxOptions

/**
 * A sandbox for programs in JavaScript: QuickJS, compiled to WebAssembly, in a Worker that is started with the first
 * program. A program may hold 32 MiB and compute for ten seconds or more; an abort or timeout ends it at once (in Bun,
 * what computes is ended when it next calls out). Throws `config-invalid` for a `memoryMb` that is no amount.
 */
export function javascript({ host, limits, workerUrl, ...options }: JavaScriptOptions = {}): Sandbox {
  const memory = memoryOf(options)
  const url = workerUrl ?? new URL('./node-javascript-worker.js', import.meta.url)
  return inWorker({ ...quickjsFacts, host, limits, start: () => nodeWorker(url, memory) })
}
