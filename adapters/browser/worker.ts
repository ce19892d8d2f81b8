// A Worker of a page, for a sandbox.
import type { WorkerPort } from '../../src/isolated/worker-message.ts'
import { webWorkerPort } from '../virtual/web-worker.ts'
import { trustedUrl } from './trusted.ts'

/**
 * Starts a module Worker whose script calls `serveInterpreter(self, …)`. The page's security policy must allow the
 * script (`worker-src`), and `sameloop-worker` where it wants Trusted Types; a `connect-src` that the script's own
 * response denies keeps the Worker off the network. A Worker that runs out of memory may take its page with it; limits
 * of the interpreter come first.
 */
export function browserWorker(url: string | URL): WorkerPort {
  return webWorkerPort(new Worker(trustedUrl(url), { type: 'module' }))
}
