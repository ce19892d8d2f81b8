// A Worker of a page, for a sandbox.
import type { WorkerPort } from '../../src/isolated/worker-message.ts'
import { webWorkerPort } from '../virtual/web-worker.ts'

/**
 * Starts a module Worker whose script calls `serveInterpreter(self, …)`. The page's security policy must allow the
 * script (`worker-src`), and `sameloop-worker` where it wants Trusted Types; a `connect-src` that the script's own
 * response denies keeps the Worker off the network. A Worker that runs out of memory may take its page with it; limits
 * of the interpreter come first.
 */
export function browserWorker(url: string | URL): WorkerPort {
  return webWorkerPort(new Worker(trusted(url), { type: 'module' }))
}

interface ScriptPolicy {
  /** The types of the web say that it is a string. */
  createScriptURL(url: string): string
}

interface TrustedTypes {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy
}

let policy: ScriptPolicy | undefined

/** The address as pages with Trusted Types want it. Who makes a sandbox has chosen it: nothing of a model is in it. */
function trusted(url: string | URL): string | URL {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  if (trustedTypes === undefined) return url
  try {
    policy ??= trustedTypes.createPolicy('sameloop-worker', { createScriptURL: (text) => text })
  } catch {
    // The page does not allow the name; whether it allows the Worker is seen when it is made.
    return url
  }
  return policy.createScriptURL(String(url))
}
