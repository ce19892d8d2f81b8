// Every scenario as a test of its own in Node, for good messages; test/runtime proves that all runtimes agree.
import { expect, it } from 'vitest'
import { webHost } from '../../src/host/web-host.ts'
import { scenarios } from '../../src/testing/scenarios/all.ts'
import { runSuite } from '../../src/testing/suite.ts'

it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
  const report = await runSuite([scenario], webHost)
  expect(report.scenarios[0]?.error ?? 'ok').toBe('ok')
})
