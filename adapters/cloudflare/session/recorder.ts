// Writes a run's events to the log as they come, the many small ones joined into fewer rows.
import type { Host } from '../../../src/host/host.ts'
import { isDelta, joinDelta } from '../../../src/message/delta.ts'
import type { Delta } from '../../../src/message/delta.ts'
import type { RunEvent } from '../../../src/message/event.ts'
import type { SessionLog } from './log.ts'

const batchMs = 200
const batchChars = 2000

export interface Recorder {
  add(event: RunEvent): void
  /** Writes what is held back. */
  flush(): void
  /** Forgets what is held back, so that nothing is written later. */
  close(): void
}

/**
 * Adjacent deltas of one block wait for each other, up to 200 ms or 2000 characters, and become one under the last one's
 * `seq`; everything else is written at once. What cannot be
 * written is thrown by the call that wanted it, or by the next.
 */
export function recorder(log: SessionLog, host: Pick<Host, 'timer'>): Recorder {
  let held: Delta | undefined
  let cancel: (() => void) | undefined
  const take = (): RunEvent[] => {
    cancel?.()
    cancel = undefined
    const events = held === undefined ? [] : [held]
    held = undefined
    return events
  }
  let fault: { readonly thrown: unknown } | undefined
  const write = (events: readonly RunEvent[]): void => {
    if (fault !== undefined) throw fault.thrown
    if (events.length === 0) return
    log.append(events)
    log.publish()
  }
  const writeLate = (): void => {
    try {
      write(take())
    } catch (thrown) {
      fault = { thrown }
    }
  }
  return {
    add(event) {
      if (!isDelta(event)) return write([...take(), event])
      const joined = joinDelta(held, event)
      if (joined === undefined) write(take())
      held = joined ?? event
      if (held.delta.length >= batchChars) write(take())
      else cancel ??= host.timer(batchMs, writeLate)
    },
    flush: () => write(take()),
    close: () => void take(),
  }
}
