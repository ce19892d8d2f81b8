// Many agents at once, all of them held in the middle of their runs.
import { cpuMs } from './cpu.mjs'
import { player } from './player.mjs'

const heldAt = 3

/** Starts `count` runs and resolves when all wait for the response of step 3: `{ release(), ended }`. */
async function hold(once, count) {
  const gates = {}
  const opened = new Promise((resolve) => {
    gates.open = resolve
  })
  let waiting = 0
  const all = new Promise((resolve) => {
    gates.all = resolve
  })
  const gate = async (step) => {
    if (step !== heldAt) return
    if (++waiting === count) gates.all()
    await opened
  }
  const ended = Promise.all(Array.from({ length: count }, () => once({ gate })))
  // A run that fails before the gate ends the wait.
  await Promise.race([all, ended])
  return { release: gates.open, ended }
}

/** kB of heap per live agent, and CPU per step with all of them alive. */
export async function heap({ peer, scenario, quick }) {
  const count = quick ? 500 : 2000
  const once = await player(peer, scenario)
  for (let round = 0; round < 30; round++) await once()
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  const begun = cpuMs()
  const { release, ended } = await hold(once, count)
  const half = cpuMs() - begun
  globalThis.gc()
  const heapUsed = process.memoryUsage().heapUsed - before
  const resumed = cpuMs()
  release()
  await ended
  const steps = count * 6
  return { agents: count, kbPerAgent: heapUsed / count / 1024, cpuMsPerStep: (half + cpuMs() - resumed) / steps }
}

/** Whether 5,000 live agents fit; the process is started with a small heap. Each run is checked. */
export async function crowd({ peer, scenario }) {
  const agents = 5000
  const once = await player(peer, scenario)
  const { release, ended } = await hold(once, agents)
  const heapMb = process.memoryUsage().heapUsed / 2 ** 20
  release()
  await ended
  return { agents, heapMb, rssMb: process.resourceUsage().maxRSS / 1024 }
}
