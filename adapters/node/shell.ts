// The shell in Node and Bun.
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { justBashFacts } from '../virtual/just-bash/facts.ts'
import { memoryOf } from './sandbox-options.ts'
import type { NodeSandboxOptions } from './sandbox-options.ts'
import { nodeWorker } from './worker.ts'

export type ShellOptions = NodeSandboxOptions

/**
 * A simulated bash (just-bash) in a Worker thread, over the files of whoever asks. No program of the machine is run, and
 * nothing of its disk or network is reached. The Worker starts with the first command; an abort or timeout ends it at
 * once. `/tmp` lasts as long as the Worker. Throws `config-invalid` for a `memoryMb` that is no amount.
 */
export function shell({ host, limits, workerUrl, ...options }: ShellOptions = {}): Sandbox {
  const memory = memoryOf(options)
  const url = workerUrl ?? new URL('./node-shell-worker.js', import.meta.url)
  return inWorker({ ...justBashFacts, host, limits, start: () => nodeWorker(url, memory) })
}
