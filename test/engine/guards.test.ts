// What holds for every call of a workflow, what a snapshot may not say, and what grows.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/json/value.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { readLog } from '../../src/journal/log.ts'
import type { Middleware } from '../../src/middleware/middleware.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { policy } from '../../src/policy/policy.ts'
import { recover } from '../../src/recovery/recover.ts'
import { failingStore } from '../../src/testing/crash/failing-store.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { Snapshot } from '../../src/run/snapshot.ts'
import { applyNodeRecord } from '../../src/workflow/log.ts'
import type { NodeRecord, WorkflowBody } from '../../src/workflow/log.ts'
import type { ToolSource } from '../../src/tool/source.ts'
import { parseWorkflow, workflow } from '../../src/workflow/workflow.ts'
import { copied, eventsOf, giving, line, made, rig, visits, work } from './rig.ts'
import type { Loose } from '../workflow/kit.ts'

const fan = (tool: string): Loose => ({
  id: 'both',
  type: 'parallel',
  branches: { a: { type: 'tool', tool, input: {} } },
  onError: 'end',
})

describe('a policy', () => {
  it('holds for nodes, for branches and for items, and not for what only holds them', async () => {
    const { engine, work: tool } = rig()
    const rules = policy({ tools: { deny: ['danger'] } })
    const tools = [tool, made('danger', () => 'boom')]
    const reason = async (node: Loose): Promise<unknown> => {
      const { output } = await engine({ tools, policy: rules }).run(giving('{{ both.error.message }}', [node])).result
      return output
    }
    expect(await reason({ id: 'both', type: 'tool', tool: 'danger', onError: 'end' })).toContain('denied')
    expect(await reason(fan('danger'))).toContain('denied')
    expect(
      await reason({ id: 'both', type: 'map', items: [1], each: { type: 'tool', tool: 'danger' }, onError: 'end' }),
    ).toContain('denied')
    const fine = await engine({ tools, policy: policy({ tools: { allow: ['work'] } }) }).run(
      line([fan('work'), { id: 'ask', type: 'approval', message: 'x' }]),
    ).result
    expect(visits(fine)).toEqual(['start ok', 'both ok', 'ask pending'])
  })

  it('of an imported snapshot asks about every call', async () => {
    const { engine } = rig()
    const suspended = await engine().run(line([{ id: 'ask', type: 'approval', message: 'x' }, work('after')])).result
    const first = await (await engine().resume(copied(suspended.snapshot), [], { trust: 'import' })).result
    expect(first.pending.map(({ callId }) => callId)).toEqual(['ask'])
    const second = await (
      await engine().resume(copied(first.snapshot), [{ callId: 'ask', decision: 'approve' }])
    ).result
    expect(second.pending).toMatchObject([{ callId: 'after', reason: 'The call comes from elsewhere' }])
  })
})

describe('middleware', () => {
  it('wraps the calls of nodes and of branches once, and limits them', async () => {
    const { engine } = rig()
    const seen: string[] = []
    const wrap: Middleware = { name: 'seen', tool: (call, next) => (seen.push(call.context.callId), next(call)) }
    await engine({ middleware: [wrap] }).run(line([work('one'), fan('work')])).result
    expect(seen).toEqual(['one', 'a'])
    const limited = { name: 'limit', limits: { toolCalls: 1 } }
    const { error } = await engine({ middleware: [limited] }).run(line([work('one'), work('two')])).result
    expect(error?.data).toEqual({ node: 'two', reason: 'limit' })
  })

  it('wraps the model of a model node', async () => {
    const { engine } = rig()
    const models = { default: scriptedModel(['hi']) }
    let asked = 0
    const wrap = {
      name: 'm',
      model: (request: never, next: (request: never) => AsyncIterable<never>) => (asked++, next(request)),
    }
    await engine({ models, middleware: [wrap as never] }).run(line([{ id: 'm', type: 'model', prompt: 'x' }])).result
    expect(asked).toBe(1)
  })
})

describe('resume()', () => {
  const suspended = async (): Promise<Snapshot> =>
    copied(
      (
        await rig()
          .engine()
          .run(line([work('x'), { id: 'ask', type: 'approval', message: '?' }, work('y')])).result
      ).snapshot,
    )

  it('refuses what cannot have come from a run', async () => {
    const snapshot = await suspended()
    const { engine } = rig()
    const body = snapshot.body as unknown as WorkflowBody
    const refused = async (changes: object): Promise<string> =>
      engine()
        .resume({ ...snapshot, body: { ...body, ...changes } as unknown as Json })
        .then(
          () => 'taken',
          (thrown: { code: string; message: string }) => `${thrown.code}: ${thrown.message}`,
        )
    const odd: readonly object[] = [
      { workflow: { ...body.workflow, nodes: [] } },
      { workflow: null },
      { at: { node: 'nowhere' } },
      { at: { node: 'ask', callId: 'x' } },
      { at: { node: 'ask', callId: 'ask.2' } },
      { at: { node: 'x', callId: 'x', result: { ok: 'yes' } } },
      { at: { node: 'x', effect: 'none' } },
      { visits: [{ node: 1 }] },
      { visits: Array.from({ length: 1001 }, () => ({ node: 'x', type: 'tool', status: 'ok' })) },
      { visitCount: -1 },
      { counts: { x: 'many' } },
      { outputs: { stranger: 1 } },
      { outputs: [] },
      { state: 'text' },
      { tools: null },
      { toolCalls: { x: -1 } },
      { children: { ask: { driver: 'agent' } } },
    ]
    for (const changes of odd)
      expect([changes, await refused(changes)]).toEqual([
        changes,
        expect.stringMatching(/^run-invalid-snapshot: Cannot resume: /),
      ])
    await expect(engine().resume({ ...snapshot, driver: 'agent' })).rejects.toMatchObject({
      code: 'run-invalid-snapshot',
    })
  })

  it('refuses a snapshot of a run that is done', async () => {
    const { snapshot } = await rig().engine().run(line([])).result
    await expect(rig().engine().resume(copied(snapshot))).rejects.toThrow('the run is done')
  })

  it('refuses where a tool that it needs is gone, and tells of one that changed', async () => {
    const snapshot = await suspended()
    await expect(rig().engine({ tools: [] }).resume(snapshot)).rejects.toMatchObject({
      code: 'run-tool-changed',
      message: expect.stringContaining('there is no tool "work"'),
    })
    const other = made('work', () => ({ value: 1 }))
    const run = await rig()
      .engine({ tools: [other] })
      .resume(snapshot, [{ callId: 'ask', decision: 'approve' }])
    const events = await eventsOf(run)
    expect(events[1]).toMatchObject({ type: 'warning', code: 'tool-changed' })
    expect((await run.result).status).toBe('done')
  })

  it('refuses a child that is of another workflow', async () => {
    const inner = line([{ id: 'ask', type: 'approval', message: 'a' }], { name: 'inner' })
    const definition = line([{ id: 'both', type: 'parallel', branches: { a: { type: 'workflow', workflow: inner } } }])
    const { snapshot } = await rig().engine().run(definition).result
    const text = JSON.stringify(snapshot)
    const forged = JSON.parse(text.replaceAll('"message":"a"', '"message":"b"')) as Snapshot
    const body = (JSON.parse(text) as Snapshot).body as unknown as WorkflowBody
    const mixed = { ...forged, body: { ...(forged.body as object), workflow: body.workflow } } as never
    await expect(rig().engine().resume(mixed)).rejects.toMatchObject({ code: 'run-invalid-snapshot' })
  })
})

describe('a source that is not connected yet', () => {
  const shop = (connect: () => Promise<void>): ToolSource => ({
    scheme: 'mcp',
    name: 'shop',
    connect,
    list: () => [made('order', () => 'ordered')],
  })
  const definition = giving('{{ x.result }}', [{ id: 'x', type: 'tool', tool: 'mcp://shop.order' }])

  it('is connected before names are looked up, and stays open', async () => {
    const { engine, kit } = rig()
    let connected = 0
    const registry = toolRegistry({ env: { host: kit.host } }).addSource(shop(async () => void connected++))
    const flow = engine({ tools: [], registry })
    expect((await flow.run(definition).result).output).toBe('ordered')
    expect((await flow.run(definition).result).output).toBe('ordered')
    expect(connected).toBe(1)
    const { status, error } = await engine({
      tools: [],
      registry: toolRegistry({ env: { host: kit.host } }).addSource(shop(async () => {})),
    }).run(line([work('x')])).result
    expect([status, error?.code]).toEqual(['failed', 'workflow-invalid'])
    await flow.close()
  })

  it('fails the run where it cannot be', async () => {
    const { engine, kit } = rig()
    const registry = toolRegistry({ env: { host: kit.host } }).addSource(shop(() => Promise.reject(new Error('down'))))
    const { error } = await engine({ tools: [], registry }).run(definition).result
    expect(error?.code).toBe('source-failed')
  })
})

describe('patterns of schemas', () => {
  it('are tried only where the engine is told so', async () => {
    const definition = line([], {
      inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    })
    expect(
      (
        await rig()
          .engine()
          .run(definition, { a: `${'a'.repeat(40)}!` }).result
      ).status,
    ).toBe('done')
    expect(() => rig().engine({ patterns: 'check' }).run(definition, { a: 'b' })).toThrow('run workflow')
  })
})

describe('the log', () => {
  it('says what the snapshot says', async () => {
    const store = memoryStore()
    const definition = giving(
      { n: '{{ state.n }}' },
      [
        work('x', { value: '{{ state.n }}' }, { set: { n: '{{ state.n + 1 }}' } }),
        { id: 'more', type: 'if', condition: 'state.n < 3', then: 'x', else: 'bad' },
        work('bad', { fails: true }, { onError: 'end' }),
      ],
      { state: { n: 0 } },
    )
    const result = await rig().engine().run(definition, {}, { store, id: 'r' }).result
    expect(result.output).toEqual({ n: 3 })
    const log = await readLog(store, 'r')
    const { snapshot } = (log[0] as { readonly data: unknown }).data as { readonly snapshot: Snapshot }
    const before = snapshot.body as unknown as WorkflowBody
    const frozen = JSON.stringify(before)
    const folded = log
      .filter(({ type }) => type === 'journal-node')
      .reduce((body, { data }) => applyNodeRecord(body, data as unknown as NodeRecord), before)
    expect(JSON.stringify(before)).toBe(frozen)
    expect(copied({ ...folded, workMs: 0 })).toEqual({ ...(result.snapshot.body as object), workMs: 0 })
  })
})

describe('recover()', () => {
  it('goes on with nodes that are named as what objects inherit', async () => {
    for (const id of ['constructor', 'toString']) {
      const store = memoryStore()
      const definition = giving(`{{ ${id}.value }}`, [work(id, { value: 7 }), work('after')])
      const { engine } = rig()
      await engine({ env: { store: failingStore(store, 3, 'after') } }).run(definition, {}, { id: 'r' }).result
      const run = await recover(engine({ env: { store } }), { store, run: 'r' })
      expect(await run.result).toMatchObject({ status: 'done', output: 7 })
    }
  })
})

describe('volume', () => {
  it('runs a chain of 1,000 nodes', async () => {
    const chain = Array.from({ length: 1000 }, (_, index) => work(`n${index}`))
    const { visitCount, status } = await rig()
      .engine()
      .run(line(chain, { maxVisits: 2000 })).result
    expect([visitCount, status]).toEqual([1002, 'done'])
  })

  it('keeps the last 1,000 visits of very many, and can be aborted', async () => {
    const definition = line(
      [{ id: 'again', type: 'if', condition: 'state.n > 0 and input.n < 0', then: 'end', else: 'again' }],
      { state: { n: 1 }, maxVisits: 100_000 },
    )
    const { engine, kit } = rig()
    const result = await engine().run(definition, { n: 1 }).result
    expect([result.stop, result.visitCount, result.visits.length]).toEqual(['steps', 100_000, 1000])
    expect((result.snapshot.body as unknown as WorkflowBody).visits.length).toBe(1000)
    const run = engine().run(definition, { n: 1 })
    kit.host.timer(0, () => run.abort())
    const aborted = await run.result
    expect(aborted.status).toBe('aborted')
    expect(aborted.visitCount).toBeLessThan(5000)
  })

  it('runs many workflows of one engine at once', async () => {
    const { engine } = rig()
    const one = engine()
    const definition = giving('{{ x.value }}', [work('x', { ms: 10, value: '{{ input.n }}' })])
    const all = await Promise.all(Array.from({ length: 100 }, (_, n) => one.run(definition, { n }).result))
    expect(all.map(({ output }) => output)).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })
})

describe('run()', () => {
  it('takes what workflow() makes, what a text says, and JSON', async () => {
    const { engine } = rig()
    const built = workflow('built')
      .start()
      .tool('x', { tool: 'work', input: { value: 4 } })
      .end({ output: '{{ x.value }}' })
    const json = built.toJSON()
    const outputs = [built, json, parseWorkflow(JSON.stringify(json))].map(
      async (given) => (await engine().run(given).result).output,
    )
    expect(await Promise.all(outputs)).toEqual([4, 4, 4])
    expect(() => engine().run({ version: 1, name: 'x', nodes: [] })).toThrow('expected exactly one node of type start')
  })
})
