// What each kind of node does, gives and leads to.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { eventsOf, giving, line, made, rig, visits, work } from './rig.ts'

describe('a run of a workflow', () => {
  it('goes from the start to an end, and gives what the end says', async () => {
    const { engine } = rig()
    const definition = giving({ sum: '{{ one.value }}', text: 'got {{ two.value }}' }, [
      work('one', { value: '{{ input.n }}' }),
      work('two', { value: '{{ one.value }}' }),
    ])
    const result = await engine().run(definition, { n: 7 }).result
    expect(result).toMatchObject({ status: 'done', stop: 'end', output: { sum: 7, text: 'got 7' }, visitCount: 4 })
    expect(visits(result)).toEqual(['start ok', 'one ok', 'two ok', 'end ok'])
  })

  it('tells of every node and its call', async () => {
    const { engine } = rig()
    const events = await eventsOf(engine().run(line([work('one')])))
    const said = events.map(
      ({ type, ...event }) =>
        `${type} ${(event as { node?: string; callId?: string }).node ?? (event as { callId?: string }).callId ?? ''}`,
    )
    expect(said).toEqual([
      'run-start ',
      'node-start start',
      'node-end start',
      'node-start one',
      'tool-call one',
      'tool-start one',
      'tool-end one',
      'node-end one',
      'node-start end',
      'node-end end',
      'run-end ',
    ])
  })

  it('chooses by a condition, and by the text of a value', async () => {
    const { engine } = rig()
    const definition = giving(
      '{{ state.way }}',
      [
        { id: 'check', type: 'if', condition: 'input.n > 3', then: 'sort', else: 'end' },
        { id: 'sort', type: 'switch', value: 'input.n', cases: { '5': 'five' }, default: 'other' },
        work('five', {}, { set: { way: 'five' }, next: 'end' }),
        work('other', {}, { set: { way: 'other {{ output.value }}' }, next: 'end' }),
      ],
      { state: { way: 'none' } },
    )
    const at = async (n: number): Promise<unknown> => (await engine().run(definition, { n }).result).output
    expect([await at(1), await at(5), await at(6)]).toEqual(['none', 'five', 'other null'])
  })

  it('fails where no case fits and there is no default', async () => {
    const { engine } = rig()
    const definition = line([{ id: 'sort', type: 'switch', value: 'input.n', cases: { a: 'end' } }])
    const { status, error } = await engine().run(definition, { n: 'b' }).result
    expect(status).toBe('failed')
    expect(error).toMatchObject({ code: 'workflow-failed', data: { node: 'sort' } })
    expect(error?.message).toContain('no case is "b"')
  })

  it('goes in circles as often as it may, with a new call id each time', async () => {
    const { engine, log } = rig()
    const definition = line(
      [
        { ...work('count', { value: '{{ state.n + 1 }}' }), set: { n: '{{ output.value }}' } },
        { id: 'again', type: 'if', condition: 'state.n < 3', then: 'count', else: 'end' },
      ],
      { state: { n: 0 } },
    )
    const done = await engine().run(definition).result
    expect(done).toMatchObject({ status: 'done', state: { n: 3 } })
    expect(log.filter((one) => one.includes('starts'))).toEqual([
      'count starts @0',
      'count.2 starts @0',
      'count.3 starts @0',
    ])
  })

  it('runs branches side by side, and gives what each gave', async () => {
    const { engine, log } = rig()
    const definition = giving('{{ both }}', [
      {
        id: 'both',
        type: 'parallel',
        branches: {
          left: { type: 'tool', tool: 'work', input: { ms: 20, value: 1 } },
          right: { type: 'tool', tool: 'work', input: { ms: 10, value: '{{ input.n }}' } },
        },
      },
    ])
    const result = await engine().run(definition, { n: 2 }).result
    expect(result.error).toBeUndefined()
    expect(result.output).toEqual({ left: { value: 1 }, right: { value: 2 } })
    expect(log).toEqual(['left starts @0', 'right starts @0', 'right ends @10', 'left ends @20'])
  })

  it('lets the other branches finish when one fails, then fails', async () => {
    const { engine, log } = rig()
    const definition = giving('{{ both.error }}', [
      {
        id: 'both',
        type: 'parallel',
        branches: {
          bad: { type: 'tool', tool: 'work', input: { fails: true } },
          good: { type: 'tool', tool: 'work', input: { ms: 10 } },
        },
        onError: 'end',
      },
    ])
    const { output } = await engine().run(definition).result
    expect(output).toEqual({ reason: 'failed', message: 'Branch "bad": bad broke' })
    expect(log.at(-1)).toBe('good ends @10')
  })

  it('makes one call for each item, so many at once, in order', async () => {
    const { engine, now } = rig()
    const definition = giving('{{ all }}', [
      {
        id: 'all',
        type: 'map',
        items: '{{ input.list }}',
        each: { type: 'tool', tool: 'work', input: { ms: 10, value: '{{ item }}-{{ index }}' } },
        concurrency: 2,
      },
    ])
    const { output } = await engine().run(definition, { list: ['a', 'b', 'c'] }).result
    expect(output).toEqual([{ value: 'a-0' }, { value: 'b-1' }, { value: 'c-2' }])
    expect(now()).toBe(20)
  })

  it('refuses more items than it may have, and names the item that failed', async () => {
    const { engine } = rig()
    const map = (rest: object): ReturnType<typeof giving> =>
      giving('{{ all.error }}', [
        {
          id: 'all',
          type: 'map',
          items: '{{ input.list }}',
          each: { type: 'tool', tool: 'work', input: '{{ item }}' },
          onError: 'end',
          ...rest,
        },
      ])
    const many = await engine().run(map({ maxItems: 1 }), { list: [{}, {}] }).result
    expect(many.output).toEqual({ reason: 'limit', message: '"items" has 2 items, expected at most 1' })
    const bad = await engine().run(map({}), { list: [{}, { fails: true }] }).result
    expect(bad.output).toMatchObject({ message: 'Item 1: each.1 broke' })
    const none = await engine().run(map({}), { list: [] }).result
    expect(none.status).toBe('failed')
    expect(none.error?.message).toContain('there is no "error"')
  })

  it('asks an agent, whose tools and events are its own', async () => {
    const { engine, kit } = rig()
    const helper = agent({
      model: scriptedModel([{ calls: [{ name: 'look' }] }, 'It is blue']),
      tools: [made('look', () => 'blue', { effect: 'read' })],
      env: { host: kit.host },
    })
    const definition = giving('{{ ask.text }}', [
      { id: 'ask', type: 'agent', agent: 'helper', prompt: 'What about {{ input.x }}?' },
    ])
    const run = engine({ agents: { helper } }).run(definition, { x: 'it' })
    const events = await eventsOf(run)
    expect((await run.result).output).toBe('It is blue')
    expect(events.filter(({ path }) => path?.[0] === 'ask').map(({ type }) => type)).toContain('tool-end')
  })

  it('asks a model once, for text or for what its schema says', async () => {
    const { engine } = rig()
    const models = { default: scriptedModel(['hello', '{"age":"50"}']) }
    const definition = giving({ text: '{{ say.text }}', age: '{{ data.age }}' }, [
      { id: 'say', type: 'model', prompt: 'Say hello' },
      {
        id: 'data',
        type: 'model',
        prompt: 'Data',
        outputSchema: { type: 'object', properties: { age: { type: 'number' } }, required: ['age'] },
      },
    ])
    const { output, usage, error } = await engine({ models }).run(definition).result
    expect(error).toBeUndefined()
    expect(output).toEqual({ text: 'hello', age: 50 })
    expect(usage).toBeDefined()
  })

  it('runs a workflow within a branch, with state of its own', async () => {
    const { engine } = rig()
    const inner = giving({ n: '{{ state.n }}', got: '{{ input.x }}' }, [work('deep', {}, { set: { n: 5 } })], {
      name: 'inner',
      state: { n: 0 },
    })
    const definition = giving('{{ both.a }}', [
      {
        id: 'both',
        type: 'parallel',
        branches: { a: { type: 'workflow', workflow: inner, input: { x: '{{ input.x }}' } } },
      },
    ])
    const { output, error } = await engine().run(definition, { x: 9 }).result
    expect(error).toBeUndefined()
    expect(output).toEqual({ n: 5, got: 9 })
  })

  it('waits for a time', async () => {
    const { engine, now } = rig()
    const { status } = await engine().run(line([{ id: 'nap', type: 'wait', ms: 5000 }])).result
    expect([status, now()]).toEqual(['done', 5000])
  })
})
