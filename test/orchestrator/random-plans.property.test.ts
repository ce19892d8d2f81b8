// Random plans with failures, conditions, lists, questions and aborts, against an interpreter that runs one step after
// the other: whatever comes together, and however many run at once, the end is the same.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/json/value.ts'
import type { PlanResult } from '../../src/orchestrator/driver.ts'
import { orchestrator } from '../../src/orchestrator/orchestrator.ts'
import type { StepOptions, StepResult, Template } from '../../src/plan/step.ts'
import { kit } from '../../src/testing/kit.ts'
import { copied, made, planOf } from './rig.ts'

const runs = process.env['SAMELOOP_LONG'] === '1' ? 5000 : 150

type Need = 'value' | 'after' | 'if' | 'unless'

interface Drawn {
  readonly needs: readonly (readonly [number, Need])[]
  readonly tool: 'work' | 'ask'
  readonly ms: number
  readonly fails: boolean
  readonly mends: boolean
  readonly items: readonly number[] | undefined
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  needs: fc.array(fc.tuple(fc.nat(20), fc.constantFrom<Need>('value', 'value', 'after', 'if', 'unless')), {
    maxLength: 3,
  }),
  tool: fc.constantFrom('work', 'work', 'work', 'ask'),
  ms: fc.nat(3),
  fails: fc.nat(5).map((chance) => chance === 0),
  mends: fc.nat(3).map((chance) => chance === 0),
  items: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.array(fc.nat(9), { maxLength: 3 })),
})

/** Steps that need only what was drawn before them, written in an order of their own. */
function stepsOf(list: readonly Drawn[], turn: number): readonly StepOptions[] {
  const steps = list.map(({ needs, tool, ms, fails, mends, items }, index): StepOptions => {
    const of = (need: Need): readonly string[] =>
      index === 0 ? [] : needs.flatMap(([to, kind]) => (kind === need ? `s${to % index}` : []))
    const condition = [...of('if'), ...of('unless').map((id) => `not ${id}`)].join(' and ')
    const values = of('value').map((id): Template => ({ $from: id }))
    const item: Template = items ? { $item: true } : null
    return {
      id: `s${index}`,
      tool,
      input: { ms, fails, item, values },
      ...(of('after').length ? { after: of('after') } : {}),
      ...(condition ? { when: condition } : {}),
      ...(mends ? { onError: { value: 'mended' } } : {}),
      ...(items ? { forEach: [...items, ...values.slice(0, 1)] } : {}),
    }
  })
  const at = turn % steps.length
  return turn % 2 ? [...steps.slice(at), ...steps.slice(0, at)].reverse() : steps
}

interface Input {
  readonly ms: number
  readonly fails: boolean
  readonly item: Json
}

/** What both tools do; of items, every fourth number fails. */
function workOn(input: Input): Json {
  if (input.fails || (typeof input.item === 'number' && input.item % 4 === 1)) throw new Error('broke')
  let hash = 7
  for (const letter of JSON.stringify(input)) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003
  return hash
}

/** The interpreter: one step after the other, as often as one can run. */
function interpreted(steps: readonly StepOptions[]): readonly StepResult[] {
  const ended = new Map<string, StepResult>()
  while (ended.size < steps.length) {
    for (const step of steps) {
      const needs = needsOf(step)
      if (!ended.has(step.id) && needs.every(([id]) => ended.has(id))) ended.set(step.id, interpret(step, needs, ended))
    }
  }
  return steps.map(({ id }) => ended.get(id) as StepResult)
}

/** An empty list counts as false. */
const isTrue = (end: StepResult | undefined): boolean => end?.status === 'ok' && JSON.stringify(end.value) !== '[]'

/** In the order in which a plan looks at them, each with whether its value is used. */
function needsOf({ after = [], input, when = '' }: StepOptions): readonly (readonly [string, boolean])[] {
  const used = [...JSON.stringify(input).matchAll(/"\$from":"(\w+)"/g)].map(([, id]) => id as string)
  const named = [...(when as string).matchAll(/s\d+/g)].map(([id]) => id)
  return [...new Set([...after, ...used, ...named])].map((id) => [id, used.includes(id)] as const)
}

function interpret(
  { id, when, input, forEach, onError }: StepOptions,
  needs: readonly (readonly [string, boolean])[],
  ended: ReadonlyMap<string, StepResult>,
): StepResult {
  const before = needs.map(([need, isUsed]) => ({ ...(ended.get(need) as StepResult), isUsed }))
  const because = before
    .map((one) => (one.status === 'failed' ? one.id : one.because))
    .find((one) => one && one !== 'when')
  if (because) return { id, status: 'skipped', because }
  const isUnwanted = before.some((one) => one.status === 'skipped' && one.isUsed)
  const holds = ((when ?? '') as string)
    .split(' and ')
    .every((part) => !part || isTrue(ended.get(part.replace('not ', ''))) !== part.startsWith('not '))
  if (isUnwanted || !holds) return { id, status: 'skipped', because: 'when' }
  const put = (template: Json, item: Json): Json =>
    JSON.parse(JSON.stringify(template), (_, part) => {
      if (part?.$from) return ended.get(part.$from)?.value
      return part?.$item ? item : part
    }) as Json
  const one = (item: Json, prefix: string): StepResult => {
    try {
      return { id, status: 'ok', value: { result: workOn(put(input as Json, item) as unknown as Input) } }
    } catch {
      if (onError) return { id, status: 'ok', value: 'mended' }
      return { id, status: 'failed', reason: 'failed', message: `${prefix}broke` }
    }
  }
  if (!forEach) return one(null, '')
  const all = (put(forEach as Json, null) as readonly Json[]).map((item) => one(item, ''))
  const bad = all.findIndex(({ status }) => status === 'failed')
  if (bad < 0) return { id, status: 'ok', value: all.map(({ value }) => value) }
  const more = all.filter(({ status }) => status === 'failed').length - 1
  return { id, status: 'failed', reason: 'failed', message: `Item ${bad}${more ? ` (and ${more} more)` : ''}: broke` }
}

/** Real turns without the wait of a timer. */
const world = {
  timer: (_: number, fire: () => void) => {
    const handle = setImmediate(fire)
    return () => clearImmediate(handle)
  },
}

interface Played {
  readonly result: PlanResult
  /** How often each call began. */
  readonly began: ReadonlyMap<string, number>
}

/** Runs a plan to its end: what waits is answered, some first, and what was aborted goes on. */
async function play(steps: readonly StepOptions[], concurrency: number, abortAt?: number): Promise<Played> {
  const { host, clock, sleep } = kit(world)
  const began = new Map<string, number>()
  const finished = new Set<string>()
  const problems: string[] = []
  const execute = async (input: Input, { callId }: { readonly callId: string }): Promise<Json> => {
    began.set(callId, (began.get(callId) ?? 0) + 1)
    if (finished.has(callId.split('.')[0] as string)) problems.push(`${callId} ran again`)
    // Some end at once.
    if (input.ms) await sleep(input.ms)
    return workOn(input)
  }
  const needs = new Map(steps.map((step) => [step.id, needsOf(step)]))
  const again = { effect: 'idempotent' } as const
  const tools = [made('work', execute as never, again), made('ask', execute as never, { ...again, approval: true })]
  const flow = orchestrator({
    tools,
    concurrency,
    env: { host },
    hooks: {
      onEvent: (event) => {
        if (event.type === 'node-end' && event.status !== 'cancelled') {
          if (finished.has(event.node)) problems.push(`${event.node} ended twice`)
          finished.add(event.node)
        }
        if (event.type !== 'node-start') return
        for (const [id] of needs.get(event.node) ?? [])
          if (!finished.has(id)) problems.push(`${event.node} before ${id}`)
      },
    },
  })
  let run = flow.run(planOf(...steps))
  const first = run
  if (abortAt !== undefined) host.timer(abortAt, () => first.abort())
  let result = await run.result
  for (let round = 0; result.status === 'suspended' || result.status === 'aborted'; round++) {
    const answered = result.pending.filter((_, index) => (index + round) % 2 === 0 || result.pending.length === 1)
    const decisions = answered.map(({ callId }) => ({ callId, decision: 'approve' as const }))
    run = await flow.resume(copied(result.snapshot), decisions)
    result = await run.result
  }
  clock.stop()
  expect(problems).toEqual([])
  return { result, began }
}

const plans = fc
  .tuple(fc.array(drawn, { minLength: 1, maxLength: 10 }), fc.nat(20))
  .map(([list, turn]) => stepsOf(list, turn))

describe('random plans', () => {
  it('end as an interpreter ends them, at any concurrency, each call made once', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (steps) => {
        const wanted = interpreted(steps)
        for (const concurrency of [1, 2, 50]) {
          const { result, began } = await play(steps, concurrency)
          expect(result.steps).toEqual(wanted)
          expect(result.status).toBe(wanted.some(({ status }) => status === 'failed') ? 'failed' : 'done')
          expect([...began.values()].every((count) => count === 1)).toBe(true)
        }
      }),
      { numRuns: runs, seed: 8 },
    )
  }, 1_200_000)

  it('end the same when they were aborted in the middle and went on', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(6), async (steps, abortAt) => {
        const { result, began } = await play(steps, 2, abortAt)
        expect(result.steps).toEqual(interpreted(steps))
        expect([...began.values()].every((count) => count <= 2)).toBe(true)
      }),
      { numRuns: runs, seed: 9 },
    )
  }, 1_200_000)
})
