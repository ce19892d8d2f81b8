// What a log costs a message: the append alone, after long histories, and in runs with and without a store.
import { entry } from '../library.mjs'
import { agentFactory } from '../peers/ours.mjs'
import { filler } from '../scenario.mjs'
import { finished } from './checkpoint.mjs'
import { cpuMs } from './cpu.mjs'

const message = (number) => ({ role: 'user', content: [{ type: 'text', text: `${number} ${filler(220)}` }] })

const timer = (ms, wake) => {
  const set = setTimeout(() => wake(), ms)
  return () => clearTimeout(set)
}

/** A log with `length` messages in it: `append(message)` as a store's contract has it, or by way of the run's journal. */
const logs = {
  async store(memoryStore, length) {
    const store = memoryStore()
    const { epoch } = await store.lease('run')
    let last = 0
    const record = (data) => ({ seq: ++last, type: 'journal-message', data: JSON.stringify(data) })
    const given = Array.from({ length }, (_, index) => record(message(index)))
    await store.append('run', given, { expectSeq: 0, epoch })
    return (data) => {
      const expectSeq = last
      return store.append('run', [record(data)], { expectSeq, epoch })
    }
  },
  async journal(memoryStore, length) {
    const host = { now: Date.now, timer }
    const journal = memoryStore().open('run', { driver: 'agent', seq: 0, snapshot: () => ({}), host })
    await journal.opened
    for (let index = 0; index < length; index++) journal.note('journal-message', message(index))
    await journal.commit()
    return (data) => {
      journal.note('journal-message', data)
      return journal.commit()
    }
  },
}

/** Microseconds of CPU per appended message of about 250 bytes, serialised and awaited, after `length` earlier ones. */
async function appendUs(memoryStore, length, kind) {
  let best = Infinity
  for (let log = 0; log < 4; log++) {
    const append = await logs[kind](memoryStore, length)
    for (let sample = 0; sample < 10; sample++) {
      const made = Array.from({ length: 200 }, (_, index) => message(index))
      const before = cpuMs()
      for (const one of made) await append(one)
      best = Math.min(best, ((cpuMs() - before) * 1000) / made.length)
      // A short log is to stay short.
      if (sample * made.length > length + 500) break
    }
  }
  return best
}

async function appends(memoryStore, kind) {
  await appendUs(memoryStore, 1000, kind)
  return {
    100: await appendUs(memoryStore, 100, kind),
    1000: await appendUs(memoryStore, 1000, kind),
    10000: await appendUs(memoryStore, 10_000, kind),
  }
}

/** Runs of both kinds in turn: what disturbs one disturbs the other. */
async function runs(makeAgent, memoryStore, { name, rounds }) {
  const best = { withoutMs: Infinity, withMs: Infinity }
  let count = 0
  for (let round = 0; round < rounds; round++) {
    for (const [key, store] of [['withoutMs'], ['withMs', memoryStore()]]) {
      const before = cpuMs()
      const { messages } = await finished(makeAgent, name, store)
      best[key] = Math.min(best[key], cpuMs() - before)
      count = messages.length
    }
  }
  return { ...best, usPerMessage: ((best.withMs - best.withoutMs) * 1000) / count }
}

export async function journal({ quick }) {
  const { memoryStore } = await entry('./journal')
  const makeAgent = await agentFactory()
  return {
    storeUs: await appends(memoryStore, 'store'),
    journalUs: await appends(memoryStore, 'journal'),
    runs: {
      loop100: await runs(makeAgent, memoryStore, { name: 'loop100', rounds: quick ? 60 : 200 }),
      loop400: await runs(makeAgent, memoryStore, { name: 'loop400', rounds: quick ? 15 : 40 }),
    },
  }
}
