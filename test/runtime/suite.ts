// What every environment runs: all scenarios, on the real host's turns, with stray rejections caught where it can be.
import { entryPoints } from 'entry-points'
import { webHost } from '../../src/host/web-host.ts'
import { scenarios } from '../../src/testing/scenarios/all.ts'
import { runSuite } from '../../src/testing/suite.ts'
import { suspend } from './move.ts'
import { swapScenarios } from './swap.ts'
import type { Scenario } from '../../src/testing/kit.ts'
import type { SuiteReport } from '../../src/testing/suite.ts'

export { arrive } from './move.ts'

export interface EnvironmentReport extends SuiteReport {
  /** Promise rejections that nobody handled. */
  readonly faults: readonly string[]
  readonly agent: string
  /** Runs that were suspended here, for other environments to go on with; empty where only some scenarios run. */
  readonly luggage: string
}

/** A part of a name, put in by the bundler; empty for all. */
declare const ONLY_SCENARIOS: string

const importing: Scenario = {
  name: 'every entry point can be imported and gives the same names',
  run: async (kit) => {
    for (const [key, names] of Object.entries(entryPoints)) kit.note(key, Object.keys(names).sort())
  },
}

/** Runs everything and returns the report as JSON. */
export async function report(): Promise<string> {
  const faults: string[] = []
  const scope = globalThis as {
    addEventListener?: (type: string, listen: (event: PromiseRejectionEvent) => void) => void
  }
  scope.addEventListener?.('unhandledrejection', (event) => {
    event.preventDefault()
    faults.push(`Unhandled rejection: ${String(event.reason)}`)
  })
  const chosen = [importing, ...scenarios, ...swapScenarios].filter(({ name }) => name.includes(ONLY_SCENARIOS))
  const suite = await runSuite(chosen, webHost)
  const agent = globalThis.navigator?.userAgent ?? ''
  const luggage = ONLY_SCENARIOS === '' ? await suspend() : ''
  return JSON.stringify({ ...suite, faults, agent, luggage } satisfies EnvironmentReport)
}
