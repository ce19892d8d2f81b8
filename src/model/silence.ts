// Notices that a response fell silent. While nobody waits for it, time does not count.
import { SameloopError } from '../error/error.ts'
import type { Host } from '../host/host.ts'

export interface SilenceOptions {
  /** The longest silence within a body, in milliseconds, before it is `stream-stalled`. Default 60,000. */
  readonly idleTimeoutMs?: number | undefined
  /** The longest time without an event, in milliseconds, keep-alive comments notwithstanding. Default 600,000. */
  readonly stallTimeoutMs?: number | undefined
}

export interface Silence {
  /** Bytes are waited for from now on; before the first call the response itself is. */
  wait(): void
  /** Events were handed out: nobody waits. */
  rest(): void
  stop(): void
}

/** Calls `onStalled` once the wait is too long. It has one timer, set again when it fires early. */
export function silence(
  host: Host,
  { idleTimeoutMs = 60_000, stallTimeoutMs = 600_000 }: SilenceOptions,
  onStalled: (error: SameloopError) => void,
): Silence {
  // Since when events are waited for, and bytes.
  let asked = host.now()
  let since = Infinity
  let cancel: (() => void) | undefined
  const stop = (): void => {
    cancel?.()
    cancel = undefined
  }
  const check = (): void => {
    cancel = undefined
    if (asked === Infinity) return
    const left = Math.min(since + idleTimeoutMs, asked + stallTimeoutMs) - host.now()
    if (left > 0) cancel = host.timer(left, check)
    else onStalled(new SameloopError('stream-stalled', 'Model stream stalled', { retryable: true }))
  }
  check()
  return {
    stop,
    wait() {
      if (since === Infinity) stop()
      since = host.now()
      if (asked === Infinity) asked = since
      if (!cancel) check()
    },
    rest() {
      asked = Infinity
    },
  }
}
