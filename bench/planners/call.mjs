// The floor of plans: the same calls by code, one after the other, without a plan.
import { inRow } from '../steps.mjs'
import { incrementRegistry } from './increment.mjs'

export async function load() {
  const registry = await incrementRegistry()
  const increment = async (n) => (await registry.call('increment', { n })).result
  return {
    build: (scenario) => scenario,
    async run({ shape, size }) {
      if (shape === 'chain') {
        let n = 0
        for (let step = 0; step < size; step++) n = await increment(n)
        return [n]
      }
      const values = []
      for (const n of inRow(size)) values.push(await increment(n))
      return values
    },
  }
}
