// CPU time of a whole run, warm: user and system time of the process, so garbage collection and compilation count.
import { player } from './player.mjs'

const warmScenario = 'loop10'
/** Short runs are measured several at a time, so that one sample lasts this long. */
const sampleMs = 10

export const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

async function playFor(once, ms) {
  const begun = performance.now()
  let count = 0
  while (count === 0 || performance.now() - begun < ms) {
    await once()
    count++
  }
  return (performance.now() - begun) / count
}

/** `{ min, median, samples, runs, rssMb }`, in milliseconds of CPU per run. */
export async function cpu({ peer, scenario, quick }) {
  const warm = await player(peer, warmScenario + (scenario.includes('@') ? scenario.slice(scenario.indexOf('@')) : ''))
  for (let round = 0; round < 15; round++) await warm()
  const once = await player(peer, scenario)
  const runMs = await playFor(once, quick ? 200 : 600)
  const runs = Math.max(1, Math.ceil(sampleMs / runMs))
  const budget = quick ? 400 : 1500
  const samples = []
  globalThis.gc()
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
