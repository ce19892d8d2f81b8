// A world for tests: a clock that moves by hand (or by itself), ids that count, numbers that repeat.
import { webHost } from '../src/host/web-host.ts'
import type { Fetch, Host } from '../src/host/host.ts'

export interface TestHostOptions {
  readonly fetch?: Fetch
  /** The first value of the clock. Default 0. */
  readonly now?: number
  /** What `random` answers, in turn, over and over. Default 0.5. */
  readonly random?: readonly number[]
  /** Fires the earliest timer by itself whenever nothing else is left to do. Default false. */
  readonly auto?: boolean
}

export interface TestHost extends Host {
  /** Moves the clock, firing what is due in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>
  /** How many timers wait. */
  readonly timers: number
  /** How long each timer ever set was to wait. */
  readonly waits: readonly number[]
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/** Lets everything that only waits for promises run. */
export const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

export function testHost(options: TestHostOptions = {}): TestHost {
  const { auto = false, random = [0.5] } = options
  let now = options.now ?? 0
  let ids = 0
  let drawn = 0
  const waiting = new Set<Timer>()
  const waits: number[] = []

  const next = (until: number): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of waiting) if (timer.at <= until && (!first || timer.at < first.at)) first = timer
    return first
  }
  const fire = (timer: Timer): void => {
    waiting.delete(timer)
    now = Math.max(now, timer.at)
    timer.fire()
  }
  const idle = async (): Promise<void> => {
    for (let round = 0; round < 3; round++) await settle()
    const timer = next(Infinity)
    if (timer) fire(timer)
  }

  return {
    fetch: options.fetch ?? (() => Promise.reject(new Error('This test has no network'))),
    now: () => now,
    id: (prefix) => prefix + ++ids,
    random: () => random[drawn++ % random.length] ?? 0,
    timer: (ms, callback) => {
      const timer = { at: now + Math.max(0, ms), fire: callback }
      waiting.add(timer)
      waits.push(ms)
      if (auto) void idle()
      return () => void waiting.delete(timer)
    },
    digest: (data) => webHost.digest(data),
    hmac: (key, data) => webHost.hmac(key, data),
    async advance(ms) {
      const until = now + ms
      await settle()
      for (let timer = next(until); timer; timer = next(until)) {
        fire(timer)
        await settle()
      }
      now = until
      await settle()
    },
    get timers() {
      return waiting.size
    },
    waits,
  }
}
