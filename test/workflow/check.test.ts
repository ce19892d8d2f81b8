import { describe, expect, it } from 'vitest'
import { checkWorkflow } from '../../src/workflow/check.ts'
import { flow, problemOf, refusalOf, tool } from './kit.ts'
import type { Loose } from './kit.ts'

const branch = (rest: Loose = {}): Loose => ({
  id: 'ok',
  type: 'if',
  condition: 'input.a',
  then: 'end',
  else: 'end',
  ...rest,
})
const inner = (workflow: unknown): Loose => ({
  id: 'each',
  type: 'map',
  items: [],
  each: { type: 'workflow', workflow },
})
const passes = (definition: unknown): boolean => checkWorkflow(definition).version === 1

function nested(levels: number): Loose {
  return levels === 0 ? flow([]) : flow([inner(nested(levels - 1))])
}

describe('checkWorkflow()', () => {
  it('names the workflow, the node and the problem', () => {
    const { message, data, code } = refusalOf(flow([tool('fetch', { tol: 1 })]))
    expect(code).toBe('workflow-invalid')
    expect(message).toBe(
      'Cannot use the workflow "report": node "fetch": "tol" is no field: known are id, type, inputSchema, ' +
        'outputSchema, set, next, onError, tool, input, timeoutMs, retry; the nearest is "tool"',
    )
    expect(data).toEqual({ node: 'fetch', problem: message.slice(message.indexOf('"tol"')) })
  })

  it('refuses what is no workflow of version 1', () => {
    expect(problemOf(null)).toBe('-: it must be an object, got null')
    expect(problemOf({ ...flow([]), version: 2 })).toBe('-: "version" must be 1, got 2')
    expect(problemOf({ version: 1, nodes: [] })).toBe('-: "name" is missing')
    expect(problemOf({ ...flow([]), name: '' })).toBe('-: "name" must be a text that is not empty, got ""')
    expect(problemOf({ ...flow([]), name: 'x'.repeat(201) })).toMatch(/^-: "name" must be at most 200 characters long/)
    expect(problemOf({ ...flow([]), nodes: {} })).toBe('-: "nodes" must be a list, got {}')
    expect(problemOf({ ...flow([]), state: [] })).toBe('-: "state" must be an object, got []')
    expect(problemOf({ ...flow([]), maxVisit: 1 })).toMatch(/^-: "maxVisit" is no field.*the nearest is "maxVisits"$/)
  })

  it('takes no inherited name for a field', () => {
    for (const field of ['constructor', 'toString', 'hasOwnProperty'])
      expect(problemOf(flow([tool('a', { [field]: 1 })]))).toMatch(new RegExp(`^a: "${field}" is no field`))
  })

  it('refuses unknown types and says which was probably meant', () => {
    expect(problemOf(flow([{ id: 'a', type: 'tol' }]))).toBe(
      'a: "type" must be one of start, end, tool, agent, model, if, switch, parallel, map, wait, approval, got "tol"; ' +
        'the nearest is "tool"',
    )
    expect(problemOf(flow([{ id: 'a' }]))).toMatch(/^a: "type" must be one of start.*got nothing$/)
    expect(problemOf(flow([{ id: 'a', type: 'constructor' }]))).toMatch(/^a: "type" must be one of/)
    expect(problemOf({ ...flow([]), nodes: [7] })).toBe('nodes/0: it must be an object, got 7')
  })

  it('refuses ids that are missing, odd, reserved or there twice', () => {
    expect(problemOf(flow([], { nodes: [{ type: 'start', next: 'end' }] }))).toBe('nodes/0: "id" is missing')
    expect(problemOf(flow([tool('a b')]))).toBe('a b: "id" must be 1 to 64 of a-z A-Z 0-9 _ -, got "a b"')
    expect(problemOf(flow([tool('x'.repeat(65))]))).toMatch(/"id" must be 1 to 64/)
    for (const id of ['input', 'state', 'item', 'index', 'output', 'true', 'and', 'not', 'in', 'null', '__proto__'])
      expect(problemOf(flow([tool(id)]))).toBe(`${id}: "id" must not be a reserved name, got "${id}"`)
    expect(problemOf(flow([tool('a'), tool('a')]))).toBe('a: the id is not unique: "a" is there twice')
    expect(passes(flow([tool('constructor', { set: { a: '{{ constructor.x }}' } })]))).toBe(true)
  })

  it('wants exactly one start and at least one end', () => {
    const end = { id: 'end', type: 'end' }
    expect(problemOf({ ...flow([]), nodes: [end] })).toBe('-: expected exactly one node of type start, got 0')
    expect(problemOf(flow([{ id: 'again', type: 'start' }]))).toBe('-: expected exactly one node of type start, got 2')
    expect(problemOf({ ...flow([]), nodes: [{ id: 'start', type: 'start', next: 'start' }] })).toBe(
      '-: expected at least one node of type end',
    )
  })

  it('refuses a target that is no node, wherever it stands, with the nearest id', () => {
    expect(problemOf(flow([tool('fetch', { next: 'ent' })]))).toBe(
      'fetch: "next" leads to "ent", which is no node; the nearest is "end"',
    )
    const wrong: readonly Loose[] = [
      tool('a', { onError: 'ende' }),
      { id: 'a', type: 'approval', message: 'Sure?', denied: 'ende' },
      branch({ id: 'a', then: 'ende' }),
      branch({ id: 'a', else: 'ende' }),
      { id: 'a', type: 'switch', value: 'input.a', cases: { one: 'ende' } },
      { id: 'a', type: 'switch', value: 'input.a', cases: { one: 'end' }, default: 'ende' },
    ]
    expect(wrong.map((node) => problemOf(flow([node])).slice(0, 48))).toEqual([
      'a: "onError" leads to "ende", which is no node; ',
      'a: "denied" leads to "ende", which is no node; t',
      'a: "then" leads to "ende", which is no node; the',
      'a: "else" leads to "ende", which is no node; the',
      'a: "cases.one" leads to "ende", which is no node',
      'a: "default" leads to "ende", which is no node; ',
    ])
  })

  it('refuses nodes that nothing leads to, with their ids', () => {
    const { data } = refusalOf(flow([tool('a', { next: 'end' }), tool('b'), tool('c')]))
    expect(data).toEqual({ node: 'b', problem: 'nothing leads to "b", "c"', nodes: ['b', 'c'] })
    const many = Array.from({ length: 12 }, (_, index) => tool(`n${index}`))
    expect(problemOf(flow([tool('a', { next: 'end' }), ...many]))).toMatch(/"n8", "n9" and 2 more$/)
  })

  it('refuses a workflow that can come to no end, and allows loops that can', () => {
    expect(problemOf(flow([tool('a'), tool('b', { next: 'a' })]))).toBe('-: no way leads from the start to an end')
    expect(passes(flow([tool('a'), branch({ then: 'a' })]))).toBe(true)
  })

  it('refuses conditions that do not compile, with the place', () => {
    const { data } = refusalOf(flow([branch({ condition: 'input.a ==' })]))
    expect(data).toEqual({
      node: 'ok',
      problem: '"condition" does not compile: Cannot read the expression at position 11: expected a value, got the end',
      expression: 'input.a ==',
      position: 11,
    })
    expect(problemOf(flow([{ id: 'a', type: 'switch', value: 'f(1)', cases: { x: 'end' } }]))).toMatch(
      /^a: "value" does not compile: .* position 2/,
    )
    expect(problemOf(flow([branch({ condition: '' })]))).toBe(
      'ok: "condition" must be a text that is not empty, got ""',
    )
  })

  it('refuses templates that do not parse, wherever they stand', () => {
    expect(problemOf(flow([tool('a', { input: { x: ['{{ input.a'] } })]))).toBe(
      'a: "input" has "{{" without "}}" (a literal "{{" is written {{ "{{" }})',
    )
    expect(problemOf(flow([tool('a', { set: { x: '{{ }}' } })]))).toMatch(/^a: "set.x" does not compile/)
    expect(problemOf(flow([{ id: 'a', type: 'model', prompt: '{{ a b }}' }]))).toMatch(/^a: "prompt" does not compile/)
    const each = { type: 'agent', agent: 'x', prompt: '{{ 1 + }}' }
    expect(problemOf(flow([{ id: 'a', type: 'map', items: [], each }]))).toMatch(/^a: "each.prompt" does not compile/)
  })

  it('refuses a schema that cannot be used', () => {
    expect(problemOf(flow([tool('a', { inputSchema: { type: 'texte' } })]))).toMatch(
      /^a: "inputSchema": Cannot use the JSON Schema at "\/type"/,
    )
    expect(problemOf(flow([], { outputSchema: { $ref: 'https://elsewhere.example/x' } }))).toMatch(
      /^-: "outputSchema": /,
    )
    expect(problemOf(flow([tool('a', { outputSchema: true })]))).toBe(
      'a: "outputSchema" must be a JSON Schema, got true',
    )
  })

  it('refuses limits that make no sense', () => {
    const limits: readonly (readonly [Loose, Loose, string])[] = [
      [{}, { maxVisits: 0 }, '-: "maxVisits" must be a whole number from 1 to 1000000, got 0'],
      [{}, { maxVisits: 1_000_001 }, '-: "maxVisits" must be a whole number from 1 to 1000000, got 1000001'],
      [{}, { timeoutMs: -1 }, '-: "timeoutMs" must be a whole number from 1 to 2147483647, got -1'],
      [{ timeoutMs: 0.5 }, {}, 'a: "timeoutMs" must be a whole number from 1 to 2147483647, got 0.5'],
      [{ retry: { retries: 101 } }, {}, 'a: "retry.retries" must be a whole number from 0 to 100, got 101'],
      [{ retry: {} }, {}, 'a: "retry.retries" is missing'],
      [
        { retry: { retries: 1, delay: 1 } },
        {},
        'a: "retry.delay" is no field: known are retries, delayMs; the nearest is "delayMs"',
      ],
    ]
    for (const [node, rest, problem] of limits) expect(problemOf(flow([tool('a', node)], rest))).toBe(problem)
    const each = { type: 'tool', tool: 'x' }
    const map = { id: 'a', type: 'map', items: [], each }
    expect(problemOf(flow([{ ...map, concurrency: 0 }]))).toMatch(/^a: "concurrency" must be a whole number from 1/)
    expect(problemOf(flow([{ ...map, maxItems: '9' }]))).toMatch(/^a: "maxItems" must be a whole number from 1/)
  })

  it('wants exactly one of a time and an event to wait for', () => {
    const problem = 'a: a wait has exactly one of "ms" and "event"'
    expect(problemOf(flow([{ id: 'a', type: 'wait' }]))).toBe(problem)
    expect(problemOf(flow([{ id: 'a', type: 'wait', ms: 1, event: 'x' }]))).toBe(problem)
    expect(passes(flow([{ id: 'a', type: 'wait', ms: 0 }]))).toBe(true)
  })

  it('refuses cases, branches and inner nodes that are none', () => {
    expect(problemOf(flow([{ id: 'a', type: 'switch', value: '1', cases: {} }]))).toBe('a: "cases" must not be empty')
    expect(problemOf(flow([{ id: 'a', type: 'parallel', branches: {} }]))).toBe('a: "branches" must not be empty')
    const parallel = (left: unknown): string => problemOf(flow([{ id: 'a', type: 'parallel', branches: { left } }]))
    expect(parallel('x')).toBe('a: "branches.left" must be an object, got "x"')
    expect(parallel({ type: 'wait' })).toMatch(/^a: "branches.left.type" must be one of tool, agent, model, workflow/)
    expect(parallel({ type: 'tool', tool: 'x', next: 'end' })).toMatch(/^a: "branches.left.next" is no field/)
  })

  it('checks a workflow within with ids of its own', () => {
    expect(passes(flow([inner(flow([tool('each')]))]))).toBe(true)
    expect(problemOf(flow([inner(flow([tool('fetch', { next: 'ent' })]))]))).toBe(
      'each/fetch: "next" leads to "ent", which is no node; the nearest is "end"',
    )
    expect(problemOf(flow([inner({ version: 1 })]))).toBe('each: "name" is missing')
    const left = { type: 'workflow', workflow: flow([tool('fetch', { input: '{{ item }}' })]) }
    expect(problemOf(flow([{ id: 'all', type: 'parallel', branches: { left } }]))).toBe(
      'all.left/fetch: "input" looks up "item", which is known in "each" of a map only',
    )
  })

  it('bounds nesting and size, and counts the nodes within', () => {
    expect(passes(nested(8))).toBe(true)
    expect(problemOf(nested(9))).toMatch(/: expected at most 8 levels of workflows within workflows$/)
    expect(problemOf(nested(400))).toMatch(/expected at most 64 levels of nesting$/)
    const many = flow(Array.from({ length: 9_998 }, (_, index) => tool(`n${index}`)))
    expect(passes(many)).toBe(true)
    expect(problemOf(flow([inner(many)]))).toBe('each: expected at most 10000 nodes in all')
  })
})

describe('checkWorkflow() on names', () => {
  it('knows the input, the state and every node', () => {
    const input = '{{ input.a + state.b }} {{ start }} {{ later.x[fetch.y] }}'
    expect(passes(flow([tool('fetch', { input }), tool('later')]))).toBe(true)
  })

  it('refuses a name that is no node, in templates and conditions', () => {
    expect(problemOf(flow([tool('fetch'), tool('b', { input: { x: 'a {{ fetsh.x }}' } })]))).toBe(
      'b: "input" looks up "fetsh", which is neither input, state nor a node; the nearest is "fetch"',
    )
    expect(problemOf(flow([tool('fetch'), branch({ condition: 'true or fetsh.x > 1' })]))).toMatch(
      /^ok: "condition" looks up "fetsh"/,
    )
    expect(problemOf(flow([tool('a', { input: '{{ state.x[constructor] }}' })]))).toMatch(/looks up "constructor"/)
    expect(
      problemOf(
        flow([], {
          nodes: [
            { id: 's', type: 'start', next: 'e' },
            { id: 'e', type: 'end', output: '{{ x }}' },
          ],
        }),
      ),
    ).toMatch(/^e: "output" looks up "x"/)
    expect(problemOf(flow([{ id: 'a', type: 'approval', message: '{{ x }}' }]))).toMatch(/^a: "message" looks up "x"/)
    expect(problemOf(flow([{ id: 'a', type: 'switch', value: 'x', cases: { a: 'end' } }]))).toMatch(/^a: "value" looks/)
  })

  it('takes properties, keywords and quoted words for no names', () => {
    const condition = 'not input.missing and "nowhere" in ["a", \'b\'] or input["x"] == null or input.and'
    expect(passes(flow([branch({ condition })]))).toBe(true)
  })

  it('explains that an id with a dash is no name in an expression', () => {
    expect(problemOf(flow([tool('fetch-page'), tool('b', { input: '{{ fetch-page.x }}' })]))).toBe(
      'b: "input" looks up "fetch", which is neither input, state nor a node; the id "fetch-page" has a "-", which is ' +
        'a minus in expressions: write "_" there',
    )
  })

  it('knows the item only in a map, and the output only in what a node sets', () => {
    const each = { type: 'tool', tool: 'x', input: '{{ item.a }} {{ index }}' }
    expect(passes(flow([{ id: 'a', type: 'map', items: [], each, set: { n: '{{ output.length }}' } }]))).toBe(true)
    expect(problemOf(flow([{ id: 'a', type: 'map', items: '{{ item }}', each }]))).toBe(
      'a: "items" looks up "item", which is known in "each" of a map only',
    )
    expect(problemOf(flow([tool('a', { input: '{{ output }}' })]))).toBe(
      'a: "input" looks up "output", which is known in "set" only',
    )
    expect(problemOf(flow([branch({ condition: 'output.ok' })]))).toMatch(/is known in "set" only$/)
  })

  it('wants state to be declared where some is', () => {
    const state = { tries: 0, 'full name': '' }
    const problem = (node: Loose): string => problemOf(flow([node], { state }))
    expect(problem(tool('a', { set: { trys: 1 } }))).toBe(
      'a: "set" names "trys", which "state" does not declare; the nearest is "tries"',
    )
    expect(problem(tool('a', { input: '{{ state.trys }}' }))).toMatch(/^a: "input" names "trys"/)
    expect(problem(branch({ id: 'a', condition: 'state["trys"] > 1' }))).toMatch(/^a: "condition" names "trys"/)
    expect(problem(tool('a', { set: { constructor: 1 } }))).toMatch(/^a: "set" names "constructor"/)
    expect(
      passes(
        flow([tool('a', { input: '{{ state["full name"] }} {{ state.tries }} {{ state["t" + "x"] }} {{ state }}' })], {
          state,
        }),
      ),
    ).toBe(true)
    expect(passes(flow([tool('a', { set: { any: 1 }, input: '{{ state.thing }}' })]))).toBe(true)
  })
})
