// The shell in Node and Bun.
import { amounts } from '../../src/error/amount.ts'
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import type { ShellOptions } from '../virtual/shell.ts'
import { justBashFacts } from '../virtual/just-bash/facts.ts'
import { nodeWorker } from './worker.ts'

export interface NodeShellOptions extends ShellOptions {
  /** Mebibytes of objects that its Worker may hold. Default 256. */
  readonly memoryMb?: number | undefined
}

/**
 * A simulated bash (just-bash) in a Worker thread, over the files of whoever asks. No program of the machine is run, and
 * nothing of its disk or network is reached. The Worker starts with the first command; an abort or timeout ends it at
 * once. `/tmp` lasts as long as the Worker. Throws `config-invalid` for a `memoryMb` that is no amount.
 */
export function shell({ host, limits, workerUrl, ...options }: NodeShellOptions = {}): Sandbox {
  const { memoryMb } = amounts(options, { memoryMb: 256 }, { least: 1, most: 2 ** 20 })
  const url = workerUrl ?? new URL('./node-shell-worker.js', import.meta.url)
  return inWorker({ ...justBashFacts, host, limits, start: () => nodeWorker(url, { memoryMb }) })
}
