import { describe, expect, it } from 'vitest'
import type { WorkflowJson } from '../../src/workflow/definition.ts'
import { parseWorkflow, workflow } from '../../src/workflow/workflow.ts'
import { errorOf, flow, refusalOf, tool } from './kit.ts'
import type { Loose } from './kit.ts'

const every = (): WorkflowJson =>
  workflow('every', {
    description: 'One node of each type',
    inputSchema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
    outputSchema: { type: 'object' },
    state: { tries: 0, title: null },
    maxVisits: 50,
    timeoutMs: 60_000,
  })
    .start()
    .tool('fetch', {
      tool: 'http',
      input: { url: '{{ input.url }}' },
      timeoutMs: 1_000,
      retry: { retries: 2, delayMs: 10 },
      set: { tries: '{{ state.tries + 1 }}', title: '{{ output.title }}' },
      onError: 'again',
    })
    .switch('kind', { value: 'fetch.type', cases: { page: 'read', feed: 'items' }, default: 'failed' })
    .model('read', { prompt: 'Read {{ fetch.body }}', instructions: 'Be brief', outputSchema: { type: 'object' } })
    .agent('write', { agent: 'writer', prompt: 'Write about {{ read }}', next: 'both' })
    .map('items', {
      items: '{{ fetch.items }}',
      each: { type: 'tool', tool: 'http', input: { url: '{{ item.url }}', index: '{{ index }}' } },
      concurrency: 4,
      maxItems: 20,
    })
    .parallel('both', {
      branches: {
        left: { type: 'model', prompt: '{{ input.url }}' },
        right: {
          type: 'workflow',
          workflow: workflow('inner').start().end({ output: '{{ input }}' }).toJSON(),
          input: { url: '{{ input.url }}' },
        },
      },
    })
    .wait('pause', { ms: 100 })
    .wait('news', { event: 'arrived' })
    .approval('sure', { message: 'Publish {{ state.title }}?', denied: 'failed' })
    .end('done', { output: { left: '{{ both.left }}' } })
    .if('again', { condition: 'state.tries < 3 and not fetch.error', then: 'fetch', else: 'failed' })
    .end('failed')
    .toJSON()

describe('workflow()', () => {
  it('builds a definition in which a node without next goes on to the one after it', () => {
    const made = workflow('report').start().tool('fetch', { tool: 'http' }).wait('pause', { ms: 1 }).end()
    expect(made.toJSON()).toEqual({
      version: 1,
      name: 'report',
      nodes: [
        { id: 'start', type: 'start', next: 'fetch' },
        { id: 'fetch', type: 'tool', tool: 'http', next: 'pause' },
        { id: 'pause', type: 'wait', ms: 1, next: 'end' },
        { id: 'end', type: 'end' },
      ],
    })
  })

  it('goes where next says, and takes an undefined one for none', () => {
    const made = workflow('report')
      .start('second')
      .tool('first', { tool: 'a', next: 'finish' })
      .tool('second', { tool: 'b', next: undefined })
      .tool('third', { tool: 'c', next: 'first' })
      .end('finish')
    expect(made.toJSON().nodes.map((node) => ('next' in node ? node.next : undefined))).toEqual([
      'second',
      'finish',
      'third',
      'first',
      undefined,
    ])
  })

  it('takes options where it could take an id', () => {
    const made = workflow('report')
      .start({ id: 'begin', set: { a: 1 } })
      .end({ output: '{{ begin }}' })
    expect(made.definition.nodes).toEqual([
      { id: 'begin', type: 'start', next: 'end', set: { a: 1 } },
      { id: 'end', type: 'end', output: '{{ begin }}' },
    ])
  })

  it('leaves a builder as it was when a node is added', () => {
    const base = workflow('report').start().tool('fetch', { tool: 'http' })
    const one = base.end('one')
    const two = base.end('two')
    expect(one.toJSON().nodes.at(-1)).toEqual({ id: 'one', type: 'end' })
    expect(two.toJSON().nodes.at(-1)).toEqual({ id: 'two', type: 'end' })
    expect(two.toJSON().nodes).toHaveLength(3)
  })

  it('gives the same definition after a round trip, also through text', () => {
    const json = { ...every(), state: { tries: 0, title: -0 } }
    const plain = JSON.parse(JSON.stringify(json)) as WorkflowJson
    expect(workflow(json).toJSON()).toEqual(plain)
    expect(workflow(workflow(plain).toJSON()).toJSON()).toEqual(plain)
    expect(parseWorkflow(JSON.stringify(workflow(json))).toJSON()).toEqual(plain)
  })

  it('keeps a frozen definition of its own, and gives copies away', () => {
    const json = structuredClone(every())
    const made = workflow(json)
    Object.assign(json.nodes[1] as object, { tool: 'other' })
    Object.assign(made.toJSON().nodes[1] as object, { tool: 'other' })
    expect(made.definition).toEqual(every())
    expect(Object.isFrozen(made.definition.nodes[1])).toBe(true)
    expect(made.name).toBe('every')
  })

  it('refuses a built workflow when its definition is asked for', () => {
    const made = workflow('report').start().tool('fetch', { tool: 'http' })
    expect(made.name).toBe('report')
    expect(errorOf(() => made.definition).message).toBe(
      'Cannot use the workflow "report": node "fetch": "next" is missing',
    )
    expect(errorOf(() => made.toJSON()).code).toBe('workflow-invalid')
  })

  it('refuses two ends that both have the default id', () => {
    const made = workflow('report').start().if('ok', { condition: 'input.a', then: 'end', else: 'end' }).end().end()
    expect(errorOf(() => made.definition).data['problem']).toBe('the id is not unique: "end" is there twice')
  })

  it('builds ten thousand nodes in linear time', () => {
    let made = workflow('long').start()
    for (let index = 0; index < 9_998; index++) made = made.wait(`n${index}`, { ms: 0 })
    expect(made.end().definition.nodes).toHaveLength(10_000)
  })
})

/** Two levels of `key: value` by indentation, and lists of such: enough of YAML for a test. */
function parseTiny(text: string): unknown {
  const root: Record<string, unknown> = {}
  let nodes: Record<string, unknown>[] = []
  for (const line of text.split('\n')) {
    const [, indent = '', dash = '', key = '', value = ''] = /^( *)(- )?(\w+): ?(.*)$/.exec(line) ?? []
    if (key === '') throw new SyntaxError(`line ${line}`)
    if (value === '') root[key] = nodes = []
    else if (dash !== '') nodes.push({ [key]: value })
    else if (indent === '') root[key] = Number(value) || value
    else Object.assign(nodes.at(-1) ?? {}, { [key]: value })
  }
  return root
}

const yaml = `version: 1
name: report
nodes:
- id: start
  type: start
  next: fetch
- id: fetch
  type: tool
  tool: http
  next: end
- id: end
  type: end`

describe('parseWorkflow()', () => {
  it('reads JSON, and other notations by a parser that is handed in', () => {
    const json = flow([tool('fetch')])
    expect(parseWorkflow(JSON.stringify(json)).toJSON()).toEqual(json)
    expect(parseWorkflow(yaml, parseTiny).toJSON()).toEqual(json)
  })

  it('refuses text that cannot be read, without the words of the engine', () => {
    expect(errorOf(() => parseWorkflow('{')).message).toBe(
      'Cannot use the workflow: the text cannot be read: it is no JSON',
    )
    expect(errorOf(() => parseWorkflow('?', parseTiny)).data).toEqual({
      problem: 'the text cannot be read: SyntaxError',
    })
    expect(errorOf(() => parseWorkflow('[]')).message).toBe('Cannot use the workflow: it must be an object, got []')
  })

  it('does not let a parser pollute prototypes or bring what is no JSON', () => {
    const polluted = JSON.parse('{"__proto__": {"version": 1}, "name": "x"}') as unknown
    const problem = (value: unknown): unknown => errorOf(() => parseWorkflow('', () => value)).data['problem']
    expect(problem(polluted)).toBe('at "/__proto__": "__proto__" is no name')
    expect(problem(Object.create(flow([])))).toBe('expected JSON, got an object that is not plain')
    expect(problem({ name: new Date(0) })).toBe('at "/name": expected JSON, got an object that is not plain')
    expect(problem(new Map())).toBe('expected JSON, got an object that is not plain')
    expect(problem({ state: { a: NaN } })).toBe('at "/state/a": expected JSON, got a value of type number')
    expect(problem({ state: [undefined] })).toBe('at "/state/0": expected JSON, got nothing')
    expect(problem(Promise.resolve({}))).toBe('expected JSON, got an object that is not plain')
    expect(({} as Loose)['version']).toBe(undefined)
  })

  it('is not brought down by what grows or throws when it is read', () => {
    let bomb: unknown = 'lol'
    for (let level = 0; level < 30; level++) bomb = [bomb, bomb, bomb, bomb]
    expect(refusalOf({ state: bomb }).data['problem']).toMatch(/expected at most 1000000 values in all$/)
    const circle: Record<string, unknown> = {}
    circle['state'] = circle
    expect(refusalOf(circle).data['problem']).toMatch(/expected at most 64 levels of nesting$/)
    const trap = {
      get name(): string {
        throw new Error('secret')
      },
    }
    expect(refusalOf(trap).message).toBe('Cannot use the workflow: at "/name": it cannot be read')
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(refusalOf(proxy).message).toBe('Cannot use the workflow: it cannot be read')
  })
})
