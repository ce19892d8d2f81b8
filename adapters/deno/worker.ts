// A Worker of Deno, for a sandbox.
import type { WorkerPort } from '../../src/isolated/worker-message.ts'
import { webWorkerPort } from '../virtual/web-worker.ts'

interface DenoWorkerOptions extends WorkerOptions {
  readonly deno?: { readonly permissions: 'none' }
}

/**
 * Starts a module Worker whose script calls `serveInterpreter(self, …)`. It has the permissions of the program unless
 * `permissions` is 'none', for which Deno must run with `--unstable-worker-options`: without that flag it ends the
 * process. Memory has no limit of its own.
 */
export function denoWorker(
  url: string | URL,
  { permissions }: { readonly permissions?: 'none' | undefined } = {},
): WorkerPort {
  const options: DenoWorkerOptions = { type: 'module', ...(permissions && { deno: { permissions } }) }
  return webWorkerPort(new Worker(url, options))
}
