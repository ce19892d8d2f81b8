// Random workflows end as a simple interpreter ends them: whole, suspended at every question, and aborted and resumed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EngineOptions } from '../../src/activity/setup.ts'
import { workflowEngine } from '../../src/engine/engine.ts'
import type { WorkflowResult } from '../../src/engine/driver.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Tool } from '../../src/tool/tool.ts'
import type { WorkflowJson } from '../../src/workflow/definition.ts'
import { workflow } from '../../src/workflow/workflow.ts'
import type { Loose } from '../workflow/kit.ts'
import { flow } from '../workflow/kit.ts'
import { copied, made } from './rig.ts'

/** One node of a chain; every other one of them is jumped over, or gone back to, by the state alone. */
type Piece =
  | { readonly kind: 'add'; readonly by: number; readonly asks: boolean }
  | { readonly kind: 'fail'; readonly caught: boolean }
  | { readonly kind: 'skip'; readonly below: number }
  | { readonly kind: 'back'; readonly below: number }
  | { readonly kind: 'both'; readonly left: number; readonly right: number; readonly asks: boolean }
  | { readonly kind: 'each'; readonly items: readonly number[] }
  | { readonly kind: 'ask'; readonly denied: boolean }

const small = fc.integer({ min: 0, max: 4 })
const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), by: small, asks: fc.boolean() }),
  fc.record({ kind: fc.constant('fail' as const), caught: fc.boolean() }),
  fc.record({ kind: fc.constant('skip' as const), below: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ kind: fc.constant('back' as const), below: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ kind: fc.constant('both' as const), left: small, right: small, asks: fc.boolean() }),
  fc.record({ kind: fc.constant('each' as const), items: fc.array(small, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('ask' as const), denied: fc.boolean() }),
)

const set = { n: '{{ state.n + output.value }}' }
const tool = (asks: boolean): string => (asks ? 'asked' : 'add')

function nodeOf(pieces: readonly Piece[], index: number): Loose {
  const id = `n${index}`
  const after = (by: number): string => (index + by < pieces.length ? `n${index + by}` : 'end')
  const one = pieces[index] as Piece
  switch (one.kind) {
    case 'add':
      return { id, type: 'tool', tool: tool(one.asks), input: { value: one.by }, set }
    case 'fail':
      return { id, type: 'tool', tool: 'fail', ...(one.caught ? { onError: after(1) } : {}) }
    case 'skip':
      return { id, type: 'if', condition: `state.n < ${one.below}`, then: after(2), else: after(1) }
    case 'back':
      return { id, type: 'if', condition: `state.n < ${one.below}`, then: 'n0', else: after(1) }
    case 'both': {
      const branch = (value: number): Loose => ({ type: 'tool', tool: tool(one.asks), input: { value } })
      return {
        id,
        type: 'parallel',
        branches: { left: branch(one.left), right: branch(one.right) },
        set: { n: '{{ state.n + output.left.value + output.right.value }}' },
      }
    }
    case 'each':
      return {
        id,
        type: 'map',
        items: one.items,
        each: { type: 'tool', tool: 'add', input: { value: '{{ item + index }}' } },
        set: { n: one.items.length ? `{{ state.n + output[${one.items.length - 1}].value }}` : '{{ state.n }}' },
      }
    case 'ask':
      return {
        id,
        type: 'approval',
        message: one.denied ? 'no' : 'yes',
        denied: after(1),
        set: { n: '{{ state.n + 1 }}' },
      }
  }
}

const definitionOf = (pieces: readonly Piece[]): WorkflowJson => {
  const { nodes, ...rest } = flow(
    pieces.map((_, index) => nodeOf(pieces, index)),
    { state: { n: 0 }, maxVisits: 60 },
  )
  return workflow({
    ...rest,
    nodes: (nodes as readonly Loose[]).map((node) =>
      node['id'] === 'end' ? { ...node, output: '{{ state.n }}' } : node,
    ),
  } as unknown as WorkflowJson).definition
}

/** What it comes to, and how often tools ran. */
interface Ending {
  readonly end: unknown
  readonly n: number
  readonly visits: number
  readonly calls: number
}

function interpret(pieces: readonly Piece[]): Ending {
  let [n, visits, calls, at] = [0, 1, 0, 0]
  for (;;) {
    const one = pieces[at]
    if (visits >= 60) return { end: 'steps', n, visits, calls }
    visits++
    if (!one) return { end: n, n, visits, calls }
    at++
    if (one.kind === 'add') [n, calls] = [n + one.by, calls + 1]
    else if (one.kind === 'fail') {
      calls++
      if (!one.caught) return { end: 'failed', n, visits, calls }
    } else if (one.kind === 'skip') at += n < one.below ? 1 : 0
    else if (one.kind === 'back') at = n < one.below ? 0 : at
    else if (one.kind === 'both') [n, calls] = [n + one.left + one.right, calls + 2]
    else if (one.kind === 'each')
      [n, calls] = [
        n + (one.items.length ? (one.items.at(-1) ?? 0) + one.items.length - 1 : 0),
        calls + one.items.length,
      ]
    else n += one.denied ? 0 : 1
  }
}

function world(more: EngineOptions = {}): {
  readonly engine: () => ReturnType<typeof workflowEngine>
  readonly calls: () => number
} {
  let calls = 0
  const add = async (input: unknown): Promise<unknown> => {
    calls++
    await Promise.resolve()
    return input
  }
  const output = {
    '~standard': {
      version: 1,
      vendor: 'x',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
    },
  } as never
  const tools: Tool[] = [
    made('add', add, { output, effect: 'read' }),
    made('asked', add, { output, approval: true, effect: 'unsafe' }),
    made(
      'fail',
      () => {
        calls++
        throw new Error('no')
      },
      { effect: 'read' },
    ),
  ]
  return { engine: () => workflowEngine({ tools, env: { host: webHost }, ...more }), calls: () => calls }
}

const decide = ({
  callId,
  reason,
}: {
  readonly callId: string
  readonly reason?: string | undefined
}): { readonly callId: string; readonly decision: 'approve' | 'deny' } => ({
  callId,
  decision: reason === 'no' ? 'deny' : 'approve',
})

function endingOf({ status, stop, output, state, visitCount }: WorkflowResult, calls: number): Ending {
  const early = status === 'failed' ? 'failed' : stop
  return { end: status === 'done' ? output : early, n: state['n'] as number, visits: visitCount, calls }
}

/** Whether every node of it can be come to, which a definition wants. */
const isWhole = (pieces: readonly Piece[]): boolean => {
  try {
    return Boolean(definitionOf(pieces))
  } catch {
    return false
  }
}

const pieces = fc.array(piece, { minLength: 1, maxLength: 8 }).filter(isWhole)

describe('random workflows', () => {
  it('end as an interpreter ends them', () =>
    fc.assert(
      fc.asyncProperty(pieces, async (given) => {
        const { engine, calls } = world({ approve: decide })
        const result = await engine().run(definitionOf(given)).result
        expect(endingOf(result, calls())).toEqual(interpret(given))
      }),
      { numRuns: 150 },
    ))

  it('end the same when they are suspended at every question, each part in an engine of its own', () =>
    fc.assert(
      fc.asyncProperty(pieces, async (given) => {
        const { engine, calls } = world()
        let result = await engine().run(definitionOf(given)).result
        for (let part = 0; result.status === 'suspended' && part < 100; part++) {
          result = await (await engine().resume(copied(result.snapshot), result.pending.map(decide))).result
        }
        expect(endingOf(result, calls())).toEqual(interpret(given))
      }),
      { numRuns: 100 },
    ))

  it('end the same when they are aborted at any event and go on', () =>
    fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 40 }), async (given, at) => {
        const { engine } = world({
          approve: ({ why, ...request }) => (why === 'unknown-outcome' ? 'retry' : decide(request)),
        })
        const run = engine().run(definitionOf(given))
        let seen = 0
        for await (const _ of run) if (++seen === at) run.abort()
        let result = await run.result
        if (result.status === 'aborted') result = await (await engine().resume(copied(result.snapshot))).result
        expect({ ...endingOf(result, 0), calls: 0 }).toEqual({ ...interpret(given), calls: 0 })
      }),
      { numRuns: 100 },
    ))
})
