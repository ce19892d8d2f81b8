// Random conversations with a store: the log alone gives the snapshot that the run made, and happens again.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readLog } from '../../src/journal/log.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import type { RunResult } from '../../src/run/run.ts'
import { rebuild } from '../../src/recovery/rebuild.ts'
import { replay } from '../../src/replay/replay.ts'
import { kit } from '../../src/testing/kit.ts'
import { randomConversation } from '../../src/testing/random/conversation.ts'
import type { RandomCast } from '../../src/testing/random/cast.ts'
import { canonicalTrace } from '../../src/testing/trace.ts'

const runs = process.env['SAMELOOP_LONG'] === '1' ? 3000 : 100

const world = {
  timer: (_: number, fire: () => void) => {
    const handle = setImmediate(fire)
    return () => clearImmediate(handle)
  },
}

async function conversation(seed: number, onEnd: (log: Log, result: RunResult, cast: RandomCast) => Promise<void>) {
  const store = memoryStore()
  const made = kit(world)
  await randomConversation(made, seed, {
    store,
    onEnd: async (result, cast) => onEnd(await readLog(store, result.snapshot.run), result, cast),
  })
  made.clock.stop()
}

type Log = Awaited<ReturnType<typeof readLog>>

const seeds = fc.noShrink(fc.nat())

/** As JSON, without what differs between a run and its log: signatures, the clock, where single use is enforced. */
const comparable = (snapshot: object): unknown => {
  const {
    signature: _,
    elapsedMs: __,
    retryable: ___,
    ...rest
  } = JSON.parse(JSON.stringify(snapshot)) as Record<string, unknown>
  const {
    children,
    edits = {},
    ...body
  } = rest['body'] as {
    readonly edits?: object
    readonly children?: Readonly<Record<string, object>>
  }
  // Of a run within only what it goes on with counts: who looks at it has the whole.
  const within = Object.entries(children ?? {}).map(
    ([callId, child]) => [callId, (comparable(child) as { readonly body: unknown }).body] as const,
  )
  return { ...rest, body: { ...body, edits, children: Object.fromEntries(within) } }
}

describe('the log of a random conversation', () => {
  it('is enough for the snapshot that the run made', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) =>
        conversation(seed, async (log, { snapshot }) => {
          expect(comparable(rebuild(log).snapshot)).toEqual(comparable(snapshot))
        }),
      ),
      { numRuns: runs, examples: [[183_340_321], [1_743_597_505], [1_289_719_889]] },
    )
  }, 600_000)

  it('happens again with the same events, nearly always, and else says where it does not', async () => {
    let all = 0
    let odd = 0
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) =>
        conversation(seed, async (log, { snapshot }, { assistant, events }) => {
          const { events: again, differs } = await replay(assistant, log)
          all++
          if (differs) return void odd++
          const heard = again.filter(({ type }) => type !== 'observer-error')
          // An import is a run of its own.
          const own = events.filter(({ run }) => run === snapshot.run)
          expect(canonicalTrace(heard)).toEqual(canonicalTrace(own))
        }),
      ),
      { numRuns: runs / 2 },
    )
    // What people and tools did at the very same moment, right after a resume, cannot always be told apart.
    console.log(`${odd} of ${all} random runs came differently`)
    expect(odd).toBeLessThan(all / 5)
  }, 600_000)
})
