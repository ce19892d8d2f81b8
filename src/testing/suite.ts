// Runs scenarios one after the other and reports what each did, in a form that can cross any boundary as JSON.
import type { Host } from '../host/host.ts'
import { kit } from './kit.ts'
import type { Scenario } from './kit.ts'
import { traceHash } from './trace.ts'

export interface ScenarioReport {
  readonly name: string
  readonly ok: boolean
  /** Why it failed. */
  readonly error?: string | undefined
  readonly trace: readonly string[]
}

export interface SuiteReport {
  readonly scenarios: readonly ScenarioReport[]
  /** Over the names and traces of all scenarios. */
  readonly hash: string
}

const described = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error)

async function runScenario(scenario: Scenario, world: Pick<Host, 'timer'>, limitMs: number): Promise<ScenarioReport> {
  const made = kit(world)
  let cancel = (): void => {}
  const late = new Promise<never>((_, reject) => {
    cancel = world.timer(limitMs, () => reject(new Error(`Not finished after ${limitMs} ms of real time`)))
  })
  try {
    await Promise.race([scenario.run(made), late])
    return { name: scenario.name, ok: true, trace: [...made.lines()] }
  } catch (error) {
    return { name: scenario.name, ok: false, error: described(error), trace: [...made.lines()] }
  } finally {
    cancel()
    made.clock.stop()
  }
}

/** Runs the scenarios in order. `world` is the real host; `limitMs` (default 20,000) only keeps a scenario from hanging. */
export async function runSuite(
  scenarios: readonly Scenario[],
  world: Pick<Host, 'timer'>,
  limitMs = 20_000,
): Promise<SuiteReport> {
  const reports: ScenarioReport[] = []
  for (const scenario of scenarios) reports.push(await runScenario(scenario, world, limitMs))
  const hash = traceHash(reports.flatMap((report) => [report.name, ...report.trace]))
  return { scenarios: reports, hash }
}
