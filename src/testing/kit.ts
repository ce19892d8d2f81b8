// What a scenario is given: a world in which nothing is left to chance, and a record of what happened in it.
import type { Host } from '../host/host.ts'
import { check, equal, includes, throws } from './assertion.ts'
import { virtualClock } from './clock.ts'
import type { VirtualClock } from './clock.ts'
import { serverFetch } from './server.ts'
import type { Answering, ServerRequest } from './server.ts'
import { hmacSha256, sha256 } from './sha256.ts'
import { canonicalJson, canonicalTrace } from './trace.ts'

/**
 * A scenario: plain code that needs no test runner, throws when something is wrong, and leaves a trace that must be the
 * same in every runtime. Concurrency is ordered only through the kit's clock.
 */
export interface Scenario {
  /** A sentence about behaviour; unique in the suite. */
  readonly name: string
  run(kit: Kit): Promise<void>
}

export interface Kit {
  /** Virtual clock, ids that count up (`run_1`, `run_2`), `random` always 0.5, digests in own code, `serve`d fetch. */
  readonly host: Host
  readonly clock: VirtualClock
  /** Virtual time; what a slow tool waits on. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Answers every `host.fetch` from now on. Before, a fetch fails. */
  serve(answering: Answering): void
  /** What was fetched, in order. */
  readonly requests: readonly ServerRequest[]
  /** Reads events to their end, adds them to the scenario's trace, and returns them. */
  trace<Event extends object>(events: AsyncIterable<Event> | Iterable<Event>): Promise<readonly Event[]>
  /** Adds one line to the scenario's trace. */
  note(label: string, value: unknown): void
  /** The scenario's trace so far. */
  lines(): readonly string[]
  readonly check: typeof check
  readonly equal: typeof equal
  readonly includes: typeof includes
  readonly throws: typeof throws
}

function kitHost(clock: VirtualClock, fetch: Host['fetch']): Host {
  const counters = new Map<string, number>()
  const touched = <Value>(value: Value): Value => {
    clock.touch()
    return value
  }
  return {
    fetch,
    now: clock.now,
    id: (prefix) => {
      const count = (counters.get(prefix) ?? 0) + 1
      counters.set(prefix, count)
      return touched(`${prefix}${count}`)
    },
    random: () => 0.5,
    timer: clock.timer,
    digest: async (data) => touched(sha256(data)),
    hmac: async (key, data) => touched(hmacSha256(key, data)),
  }
}

/** A fresh kit. `world` lends the real macrotask turns by which the virtual clock sees that no work is left. */
export function kit(world: Pick<Host, 'timer'>): Kit {
  const clock = virtualClock(world)
  const requests: ServerRequest[] = []
  const lines: string[] = []
  let answering: Answering = (request) => {
    throw new Error(`Cannot fetch "${request.url}": the scenario serves nothing`)
  }
  const fetch = serverFetch((request) => {
    requests.push(request)
    return answering(request)
  }, clock)
  return {
    host: kitHost(clock, fetch),
    clock,
    sleep: clock.sleep,
    serve: (answer) => {
      answering = answer
    },
    requests,
    trace: async (events) => {
      const seen = []
      for await (const event of events) {
        clock.touch()
        seen.push(event)
      }
      lines.push(...canonicalTrace(seen))
      return seen
    },
    note: (label, value) => void lines.push(`${label} ${canonicalJson(value)}`),
    lines: () => lines,
    check,
    equal,
    includes,
    throws,
  }
}
