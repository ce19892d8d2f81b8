// sameloop's plans, as a user has them: checked JSON, run through the registry's one call path.
import { entry } from '../library.mjs'
import { inRow } from '../steps.mjs'
import { incrementRegistry } from './increment.mjs'

const tool = 'increment'

const stepsOf = {
  chain: (size) =>
    inRow(size).map((n) => ({ id: `s${n}`, tool, input: { n: n === 0 ? 0 : { $from: `s${n - 1}`, path: 'result' } } })),
  wide: (size) => inRow(size).map((n) => ({ id: `s${n}`, tool, input: { n } })),
  each: (size) => [{ id: 'all', tool, input: { n: { $item: true } }, forEach: inRow(size), maxItems: size }],
}

const valuesOf = {
  chain: (steps) => [steps.at(-1).value.result],
  wide: (steps) => steps.map(({ value }) => value.result),
  each: ([{ value }]) => value.map(({ result }) => result),
}

export async function load() {
  const { orchestrator, plan } = await entry('./plan')
  const flow = orchestrator({ registry: await incrementRegistry() })
  return {
    build: ({ shape, size }) => plan({ version: 1, steps: stepsOf[shape](size) }),
    async run({ shape, isRead }, built) {
      const run = flow.run(built)
      if (isRead) for await (const _ of run);
      const { status, steps, error } = await run.result
      if (status !== 'done') throw error ?? new Error(`The run ended "${status}"`)
      return valuesOf[shape](steps)
    },
  }
}
