// Writes a run's events to the session's log as they come, the many small ones joined into fewer rows.
import type { Host } from '../../../src/host/host.ts'
import { isDelta, joinDelta } from '../../../src/message/delta.ts'
import type { Delta } from '../../../src/message/delta.ts'
import type { RunEvent } from '../../../src/message/event.ts'
import { serial } from '../../../src/stream/serial.ts'
import type { SessionLog } from './log.ts'

const batchMs = 200
const batchChars = 2000

export interface RecorderOptions {
  readonly host: Pick<Host, 'timer'>
  /**
   * Resolves when the run's own log has all so far. It is waited for before anything is written, so that nobody sees what
   * a crash would make undone.
   */
  readonly saved: () => Promise<void>
}

export interface Recorder {
  /** Resolves when it is written, or held back. */
  add(event: RunEvent): Promise<void>
  /** Writes what is held back. */
  flush(): Promise<void>
  /** Forgets what is held back, so that nothing is written later. */
  close(): void
}

/**
 * Adjacent deltas of one block wait for each other, up to 200 ms or 2000 characters, and become one under the last one's
 * `seq`; everything else is written at once. What cannot be written rejects the call that wanted it, and all after it.
 */
export function recorder(log: SessionLog, { host, saved }: RecorderOptions): Recorder {
  const inTurn = serial()
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
  const write = (events: readonly RunEvent[]): Promise<void> =>
    inTurn(async () => {
      if (fault !== undefined) throw fault.thrown
      if (events.length === 0) return
      try {
        await saved()
        log.append(events)
      } catch (thrown) {
        fault = { thrown }
        throw thrown
      }
      log.publish()
    })
  // What fails here is told by the next call.
  const writeLate = (): void => void write(take()).catch(() => undefined)
  return {
    async add(event) {
      if (fault !== undefined) throw fault.thrown
      if (!isDelta(event)) return write([...take(), event])
      const joined = joinDelta(held, event)
      const before = joined === undefined ? take() : []
      held = joined ?? event
      cancel ??= host.timer(batchMs, writeLate)
      if (held.delta.length >= batchChars) before.push(...take())
      if (before.length > 0) await write(before)
    },
    flush: () => write(take()),
    close: () => void take(),
  }
}
