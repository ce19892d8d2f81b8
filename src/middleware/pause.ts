// Waiting, with the host's clock, but not beyond an abort.
import type { Host } from '../host/host.ts'

/** Resolves after `ms`, or as soon as the signal aborts. */
export function pause(host: Host, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      stop()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const stop = host.timer(ms, end)
    signal?.addEventListener('abort', end)
  })
}
