// Random tools, calls, behaviour and people: whatever comes together, what must hold at the end of a run holds.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kit } from '../../src/testing/kit.ts'
import { randomConversation } from '../../src/testing/random/conversation.ts'
import { traceHash } from '../../src/testing/trace.ts'

const runs = process.env['SAMELOOP_LONG'] === '1' ? 10_000 : 300

/** Real turns without the wait of a timer, of which a conversation needs hundreds. */
const world = {
  timer: (_: number, fire: () => void) => {
    const handle = setImmediate(fire)
    return () => clearImmediate(handle)
  },
}

async function traceOf(seed: number, isClocked = false): Promise<readonly string[]> {
  const made = kit(world)
  await randomConversation(made, seed, { isClocked })
  made.clock.stop()
  return made.lines()
}

// The generator is not fast-check's, as it runs where there is none: a smaller seed is no simpler case.
const seeds = fc.noShrink(fc.nat())

describe('random calls', () => {
  it('leave valid transcripts, answer each call once, and run nothing twice or unapproved', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.boolean(), async (seed, isClocked) => void (await traceOf(seed, isClocked))),
      { numRuns: runs },
    )
  }, 1_200_000)

  it('give the same trace for the same seed', async () => {
    for (const seed of [1, 2, 3]) expect(traceHash(await traceOf(seed))).toBe(traceHash(await traceOf(seed)))
    expect(traceHash(await traceOf(1))).not.toBe(traceHash(await traceOf(2)))
  })
})
