// CPU of plans, warm, per step: of running one that is built, and of building it.
import { loadPlanner } from '../peers.mjs'
import { checkValues, planScenario } from '../steps.mjs'
import { cpuMs, median, sampleMs, warmUp } from './cpu.mjs'

/** A play that is checked. */
const player = (planner, scenario) => {
  const built = planner.build(scenario)
  return async () => checkValues(scenario, await planner.run(scenario, built))
}

/** `{ stepUs, medianUs, buildUs }`: microseconds of CPU per call that the plan makes. */
export async function plans({ peer, scenario: name, quick }) {
  const scenario = planScenario(name)
  const { size } = scenario
  const planner = await loadPlanner(peer)
  const once = player(planner, scenario)
  globalThis.gc()
  const runMs = await warmUp(once, size, quick)
  const runs = Math.max(1, Math.ceil(sampleMs / Math.max(runMs, 0.01)))
  const budget = quick ? 600 : 1500
  const samples = []
  const builds = []
  const begun = performance.now()
  while (samples.length < 2 || performance.now() - begun < budget) {
    const before = cpuMs()
    for (let run = 0; run < runs; run++) await once()
    const between = cpuMs()
    for (let run = 0; run < runs; run++) planner.build(scenario)
    samples.push(((between - before) * 1000) / runs / size)
    builds.push(((cpuMs() - between) * 1000) / runs / size)
    // A slow peer is not measured for minutes.
    if (performance.now() - begun > budget * 8) break
  }
  return { stepUs: Math.min(...samples), medianUs: median(samples), buildUs: Math.min(...builds) }
}
