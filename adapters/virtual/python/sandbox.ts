// The sandbox of Python, made of what a runtime can start: it keeps the picture of memory that makes later starts short.
import { amounts } from '../../../src/error/amount.ts'
import { inWorker } from '../../../src/isolated/in-worker.ts'
import type { WorkerPort } from '../../../src/isolated/worker-message.ts'
import { own } from '../../../src/json/value.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { pythonFacts } from './facts.ts'
import type { PythonOptions } from './facts.ts'

export interface PythonSandboxOptions extends Pick<PythonOptions, 'host' | 'limits' | 'memoryMb'> {
  /** Starts what calls `servePython`. */
  readonly open: () => WorkerPort
}

/** Throws `config-invalid` for a `memoryMb` that is no amount. */
export function pythonSandbox({ host, limits, open, ...options }: PythonSandboxOptions): Sandbox {
  const { memoryMb } = amounts(options, { memoryMb: 256 }, { least: 64, most: 2048 })
  let snapshot: Uint8Array | undefined
  const start = (): WorkerPort => {
    const port = open()
    let isReady = false
    port.postMessage({ snapshot, memoryMb }, [])
    return {
      ...port,
      onMessage: (listener) =>
        port.onMessage((message) => {
          const picture = own(message, 'picture')
          // Once it is ready a program may be speaking, and is believed nothing of what comes after it.
          if (!isReady && own(message, 'type') === 'snapshot' && picture instanceof Uint8Array) snapshot = picture
          else {
            isReady ||= own(message, 'type') === 'ready'
            listener(message)
          }
        }),
    }
  }
  return inWorker({ ...pythonFacts, host, limits, start, isOnce: true })
}
