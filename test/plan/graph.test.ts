import { describe, expect, it } from 'vitest'
import { graphOf } from '../../src/plan/graph.ts'
import { plan } from '../../src/plan/plan.ts'
import { addAlias, addTools, findEntry, toolList, toolTable } from '../../src/registry/table.ts'
import { fromJson, needs, planned, refusal, toolsOf } from './kit.ts'

describe('graphOf()', () => {
  it('takes dependencies from after, input, forEach and when', () => {
    const graph = graphOf(
      planned(
        { id: 'a' },
        { id: 'b' },
        { id: 'c', after: ['a'] },
        { id: 'd', input: { deep: [{ x: { $from: 'b', path: 'result' } }] } },
        { id: 'e', forEach: { $from: 'a', path: 'list' }, input: { one: { $item: true } } },
        { id: 'f', forEach: [1, { $from: 'c' }] },
        { id: 'g', when: 'a.status == 200 and "b" in d.names[e.length - 1]' },
      ),
    )
    expect(needs(graph)).toEqual({ a: [], b: [], c: ['a'], d: ['b'], e: ['a'], f: ['c'], g: ['a', 'd', 'e'] })
    expect(graph.nodes[0]?.dependants).toEqual([2, 4, 6])
    expect(graph.places.get('g')).toBe(6)
  })

  it('names each dependency once, and takes steps that are written later', () => {
    const graph = graphOf(
      planned(
        { id: 'a', after: ['b', 'b'], input: [{ $from: 'b' }, { $from: 'b' }] as never, when: 'b and b' },
        { id: 'b' },
      ),
    )
    expect(needs(graph)).toEqual({ a: ['b'], b: [] })
    expect(graph.order).toEqual([1, 0])
  })

  it('sees no dependency in literals, functions, texts of expressions and properties', () => {
    const graph = graphOf(
      planned(
        { id: 'a' },
        { id: 'b', input: { x: { $value: { $from: 'nowhere' } } } },
        { id: 'c', input: () => ({}), when: () => true, forEach: () => [] },
        { id: 'd', when: 'a.b.nowhere == "nowhere" or true' },
      ),
    )
    expect(needs(graph)).toEqual({ a: [], b: [], c: [], d: ['a'] })
  })

  it('compiles conditions once', () => {
    const { nodes } = graphOf(planned({ id: 'a' }, { id: 'b', when: 'a.n > 1' }, { id: 'c', when: () => true }))
    expect(nodes.map(({ when }) => when?.({ a: { n: 2 } }))).toEqual([undefined, true, undefined])
  })

  it('takes ids that objects inherit for ids like others', () => {
    const graph = graphOf(
      planned({ id: 'constructor' }, { id: 'toString', after: ['constructor'], when: 'constructor' }),
    )
    expect(needs(graph)['toString']).toEqual(['constructor'])
    expect(refusal(() => graphOf(planned({ id: 'a', after: ['valueOf'] }))).data).toMatchObject({
      problem: 'unknown-dependency',
    })
  })

  it('orders an empty plan', () => {
    expect(graphOf(plan())).toMatchObject({ nodes: [], order: [] })
  })

  it('refuses an id that is there twice', () => {
    expect(refusal(() => graphOf(planned({ id: 'a' }, { id: 'b' }, { id: 'a' })))).toEqual({
      message: 'Cannot use step "a": steps number 1 and 3 have this id, wanted one',
      data: { problem: 'duplicate-id', step: 'a' },
    })
  })

  it('refuses a dependency that does not exist and names the nearest', () => {
    expect(
      refusal(() => graphOf(planned({ id: 'fetch_page' }, { id: 'other' }, { id: 'b', after: ['fetchpage'] }))),
    ).toEqual({
      message:
        'Cannot use step "b": "after" names step "fetchpage", which is not there. Nearest: "fetch_page", "other"',
      data: { problem: 'unknown-dependency', step: 'b', path: ['after'] },
    })
    const said = (step: object): string => refusal(() => graphOf(planned({ id: 'a' }, { id: 'b', ...step }))).message
    expect(said({ input: { x: { $from: 'c' } } })).toContain('"input" names step "c"')
    expect(said({ forEach: { $from: 'c' } })).toContain('"forEach" names step "c"')
    expect(said({ when: 'a and c' })).toContain('"when" names step "c"')
    expect(said({ when: 'item.x', forEach: [1] })).toContain('"when" names step "item"')
    expect(refusal(() => graphOf(planned({ after: ['x'] }))).message).toContain('Nearest: none')
    expect(said({ when: 'and == 1' })).toContain('"when" names step "and"')
  })

  it('says that an id with a hyphen cannot be named in an expression', () => {
    const { message } = refusal(() =>
      graphOf(planned({ id: 'fetch-page' }, { id: 'b', when: 'fetch-page.status == 200' })),
    )
    expect(message).toContain('"when" names step "fetch"')
    expect(message).toContain('(an id with "-", or with a digit first, cannot be named in an expression)')
  })

  it('refuses an expression that cannot be read', () => {
    expect(refusal(() => graphOf(planned({ id: 'a', when: 'b ==' })))).toEqual({
      message:
        'Cannot use step "a": "when" cannot be read: Cannot read the expression at position 5: expected a value, got the end',
      data: { problem: 'shape', step: 'a', path: ['when'] },
    })
    expect(refusal(() => graphOf(planned({ when: 'a'.repeat(5_000) }))).message).toContain('at most 4000 characters')
  })

  it('refuses a step that waits for itself, however it says so', () => {
    const said = (step: object): unknown => refusal(() => graphOf(planned({ id: 'a', ...step })))
    const itself = {
      message: 'Cannot use the plan: its steps wait for each other: a -> a',
      data: { problem: 'cycle', path: ['a', 'a'] },
    }
    expect(said({ after: ['a'] })).toEqual(itself)
    expect(said({ input: { x: { $from: 'a' } } })).toEqual(itself)
    expect(said({ forEach: { $from: 'a' } })).toEqual(itself)
    expect(said({ when: 'a' })).toEqual(itself)
  })

  it('shows the path of a cycle, each step before the one it needs, without the steps around it', () => {
    const made = planned(
      { id: 'before' },
      { id: 'after', after: ['c'] },
      { id: 'a', after: ['before', 'b'] },
      { id: 'b', input: { x: { $from: 'c' } } },
      { id: 'c', when: 'a.ok' },
    )
    expect(refusal(() => graphOf(made))).toEqual({
      message: 'Cannot use the plan: its steps wait for each other: a -> b -> c -> a',
      data: { problem: 'cycle', path: ['a', 'b', 'c', 'a'] },
    })
  })

  it('shortens the path of a long cycle in words and not in data', () => {
    const steps = Array.from({ length: 20_000 }, (_, index) => ({
      id: `s${index}`,
      tool: 't',
      after: [`s${(index + 1) % 20_000}`],
    }))
    const { message, data } = refusal(() => graphOf(fromJson({ version: 1, steps })))
    expect(message).toContain('s0 -> s1 -> s2 -> s3 -> s4 -> s5 -> s6 -> s7 -> s8 -> s9 -> … -> s19999 -> s0')
    expect((data as { path: string[] }).path).toHaveLength(20_001)
  })

  it('takes long chains and wide fans', () => {
    const chain = Array.from({ length: 100_000 }, (_, index) => ({
      id: `s${index}`,
      tool: 't',
      after: index ? [`s${index - 1}`] : [],
    }))
    const { order, nodes } = graphOf(fromJson({ version: 1, steps: chain }))
    expect(order.length).toBe(100_000)
    expect(nodes[99_999]?.dependencies).toEqual([99_998])
    const leaves = Array.from({ length: 1_000 }, (_, index) => ({ id: `l${index}`, input: { $from: 'root' } as const }))
    const fan = graphOf(planned({ id: 'root' }, ...leaves, { id: 'end', after: leaves.map(({ id }) => id) }))
    expect(fan.nodes[0]?.dependants.length).toBe(1_000)
    expect(fan.nodes[1_001]?.dependencies.length).toBe(1_000)
  })

  it('finds tools by name, alias, shown name and URI', () => {
    const table = toolTable()
    const tool = { name: 'fs.read', description: 'For tests', execute: () => null }
    addTools(table, [tool])
    const { entries } = toolList(table)
    addAlias(table, 'cat', findEntry(entries, 'fs.read')!)
    const tools = toolList(table).entries
    const { nodes } = graphOf(
      planned({ tool: 'fs.read' }, { tool: 'fs_read' }, { tool: 'fn://fs.read' }, { tool: 'cat' }),
      tools,
    )
    expect(nodes.map(({ entry }) => entry?.tool === tool)).toEqual([true, true, true, true])
  })

  it('refuses a tool that does not exist and names the nearest', () => {
    const tools = toolsOf({ web_fetch: {}, calculator: {} })
    expect(refusal(() => graphOf(planned({ id: 'a', tool: 'webfetch' }), tools))).toEqual({
      message: 'Cannot use step "a": there is no tool "webfetch". Available, nearest first: "web_fetch", "calculator"',
      data: { problem: 'unknown-tool', step: 'a', path: ['tool'] },
    })
    expect(refusal(() => graphOf(planned({ tool: 'x' }), new Map())).message).toContain('nearest first: none')
    expect(refusal(() => graphOf(planned({ tool: 'constructor' }), tools)).data).toMatchObject({
      problem: 'unknown-tool',
    })
  })

  it('looks at no tools where none are given', () => {
    expect(graphOf(planned({ tool: 'nowhere' })).nodes[0]?.entry).toBe(undefined)
  })
})
