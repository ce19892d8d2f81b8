// Abort signals joined and timed without what older runtimes lack, and without listeners left behind.
import type { Host } from '../host/host.ts'

/** A signal made for one task. `release` takes its listeners and timer away, and must be called when the task ends. */
export interface OwnedSignal {
  readonly signal: AbortSignal
  release(): void
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason
}

/** Calls `onAbort` once when the signal aborts, at once where it has; the returned function forgets it. */
export function listen(signal: AbortSignal | undefined, onAbort: (reason: unknown) => void): () => void {
  if (!signal) return () => {}
  if (signal.aborted) {
    onAbort(signal.reason)
    return () => {}
  }
  const listener = (): void => onAbort(signal.reason)
  signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}

/** A signal that aborts with the first of `signals`, for the same reason. */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): OwnedSignal {
  const controller = new AbortController()
  const stops = signals.map((signal) => listen(signal, (reason) => controller.abort(reason)))
  return {
    signal: controller.signal,
    release: () => {
      for (const stop of stops) stop()
    },
  }
}

export interface DeadlineOptions {
  readonly ms: number
  readonly signal?: AbortSignal | undefined
  /** Makes the reason when the time is over. */
  readonly reason: () => unknown
}

/** A signal that aborts with `signal`, or with `reason()` after `ms` milliseconds. */
export function deadline(host: Host, options: DeadlineOptions): OwnedSignal {
  const controller = new AbortController()
  const cancel = host.timer(options.ms, () => controller.abort(options.reason()))
  const stop = listen(options.signal, (reason) => controller.abort(reason))
  return {
    signal: controller.signal,
    release: () => {
      cancel()
      stop()
    },
  }
}

/** Waits `ms` milliseconds of the host's clock; rejects with the signal's reason as soon as it aborts. */
export function sleep(host: Host, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = listen(signal, (reason) => {
      cancel()
      reject(reason)
    })
    const cancel = host.timer(ms, () => {
      stop()
      resolve()
    })
  })
}
