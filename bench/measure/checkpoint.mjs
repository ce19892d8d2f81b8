// What keeping a run costs: what it writes to its store, and a whole snapshot.
import { entry } from '../library.mjs'
import { agentFactory, messagesOf } from '../peers/ours.mjs'
import { provider } from '../provider.mjs'
import { scenario, witness } from '../scenario.mjs'
import { cpuMs } from './cpu.mjs'

const best = (samples) => Math.min(...samples)

/** A finished run: `{ result, appended }`. */
export async function finished(makeAgent, name, store) {
  const chosen = scenario(name)
  const model = provider(chosen)
  const { onText, work, check } = witness(chosen, model)
  const run = makeAgent({ fetch: model.fetch, work, store }).run(messagesOf(chosen))
  for await (const event of run) if (event.type === 'text-delta') onText(event.delta)
  check()
  return run.result
}

/** How many records a run writes to its store. */
async function recordsOf(makeAgent, { memoryStore, runStore }, name) {
  const store = memoryStore()
  let records = 0
  let appends = 0
  const counting = {
    ...store,
    append(run, given, options) {
      records += given.length
      appends++
      return store.append(run, given, options)
    },
  }
  const { messages } = await finished(makeAgent, name, runStore(counting))
  return { records, appends, messages: messages.length }
}

/** Microseconds of CPU to make the snapshot of a run and write it as JSON, and its size. */
async function snapshotOf(makeAgent, name, rounds) {
  const samples = []
  let facts
  for (let round = 0; round < rounds; round++) {
    const result = await finished(makeAgent, name)
    const before = cpuMs()
    const text = JSON.stringify(result.snapshot)
    samples.push((cpuMs() - before) * 1000)
    facts = { messages: result.messages.length, bytes: text.length }
  }
  return { us: best(samples), ...facts }
}

export async function checkpoint({ quick }) {
  const stores = await entry('./journal')
  const makeAgent = await agentFactory()
  const rounds = quick ? 10 : 40
  return {
    log: await recordsOf(makeAgent, stores, 'loop100'),
    snapshot: {
      10: await snapshotOf(makeAgent, 'loop10', rounds),
      100: await snapshotOf(makeAgent, 'loop100', rounds),
      400: await snapshotOf(makeAgent, 'loop400', quick ? 3 : 10),
    },
  }
}
