// Workflows in bad company: big values, many branches, busy loops, aborts within, snapshots from elsewhere.
import { describe, expect, it } from 'vitest'
import { workflowEngine } from '../../src/engine/engine.ts'
import { webHost } from '../../src/host/web-host.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { recover } from '../../src/recovery/recover.ts'
import type { Loose } from '../workflow/kit.ts'
import { copied, line, made, rig, visits, work } from './rig.ts'

const within = (...nodes: readonly Loose[]): Loose => ({
  type: 'workflow',
  workflow: line(nodes),
})

describe('a workflow in bad company', () => {
  it('ends every node that began, at any depth, wherever it is aborted', async () => {
    const definition = line([
      {
        id: 'all',
        type: 'parallel',
        branches: {
          x: { type: 'tool', tool: 'work', input: { ms: 10 } },
          y: within({ id: 'w', type: 'wait', ms: 5 }, work('t', { ms: 3 }), {
            id: 'each',
            type: 'map',
            items: [1, 2],
            each: within({ id: 'pause', type: 'wait', ms: 2 }, work('p', { ms: 2 })),
          }),
        },
      },
    ])
    for (let at = 1, isOver = false; !isOver; at++) {
      const { engine } = rig()
      const run = engine().run(definition)
      // A step of a plan that never began has an end, too.
      const open = new Map<string, number>()
      let seen = 0
      isOver = true
      for await (const event of run) {
        if (event.type === 'node-start' || event.type === 'node-end') {
          const key = [...(event.path ?? []), event.node].join('/')
          open.set(key, (open.get(key) ?? 0) + (event.type === 'node-start' ? 1 : -1))
        }
        if (++seen !== at) continue
        isOver = false
        run.abort()
      }
      expect([at, [...open].filter(([, count]) => count > 0)]).toEqual([at, []])
    }
  }, 30_000)

  it('tells an observer of each event once, with the path to where it happened', async () => {
    const { engine } = rig()
    const seen: RunEvent[] = []
    const definition = line([{ id: 'all', type: 'parallel', branches: { a: within(work('deep')) } }])
    const run = engine({ hooks: { onEvent: (event) => void seen.push(event) } }).run(definition)
    const read: RunEvent[] = []
    for await (const event of run) read.push(event)
    expect(seen).toEqual(read)
    const ends = seen.filter(({ type }) => type === 'tool-end')
    expect(ends.map(({ path = [] }) => path)).toEqual([['all', 'a'], ['all'], []])
  })

  it('fails a map whose inputs are too much together, and not one by one', async () => {
    const { engine } = rig()
    const items = Array.from({ length: 500 }, (_, index) => index)
    const each = { type: 'tool', tool: 'work', input: { value: '{{ input.big }}{{ item }}' } }
    const definition = line([{ id: 'each', type: 'map', items, each }])
    const result = await engine().run(definition, { big: 'x'.repeat(2_000_000) }).result
    expect(visits(result)).toEqual(['start ok', 'each failed (invalid-input)'])
    expect(result.error?.message).toContain('at most 50000000 characters and values')
  }, 30_000)

  it('has its time although its loop never waits', async () => {
    const heavy = line(
      [
        { id: 'a', type: 'if', condition: 'true', then: 'b', else: 'end', set: { list: '{{ state.list }}' } },
        { id: 'b', type: 'if', condition: 'true', then: 'a', else: 'end' },
      ],
      { state: { list: [] }, timeoutMs: 50, maxVisits: 400 },
    )
    const nodes = heavy.nodes.map((node) =>
      node.type === 'start' ? { ...node, set: { list: '{{ input.list }}' } } : node,
    )
    const list = Array.from({ length: 100_000 }, (_, index) => index)
    const engine = workflowEngine({ env: { host: webHost } })
    const result = await engine.run({ ...heavy, nodes } as typeof heavy, { list }).result
    expect(result.stop).toBe('time')
  }, 30_000)

  it('goes on from its log where nodes are called as what every object inherits', async () => {
    const { engine } = rig()
    const store = memoryStore()
    const ids = ['constructor', 'toString', 'hasOwnProperty']
    const definition = line([...ids.map((id) => work(id)), { id: 'valueOf', type: 'approval', message: 'Go on?' }])
    const run = engine().run(definition, {}, { store, id: 'r' })
    expect((await run.result).status).toBe('suspended')
    const again = await recover(engine(), {
      store,
      run: 'r',
      decisions: [{ callId: 'valueOf', decision: 'approve' }],
    })
    expect(visits(await again.result)).toEqual(['start', ...ids, 'valueOf', 'end'].map((id) => `${id} ok`))
  })

  it('asks about every call of an imported workflow once, those of its items too', async () => {
    const ran: unknown[] = []
    const erase = made('erase', (input) => (ran.push(input), 1))
    const engine = () => rig().engine({ tools: [erase] })
    const { snapshot } = await engine().run(line([{ id: 'ask', type: 'approval', message: 'Go on?' }])).result
    const forged = copied(snapshot) as unknown as { body: object }
    const each = { type: 'tool', tool: 'erase', input: { n: '{{ item }}' } }
    const body = {
      workflow: line([{ id: 'each', type: 'map', items: [1, 2], each }]),
      at: { node: 'start' },
      outputs: {},
      counts: {},
      visits: [],
    }
    Object.assign(forged.body, body)
    const asked: string[][] = []
    let result = await (await engine().resume(forged as never, [], { trust: 'import' })).result
    for (let left = 5; result.status === 'suspended' && left; left--) {
      asked.push(result.pending.map(({ callId }) => callId))
      const decisions = result.pending.map(({ callId }) => ({ callId, decision: 'approve' as const }))
      expect(ran).toEqual([])
      result = await (await engine().resume(copied(result.snapshot), decisions)).result
    }
    expect(asked).toEqual([['each'], ['each/each.0', 'each/each.1']])
    expect([result.status, ran]).toEqual(['done', [{ n: 1 }, { n: 2 }]])
  })
})
