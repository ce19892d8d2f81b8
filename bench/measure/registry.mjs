// What a call by code costs through the one call path, and what a large registry costs a step.
import { entry } from '../library.mjs'
import { cpuMs } from './cpu.mjs'

const best = (samples) => Math.min(...samples)

/** Nanoseconds of CPU per call, the smallest of the rounds. */
async function callNs(call, { rounds, calls }) {
  const samples = []
  for (let round = 0; round < rounds; round++) {
    const before = cpuMs()
    for (let n = 0; n < calls; n++) await call({ n })
    samples.push(((cpuMs() - before) * 1e6) / calls)
  }
  return best(samples)
}

export async function registry({ quick }) {
  const { toolRegistry } = await entry('./registry')
  const { tool } = await entry('./valibot')
  const v = await import('valibot')
  const input = v.object({ n: v.number() })
  const one = toolRegistry().register(
    tool({ name: 'increment', description: 'Adds one.', input, execute: ({ n }) => n + 1 }),
  )
  /** The same check and the same shape of result, by hand. */
  const byHand = async (given) => {
    const parsed = v.safeParse(input, given)
    if (!parsed.success) throw new Error('Invalid input')
    return { result: parsed.output.n + 1 }
  }
  const size = { rounds: quick ? 8 : 20, calls: 20_000 }
  const many = toolRegistry().register(
    Array.from({ length: 500 }, (_, index) =>
      tool({ name: `tool_${index}`, description: 'One of many.', execute: () => index }),
    ),
  )
  const first = many.definitions()
  const before = cpuMs()
  for (let turn = 0; turn < 200; turn++) if (many.definitions() !== first) throw new Error('The definitions changed')
  const definitionsMs = (cpuMs() - before) / 200
  return {
    byHandNs: await callNs(byHand, size),
    callNs: await callNs((given) => one.call('increment', given), size),
    definitionsMs,
  }
}
