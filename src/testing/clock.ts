// A clock that waits for nothing: a timer fires as soon as no other work is left, and time jumps to it.
import type { Host } from '../host/host.ts'

/** Real macrotask turns without activity after which nothing is thought to be under way. */
const quietTurns = 4

export interface VirtualClock {
  /** Milliseconds since the epoch; starts at 2026-01-01T00:00:00Z. */
  now(): number
  timer(ms: number, fire: () => void): () => void
  /** Resolves after `ms` of virtual time; rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Resolves when no work is left, without moving the time. */
  settle(): Promise<void>
  /** Tells the clock that something is going on, so that it waits a little longer. */
  touch(): void
  /** How many timers are set. */
  pending(): number
  /** Drops all timers; ones set later never fire. */
  stop(): void
}

interface Timer {
  readonly due: number
  readonly fire: () => void
}

function sleepOn(timer: VirtualClock['timer'], ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = (): void => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = timer(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/**
 * Timers fire one at a time, in the order of their due time and then of their making, and before each the clock waits
 * until a few real macrotask turns have passed without activity. What is deterministic between timers therefore is
 * deterministic as a whole.
 */
export function virtualClock(world: Pick<Host, 'timer'>): VirtualClock {
  let time = Date.UTC(2026, 0, 1)
  let timers: Timer[] = []
  let waiting: (() => void)[] = []
  let activity = 0
  let turning = false
  let stopped = false

  const nextTurn = (quiet: number, seen: number): void => {
    turning = timers.length + waiting.length > 0
    if (turning) world.timer(0, () => turn(activity === seen ? quiet + 1 : 0))
  }
  const turn = (quiet: number): void => {
    if (quiet < quietTurns) return nextTurn(quiet, activity)
    const seen = activity
    const settled = waiting
    waiting = []
    if (settled.length > 0) for (const resolve of settled) resolve()
    else fireEarliest()
    nextTurn(0, seen)
  }
  const fireEarliest = (): void => {
    const [first] = timers
    if (first === undefined) return
    timers = timers.slice(1)
    time = Math.max(time, first.due)
    first.fire()
  }
  const wake = (): void => {
    activity++
    if (!turning) nextTurn(0, activity)
  }
  const timer = (ms: number, fire: () => void): (() => void) => {
    const entry: Timer = { due: time + (ms > 0 ? ms : 0), fire }
    if (stopped) return () => {}
    const later = timers.findIndex((other) => other.due > entry.due)
    timers.splice(later < 0 ? timers.length : later, 0, entry)
    wake()
    return () => {
      timers = timers.filter((other) => other !== entry)
    }
  }
  return {
    now: () => time,
    timer,
    sleep: (ms, signal) => sleepOn(timer, ms, signal),
    settle: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        wake()
      }),
    touch: () => void activity++,
    pending: () => timers.length,
    stop: () => {
      stopped = true
      timers = []
    },
  }
}
