// CPU time of a whole run, warm: user and system time of the process, so garbage collection and compilation count.
import { eventsOf, scenario } from '../scenario.mjs'
import { player } from './player.mjs'

/** Short runs are measured several at a time, so that one sample lasts this long. */
export const sampleMs = 10

export const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

/** Plays for at least 100 ms: the CPU of the fastest run, and how many there were. */
async function fastest(once) {
  const begun = performance.now()
  let best = Infinity
  let runs = 0
  while (runs === 0 || performance.now() - begun < 100) {
    const before = cpuMs()
    await once()
    best = Math.min(best, cpuMs() - before)
    runs++
  }
  return { best, runs }
}

/** What a peer must have read before it counts as warm: compilers need some thousand steps to come round. */
const warmEvents = 40_000

/**
 * Plays, with so many events in a run, until a peer has read enough and gets no faster, or the time is up. Resolves to
 * the CPU of the fastest run.
 */
export async function warmUp(once, events, quick) {
  const leastRuns = warmEvents / events
  const mostMs = quick ? 4000 : 10_000
  const begun = performance.now()
  let best = Infinity
  let runs = 0
  for (let stale = 0; stale < 4 || runs < leastRuns;) {
    const found = await fastest(once)
    stale = found.best < best * 0.97 ? 0 : stale + 1
    best = Math.min(best, found.best)
    runs += found.runs
    if (performance.now() - begun > mostMs) break
  }
  return best
}

/** `{ min, median, samples, runs, rssMb }`, in milliseconds of CPU per run. */
export async function cpu({ peer, scenario: name, quick }) {
  const warm = await player(peer, `loop10@${scenario(name).wire}`)
  for (let round = 0; round < 15; round++) await warm()
  const once = await player(peer, name)
  // Before the warm-up, not after it: a full collection throws away compiled code whose shapes have no live object.
  globalThis.gc()
  const runMs = await warmUp(once, eventsOf(scenario(name)), quick)
  const runs = Math.max(1, Math.ceil(sampleMs / Math.max(runMs, 0.01)))
  const budget = quick ? 400 : 1500
  const samples = []
  const begun = performance.now()
  while (samples.length < 3 || (samples.length < 60 && performance.now() - begun < budget)) {
    const before = cpuMs()
    for (let run = 0; run < runs; run++) await once()
    samples.push((cpuMs() - before) / runs)
    // A slow peer is not measured for minutes.
    if (performance.now() - begun > budget * 8) break
  }
  return {
    min: Math.min(...samples),
    median: median(samples),
    samples: samples.length,
    runs,
    rssMb: process.resourceUsage().maxRSS / 1024,
  }
}
