// Runs the scenarios of one seed in Node, under their ids. test/runtime runs the same ones in every environment.
import { describe, expect, it } from 'vitest'
import { webHost } from '../../src/host/web-host.ts'
import type { Scenario } from '../../src/testing/kit.ts'
import { scenarios as everywhere } from '../../src/testing/scenarios/all.ts'
import { runSuite } from '../../src/testing/suite.ts'

/** One test for each scenario, whose name starts with its id, and one that there is exactly one for each id. */
export function accept(seed: string, ids: readonly string[], scenarios: readonly Scenario[]): void {
  describe(seed, () => {
    it('has one scenario for each id, and all of them run in every environment', () => {
      expect(scenarios.map(({ name }) => name.split(' ')[0])).toEqual(ids)
      expect(everywhere).toEqual(expect.arrayContaining([...scenarios]))
    })

    it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
      const report = await runSuite([scenario], webHost)
      expect(report.scenarios[0]?.error ?? 'ok').toBe('ok')
    })
  })
}
