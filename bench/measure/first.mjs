// What comes first: the first token of a warm run, the first run of a process, and the import before it.
import { loadCore, loadPeer } from '../peers.mjs'
import { eventsOf, scenario as scenarioOf } from '../scenario.mjs'
import { cpuMs, median, warmUp } from './cpu.mjs'
import { player } from './player.mjs'

/** Microseconds from the call to the first request, and from its response to the first text. */
export async function ttft({ peer, scenario, quick }) {
  const once = await player(peer, scenario)
  globalThis.gc()
  await warmUp(once, eventsOf(scenarioOf(scenario)), quick)
  const sums = []
  for (let round = 0; round < (quick ? 150 : 500); round++) {
    const { beforeMs, afterMs } = await once()
    sums.push((beforeMs + afterMs) * 1000)
  }
  return { medianUs: median(sums), minUs: Math.min(...sums) }
}

/** The web globals are loaded lazily by Node: they belong to no peer. */
async function touchPlatform() {
  const text = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('x'))
      controller.close()
    },
  })
  await new Response(text, { headers: new Headers() }).text()
  new AbortController().abort()
  await new Response('{}').body.getReader().read()
}

/** CPU of the very first run of a process, imports apart: what an edge isolate or a page pays. */
export async function cold({ peer, scenario }) {
  await touchPlatform()
  const once = await player(peer, scenario)
  const before = cpuMs()
  const begun = performance.now()
  await once()
  return { cpuMs: cpuMs() - before, wallMs: performance.now() - begun }
}

async function imported(load) {
  await touchPlatform()
  const before = cpuMs()
  const begun = performance.now()
  await load()
  return { cpuMs: cpuMs() - before, wallMs: performance.now() - begun, rssMb: process.memoryUsage().rss / 2 ** 20 }
}

/** CPU of importing all that an agent with a provider and a schema needs. */
export const imports = ({ peer }) => imported(() => loadPeer(peer, { wire: 'openai' }))

/** CPU of importing one entry point alone. */
export const importCore = ({ peer }) => imported(() => loadCore(peer))
