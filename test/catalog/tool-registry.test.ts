import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { policy } from '../../src/policy/policy.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { tool } from '../../src/tool/valibot-tool.ts'
import type { ToolSource } from '../../src/tool/source.ts'

const named = (name: string, answer: unknown = name) =>
  tool({ name, description: `Is ${name}.`, execute: () => answer })

const coded = (code: string) => expect.objectContaining({ code })

/** A source that notes what is done with it. */
function source(name: string, more: Partial<ToolSource> = {}) {
  const done: string[] = []
  const made: ToolSource = {
    scheme: 'mcp',
    name,
    connect: async () => void done.push('connect'),
    list: () => [named('log', `log of ${name}`)],
    close: async () => void done.push('close'),
    ...more,
  }
  return { done, made }
}

describe('names', () => {
  it('are given at registration, and make the URI and the name a model sees', async () => {
    const registry = toolRegistry().register(named('ls'), { name: 'fs.ls' })
    expect(registry.list()).toEqual(['fs.ls'])
    expect(registry.definitions().map(({ name }) => name)).toEqual(['fs_ls'])
    for (const name of ['fs.ls', 'fs_ls', 'fn://fs.ls']) expect(await registry.call(name)).toEqual({ result: 'ls' })
  })

  it.each([
    ['x'.repeat(80), 'x'.repeat(64)],
    ['a/b c', 'a_b_c'],
    ['größe', 'gr__e'],
    ['日本', '__'],
    ['rest://shop.get', 'shop_get'],
  ])('%s is shown to models as %s', (name, shown) => {
    expect(toolRegistry().register(named('t'), { name }).definitions()[0]?.name).toBe(shown)
  })

  it.each(['nothing', 'fn://', '://x', 'nope://x.y', 'rest://shop', '', 'constructor', '__proto__'])(
    'that lead nowhere are not found: %s',
    async (name) => {
      const registry = toolRegistry().register(named('one'))
      await expect(registry.call(name)).rejects.toEqual(coded('tool-not-found'))
      expect(await registry.invoke(name)).toMatchObject({ ok: false, reason: 'not-found' })
      await expect(registry.definition(name)).rejects.toEqual(coded('tool-not-found'))
      expect(registry.get(name)).toBeUndefined()
    },
  )
})

describe('sharing', () => {
  it('is by reference: an agent sees a tool that another holder registers, from its next model call', async () => {
    const registry = toolRegistry().register(named('one'))
    const model = scriptedModel(['a', 'b'])
    const assistant = agent({ model, registry })
    await assistant.run('x').result
    registry.register(named('two'))
    await assistant.run('x').result
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['one'], ['one', 'two']])
  })

  it('fork() sees later changes of its parent and keeps its own', async () => {
    const parent = toolRegistry().register(named('one'))
    const child = parent.fork().register(named('mine'))
    parent.register(named('two'))
    expect(child.list()).toEqual(['one', 'two', 'mine'])
    expect(parent.list()).toEqual(['one', 'two'])
    child.register(named('one', 'other'), { override: true })
    expect([await child.call('one'), await parent.call('one')]).toEqual([{ result: 'other' }, { result: 'one' }])
    parent.disable('two')
    expect(child.list()).toEqual(['one', 'mine'])
    await expect(child.call('two')).rejects.toEqual(coded('tool-denied'))
    child.disable('mine')
    expect(parent.enable('two').list()).toEqual(['one', 'two'])
  })
})

describe('a fork with a policy', () => {
  it('is only narrower: what the parent denies, stays denied', async () => {
    const parent = toolRegistry({ policy: policy({ tools: { deny: ['one'] } }) }).register(
      ['one', 'two', 'three'].map((name) => named(name)),
    )
    const child = parent.fork({ policy: policy({ tools: { deny: ['two'] } }) })
    expect([parent.list(), child.list()]).toEqual([['two', 'three'], ['three']])
    for (const name of ['one', 'two']) await expect(child.call(name)).rejects.toEqual(coded('tool-denied'))
    expect(await parent.call('two')).toEqual({ result: 'two' })
  })
})

describe('alias()', () => {
  it('is a second name for calls that models are not told of', async () => {
    const registry = toolRegistry().register(named('ls'), { name: 'fs.ls' }).alias('dir', 'fs.ls')
    expect(await registry.call('dir')).toEqual({ result: 'ls' })
    expect(registry.list()).toEqual(['fs.ls'])
    expect(registry.definitions()).toHaveLength(1)
    expect(registry.calls('fs.ls')).toBe(1)
    expect(() => registry.alias('dir', 'fs.ls')).toThrow('the name is taken')
    expect(() => registry.alias('x', 'nothing')).toThrow('There is no tool')
  })

  it('follows a tool that takes another’s place, and goes with it', async () => {
    const registry = toolRegistry().register(named('one')).alias('uno', 'one')
    registry.register(named('one', 'new'), { override: true })
    expect(await registry.call('uno')).toEqual({ result: 'new' })
    registry.unregister('one')
    await expect(registry.call('uno')).rejects.toEqual(coded('tool-not-found'))
  })

  it('opens no way around deny-always', async () => {
    const registry = toolRegistry().register(tool({ name: 'pay', description: 'x', approval: true, execute: () => 1 }))
    registry.alias('spend', 'pay')
    const turns = [{ calls: [{ name: 'pay' }] }, { calls: [{ name: 'spend' }] }, 'done']
    const assistant = agent({ model: scriptedModel(turns), registry, approve: () => 'deny-always' })
    const run = assistant.run('x')
    const asked = []
    for await (const event of run) if (event.type === 'approval-request') asked.push(event.name)
    expect(asked).toEqual(['pay'])
    expect(registry.calls('pay')).toBe(0)
  })
})

describe('disable() and allow()', () => {
  it('hide a tool and refuse its calls, for code and for models', async () => {
    const registry = toolRegistry()
      .register([named('one'), named('two')])
      .disable('one')
    expect([registry.list(), registry.get('one'), registry.definitions().length]).toEqual([['two'], undefined, 1])
    await expect(registry.call('one')).rejects.toThrow('switched off')
    const model = scriptedModel([{ calls: [{ name: 'one' }] }, 'done'])
    const { messages } = await agent({ model, registry }).run('x').result
    expect(JSON.stringify(messages)).toContain('switched off')
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['two'])
    expect(await registry.enable('one').call('one')).toEqual({ result: 'one' })
  })

  it('asks a predicate with the run it is about', async () => {
    const registry = toolRegistry().register([named('one'), named('admin')])
    registry.allow(({ name }, { deps }) => name !== 'admin' || deps === 'boss')
    const model = scriptedModel([{ calls: [{ name: 'admin' }] }, 'done', { calls: [{ name: 'admin' }] }, 'done'])
    const assistant = agent({ model, registry })
    await assistant.run('x', { deps: 'clerk' }).result
    expect(registry.calls('admin')).toBe(0)
    await assistant.run('x', { deps: 'boss' }).result
    expect(registry.calls('admin')).toBe(1)
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 2, 2])
  })

  it('forbids where a predicate throws', async () => {
    const registry = toolRegistry().register(named('one'))
    registry.allow(() => {
      throw new Error('no')
    })
    expect(registry.list()).toEqual([])
    await expect(registry.call('one')).rejects.toEqual(coded('tool-denied'))
  })
})

describe('descriptions', () => {
  const order = tool({
    name: 'get',
    description: 'Gets.',
    input: v.object({ id: v.number() }),
    output: v.object({ total: v.number() }),
    execute: () => ({ total: 1 }),
  })
  const registry = toolRegistry()
    .register(order, { name: 'shop.get' })
    .register(tool({ name: 'now', description: 'Now.', output: v.string(), execute: () => 'now' }))
    .register(tool({ name: 'say', description: 'Says.', input: v.string(), execute: (text) => text }))

  it('leave out what the policy of the registry denies', async () => {
    const given = { policy: policy({ tools: { deny: ['two'] } }) }
    const registry = toolRegistry(given).register([named('one'), named('two')])
    expect(registry.list()).toEqual(['one'])
    expect(registry.definitions()).toHaveLength(1)
    expect(await registry.describe()).toHaveLength(1)
    expect(await registry.invoke('two')).toMatchObject({ ok: false, reason: 'denied' })
  })

  it('hold name, description and both schemas, the output as call gives it', async () => {
    expect(await registry.describe()).toEqual([
      {
        name: 'fn://shop.get',
        description: 'Gets.',
        inputSchema: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
        outputSchema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
      },
      {
        name: 'fn://now',
        description: 'Now.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        outputSchema: { type: 'object', properties: { result: { type: 'string' } }, required: ['result'] },
      },
      {
        name: 'fn://say',
        description: 'Says.',
        inputSchema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
        outputSchema: { type: 'object', properties: { result: {} }, required: ['result'] },
      },
    ])
    expect(await registry.definition('shop.get')).toEqual((await registry.describe())[0])
    expect(await registry.inputSchema('now')).toEqual({ type: 'object', properties: {}, additionalProperties: false })
    expect(await registry.outputSchema('fn://now')).toMatchObject({ required: ['result'] })
  })

  it.each([
    [undefined, 3],
    [[], 0],
    [['*'], 3],
    [['fn://shop.get'], 1],
    [['shop.*'], 1],
    [['fn://*'], 3],
    [['nothing', 'now'], 1],
  ])('are chosen by %j', async (allow, count) => {
    expect(await registry.describe({ allow })).toHaveLength(count)
  })
})

describe('sources', () => {
  it('connect when they are described or called, once at a time, and only the one that is meant', async () => {
    const git = source('git')
    const web = source('web')
    const registry = toolRegistry().addSource(git.made).addSource(web.made)
    expect([git.done, registry.list()]).toEqual([[], []])
    expect(await Promise.all([registry.call('mcp://git.log'), registry.call('mcp://git.log')])).toEqual([
      { result: 'log of git' },
      { result: 'log of git' },
    ])
    expect([git.done, web.done]).toEqual([['connect'], []])
    await registry.connect()
    await registry.connect()
    expect([git.done, web.done]).toEqual([['connect'], ['connect']])
    expect(registry.list()).toEqual(['mcp://git.log', 'mcp://web.log'])
    expect(registry.definitions().map(({ name }) => name)).toEqual(['git_log', 'web_log'])
    expect(await registry.describe({ allow: ['git.*'] })).toHaveLength(1)
  })

  it('are connected by an agent before its first model call', async () => {
    const model = scriptedModel([{ calls: [{ name: 'git_log' }] }, 'done'])
    const registry = toolRegistry().addSource(source('git').made)
    const { messages } = await agent({ model, registry }).run('x').result
    expect(JSON.stringify(messages)).toContain('log of git')
  })

  it('that cannot connect fail there with their name, leave no half of their tools, and may be tried again', async () => {
    let tries = 0
    const { made } = source('git', {
      list: () => [named('log'), named('log')].slice(++tries > 1 ? 1 : 0),
    })
    const other = source('web')
    const registry = toolRegistry().addSource(made).addSource(other.made)
    await expect(registry.connect()).rejects.toMatchObject({
      code: 'source-failed',
      message:
        'Cannot connect the source "mcp://git": Cannot use tool "mcp://git.log": the name is taken, wanted override: true',
    })
    expect(registry.list()).toEqual(['mcp://web.log'])
    await registry.connect()
    expect(registry.list()).toEqual(['mcp://web.log', 'mcp://git.log'])
  })

  it('keep the words of an engine to themselves', async () => {
    const connect = () => Promise.reject(new TypeError('fetch failed at 10.0.0.1'))
    const registry = toolRegistry().addSource(source('git', { connect }).made)
    await expect(registry.connect()).rejects.toMatchObject({
      message: 'Cannot connect the source "mcp://git"',
      retryable: true,
    })
    const run = agent({ model: scriptedModel(['hi']), registry }).run('x')
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'source-failed' } })
  })

  it('close in reverse order, take their tools along, and open again', async () => {
    const order: string[] = []
    const closing = (name: string) => source(name, { close: async () => void order.push(name) }).made
    const registry = toolRegistry().addSource(closing('a')).addSource(closing('b'))
    await registry.connect()
    await registry.close()
    expect([order, registry.list()]).toEqual([['b', 'a'], []])
    await registry.close()
    expect(order).toEqual(['b', 'a'])
    expect(await registry.call('mcp://a.log')).toEqual({ result: 'log of a' })
  })

  it('are all closed, also when one of them cannot be', async () => {
    const broken = source('b', { close: () => Promise.reject(new Error('stuck')) })
    const fine = source('a')
    const registry = toolRegistry().addSource(fine.made).addSource(broken.made)
    await registry.connect()
    await expect(registry.close()).rejects.toMatchObject({ message: 'Cannot close the source "mcp://b"' })
    expect(fine.done).toEqual(['connect', 'close'])
  })

  it('are refused twice, and without a usable name', () => {
    const registry = toolRegistry().addSource(source('git').made)
    expect(() => registry.addSource(source('git').made)).toThrow('There is a source "mcp://git" already')
    for (const name of ['', 'a.b', 'a/b'])
      expect(() => registry.addSource(source(name).made)).toThrow('wanted a scheme')
  })

  it('of a parent are seen by a fork', async () => {
    const parent = toolRegistry().addSource(source('git').made)
    expect(await parent.fork().call('mcp://git.log')).toEqual({ result: 'log of git' })
    expect(parent.list()).toEqual(['mcp://git.log'])
  })

  it('end with the block that holds the registry, where the language knows how', async () => {
    const { made, done } = source('git')
    const registry = toolRegistry().addSource(made)
    await registry.connect()
    const dispose = (registry as unknown as Record<symbol, (() => Promise<void>) | undefined>)[
      (Symbol as { asyncDispose?: symbol }).asyncDispose ?? Symbol()
    ]
    if ('asyncDispose' in Symbol) expect(dispose).toBeDefined()
    await dispose?.()
    expect(done).toEqual('asyncDispose' in Symbol ? ['connect', 'close'] : ['connect'])
  })
})

describe('results', () => {
  it.each([
    ['an object schema as it is', v.object({ a: v.number() }), { a: '5' }, { a: 5 }],
    ['any other schema under result, coerced', v.number(), '50', { result: 50 }],
    ['none under result, unchecked', undefined, '50', { result: '50' }],
    ['nothing as null', undefined, undefined, { result: null }],
  ])('give %s', async (_, output, answer, expected) => {
    const registry = toolRegistry().register(
      tool({ name: 't', description: 'x', output, execute: () => answer as never }),
    )
    expect(await registry.call('t')).toEqual(expected)
  })

  it('say what was coerced', async () => {
    const { registry, model } = (() => {
      const made = tool({
        name: 't',
        description: 'x',
        output: v.object({ n: v.number() }),
        execute: () => ({ n: '5' }) as never,
      })
      return { registry: toolRegistry().register(made), model: scriptedModel([{ calls: [{ name: 't' }] }, 'done']) }
    })()
    const run = agent({ model, registry }).run('x')
    const ends = []
    for await (const event of run) if (event.type === 'tool-end') ends.push(event.outcome)
    expect(ends).toMatchObject([{ ok: true, coercions: [{ path: '/n' }] }])
  })

  it('that cannot satisfy their schema are an error', async () => {
    const broken = tool({ name: 't', description: 'x', output: v.number(), execute: () => 'many' as never })
    await expect(toolRegistry().register(broken).call('t')).rejects.toEqual(coded('tool-invalid-output'))
  })
})
