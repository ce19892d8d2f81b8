// A Worker of Node and Bun, for a sandbox.
import type { WorkerPort } from '../../src/isolated/worker-message.ts'
import { builtin } from './builtin.ts'

export interface NodeWorkerOptions {
  /** Mebibytes of objects that it may hold. */
  readonly memoryMb: number
}

/**
 * Starts a Worker whose script calls `serveInterpreter(parentPort, …)`. It sees no environment variables and no
 * arguments of the process. A Worker that waits does not keep the process alive.
 */
export function nodeWorker(url: string | URL, { memoryMb }: NodeWorkerOptions): WorkerPort {
  const { Worker } = builtin('node:worker_threads')
  const worker = new Worker(url, {
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  worker.unref()
  return {
    postMessage: (message, transfer) => worker.postMessage(message, transfer),
    onMessage: (listener) => void worker.on('message', listener),
    onError: (listener) => {
      worker.on('error', listener)
      worker.on('messageerror', listener)
      worker.on('exit', listener)
    },
    terminate: () => void worker.terminate(),
  }
}
