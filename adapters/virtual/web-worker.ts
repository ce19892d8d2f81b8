// A Worker of the web, as pages and Deno have it, for a sandbox.
import type { WorkerPort } from '../../src/isolated/worker-message.ts'

/** What an uncaught error in it does is decided here: nothing, but that the sandbox hears of it. */
export function webWorkerPort(worker: Worker): WorkerPort {
  return {
    postMessage: (message, transfer) => worker.postMessage(message, transfer),
    onMessage: (listener) => worker.addEventListener('message', ({ data }) => listener(data)),
    onError: (listener) => {
      worker.addEventListener('error', (event) => {
        event.preventDefault()
        listener(event)
      })
      worker.addEventListener('messageerror', listener)
    },
    terminate: () => worker.terminate(),
  }
}
