// The shell in Node and Bun.
import { SameloopError } from '../../src/error/error.ts'
import { excerpt } from '../../src/json/text.ts'
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
export function shell({ host, limits, workerUrl, memoryMb }: NodeShellOptions = {}): Sandbox {
  if (memoryMb !== undefined && !(memoryMb > 0))
    throw new SameloopError(
      'config-invalid',
      `Cannot make a shell: wanted a memoryMb above 0, got ${excerpt(memoryMb)}`,
    )
  const url = workerUrl ?? new URL('./node-shell-worker.js', import.meta.url)
  return inWorker({ ...justBashFacts, host, limits, start: () => nodeWorker(url, { memoryMb }) })
}
