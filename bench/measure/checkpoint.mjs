// What keeping a run costs: one record appended to a long log, a run with a store, and a whole snapshot.
import { entry } from '../library.mjs'
import { agentFactory, messagesOf } from '../peers/ours.mjs'
import { provider } from '../provider.mjs'
import { filler, scenario, witness } from '../scenario.mjs'
import { cpuMs } from './cpu.mjs'

const best = (samples) => Math.min(...samples)

const record = (seq) => ({
  seq,
  type: 'journal-message',
  data: { role: 'user', content: [{ type: 'text', text: `${seq} ${filler(220)}` }] },
})

/** Microseconds of CPU per appended message of about 250 bytes, after `length` earlier ones. */
async function appendUs(memoryStore, length) {
  const store = memoryStore()
  const epoch = await store.lease('run')
  await store.append(
    'run',
    Array.from({ length }, (_, index) => record(index + 1)),
    { expectSeq: 0, epoch },
  )
  let last = length
  const samples = []
  for (let sample = 0; sample < 30; sample++) {
    const made = Array.from({ length: 200 }, (_, index) => record(last + index + 1))
    const before = cpuMs()
    for (const one of made) await store.append('run', [one], { expectSeq: last++, epoch })
    samples.push(((cpuMs() - before) * 1000) / made.length)
    if (last > length * 2 + 2000) break
  }
  return best(samples)
}

/** A finished run: `{ result, appended }`. */
async function finished(makeAgent, name, store) {
  const chosen = scenario(name)
  const model = provider(chosen)
  const { onText, work, check } = witness(chosen, model)
  const run = makeAgent({ fetch: model.fetch, work, store }).run(messagesOf(chosen))
  for await (const event of run) if (event.type === 'text-delta') onText(event.delta)
  check()
  return run.result
}

/** How many records a run writes to its store. */
async function recordsOf(makeAgent, memoryStore, name) {
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
  const { messages } = await finished(makeAgent, name, counting)
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
  const { memoryStore } = await entry('./journal')
  const makeAgent = await agentFactory()
  const rounds = quick ? 10 : 40
  await appendUs(memoryStore, 100)
  return {
    appendUs: {
      100: await appendUs(memoryStore, 100),
      1000: await appendUs(memoryStore, 1000),
      10000: await appendUs(memoryStore, 10_000),
    },
    log: await recordsOf(makeAgent, memoryStore, 'loop100'),
    snapshot: {
      10: await snapshotOf(makeAgent, 'loop10', rounds),
      100: await snapshotOf(makeAgent, 'loop100', rounds),
      400: await snapshotOf(makeAgent, 'loop400', quick ? 3 : 10),
    },
  }
}
