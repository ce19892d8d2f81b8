// Writes a run's events to the log as they come, the many small ones joined into fewer rows.
import type { Host } from '../../../src/host/host.ts'
import type { RunEvent } from '../../../src/message/event.ts'
import type { SessionLog } from './log.ts'

const batchMs = 200
const batchChars = 2000

type Delta = Extract<RunEvent, { readonly delta: string }>

export interface Recorder {
  add(event: RunEvent): void
  /** Writes what is held back. */
  flush(): void
  /** Forgets what is held back, so that nothing is written later. */
  close(): void
}

/**
 * Adjacent deltas of one block wait for each other, up to 200 ms or 2000 characters, and become one under the first one's
 * `seq`; everything else is written at once.
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
  const write = (events: readonly RunEvent[]): void => {
    if (events.length === 0) return
    log.append(events)
    log.publish()
  }
  return {
    add(event) {
      if (!('delta' in event)) return write([...take(), event])
      if (held !== undefined && isSameBlock(held, event)) held = { ...held, delta: held.delta + event.delta }
      else {
        write(take())
        held = event
      }
      if (held.delta.length >= batchChars) write(take())
      else cancel ??= host.timer(batchMs, () => write(take()))
    },
    flush: () => write(take()),
    close: () => void take(),
  }
}

const isSameBlock = (left: Delta, right: Delta): boolean =>
  left.type === right.type &&
  left.id === right.id &&
  left.step === right.step &&
  left.path?.join() === right.path?.join()
