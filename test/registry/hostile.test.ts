// Tools and names that are not what they should be: a clear error or a result the model reads.
import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { fail } from '../../src/tool/tool.ts'
import { anyObject, calls, eventsOf, made, results, rig } from '../agent/rig.ts'
import { coded, endsOf, played, thenable } from './hostile-kit.ts'

const megabytes = (count: number): string => 'x'.repeat(count * 1024 * 1024)

describe('a name', () => {
  it.each(['', 'fn://', 'rest://'])('that is empty is refused at registration: %j', (name) => {
    expect(() =>
      toolRegistry().register(
        made('a', () => 1),
        { name },
      ),
    ).toThrow(coded('config-invalid') as Error)
  })

  it.each([5, null, {}, ['a']])('that is no text is refused at registration: %j', (name) => {
    expect(() =>
      toolRegistry().register(
        made('a', () => 1),
        { name: name as never },
      ),
    ).toThrow(coded('config-invalid') as Error)
    expect(() => toolRegistry().register(made(name as never, () => 1))).toThrow(coded('config-invalid') as Error)
  })

  it('that is taken is refused, also as an alias, by a tool or by an alias, and the first stays', async () => {
    const registry = toolRegistry()
      .register(made('a', () => 'first'))
      .register(made('b', () => 'b'))
    registry.alias('c', 'a')
    expect(() => registry.register(made('a', () => 'second'))).toThrow(coded('config-duplicate-tool') as Error)
    expect(() => registry.register(made('c', () => 'second'))).toThrow(coded('config-duplicate-tool') as Error)
    for (const alias of ['a', 'b', 'c', 'fn://b'])
      expect(() => registry.alias(alias, 'b')).toThrow(coded('config-duplicate-tool') as Error)
    expect([await registry.call('a'), await registry.call('c')]).toEqual([{ result: 'first' }, { result: 'first' }])
    expect(() => rig([], { registry, tools: [made('a', () => 1)] })).toThrow(coded('config-duplicate-tool') as Error)
  })

  it('that is taken by one of a list keeps the whole list out', () => {
    const registry = toolRegistry().register(made('a', () => 1))
    for (const list of [
      [made('b', () => 1), made('a', () => 1)],
      [made('b', () => 1), made('b', () => 1)],
      [made('b', () => 1), made('', () => 1)],
    ])
      expect(() => registry.register(list)).toThrow(/./)
    expect(registry.list()).toEqual(['a'])
  })

  it('that only looks taken to models is told apart', async () => {
    const registry = toolRegistry()
    for (const name of ['a.b', 'a/b', 'a b', 'a_b'])
      registry.register(
        made('t', () => name),
        { name },
      )
    expect(registry.definitions().map(({ name }) => name)).toEqual(['a_b', 'a_b_2', 'a_b_3', 'a_b_4'])
    for (const name of ['a.b', 'a/b', 'a b']) expect(await registry.call(`fn://${name}`)).toEqual({ result: name })
  })

  it.each(['http://', '://', 'fn://', 'fn://a://b', 'nope://x.y', 'FN://a', 'fn:/a', ' fn://a', 'fn://a ', 'a\0'])(
    'that is no URI of a tool is not found: %j',
    async (uri) => {
      const registry = toolRegistry().register(made('a', () => 1))
      await expect(registry.call(uri)).rejects.toEqual(coded('tool-not-found'))
      await expect(registry.inputSchema(uri)).rejects.toEqual(coded('tool-not-found'))
      expect(() => registry.disable(uri)).toThrow(coded('tool-not-found') as Error)
      expect(await registry.describe({ allow: [uri] })).toEqual([])
    },
  )

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'that every object inherits is a name like any other: %s',
    async (name) => {
      const registry = toolRegistry().register(made(name, () => 'mine'))
      expect(await registry.call(name)).toEqual({ result: 'mine' })
      const { assistant } = rig([calls(name), 'done'], { registry, limits: { toolCalls: { [name]: 1 } } })
      const { snapshot, messages } = await assistant.run('go').result
      expect(results(messages)).toMatchObject([{ ok: true, text: 'mine' }])
      const resumed = await rig(['again'], { registry }).assistant.resume(snapshot, [], { input: 'more' })
      const warned = (await eventsOf(resumed)).filter(({ type }) => type === 'warning')
      expect([(await resumed.result).status, warned]).toEqual(['done', []])
    },
  )
})

describe('what a tool returns', () => {
  it.each<[string, () => unknown]>([
    ['a function', () => () => 1],
    ['a symbol', () => Symbol('x')],
    ['a bigint', () => 10n],
    ['a bigint inside', () => ({ a: [1n] })],
    ['a method', () => Array.prototype.map],
    ['not a number', () => NaN],
    [
      'a proxy that throws',
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new TypeError('from the proxy')
            },
            has: () => {
              throw new TypeError('from the proxy')
            },
            ownKeys: () => {
              throw new TypeError('from the proxy')
            },
          },
        ),
    ],
  ])('and is no JSON is a failed call that the model reads: %s', async (_, make) => {
    for (const execute of [make, async () => make()]) {
      const { result, told, events } = await played(execute)
      expect([result.status, told?.ok, endsOf(events)]).toEqual(['done', false, 1])
      expect(told?.text).not.toContain('from the proxy')
      expect(['failed', 'invalid-output']).toContain(told?.reason)
    }
  })

  it('of 100 MB is told by its head and tail, whether it is a value, a failure or an error', async () => {
    const text = megabytes(100)
    const throwing = (): never => {
      throw new Error(text)
    }
    for (const execute of [() => text, () => ({ text }), () => fail(text), throwing, async () => throwing()]) {
      const { result, told } = await played(execute, { maxOutputChars: 1000 })
      expect(result.status).toBe('done')
      expect(told?.text.length).toBeLessThan(2000)
      expect(JSON.stringify(result.snapshot).length).toBeLessThan(20_000)
    }
  }, 60_000)

  it('and never comes ends with the time of the tool, for models and for code', async () => {
    const never = (): Promise<never> => new Promise(() => {})
    const { told } = await played(never, { timeoutMs: 20 })
    expect(told).toMatchObject({ ok: false, reason: 'timeout' })
    const registry = toolRegistry().register(made('a', never, { timeoutMs: 20 }))
    await expect(registry.call('a')).rejects.toEqual(coded('tool-timeout'))
  })

  it.each<[string, object, object]>([
    ['gives a value', thenable((resolve) => resolve('late')), { ok: true, text: 'late' }],
    ['rejects', thenable((_, reject) => reject(new Error('no'))), { ok: false, reason: 'failed', text: 'no' }],
    [
      'answers twice',
      thenable((resolve, reject) => [resolve('once'), resolve('twice'), reject('no')]),
      { text: 'once' },
    ],
    ['gives another one', thenable((resolve) => resolve(thenable((more) => more('deep')))), { ok: true, text: 'deep' }],
    ['never settles', thenable(() => {}), { ok: false, reason: 'timeout' }],
  ])('and is a thenable is waited for like a promise: one that %s', async (_, value, told) => {
    expect((await played(() => value, { timeoutMs: 30 })).told).toMatchObject(told)
  })

  it.each<[string, () => unknown]>([
    [
      'breaks in the middle',
      async function* () {
        yield 1
        throw new Error('no')
      },
    ],
    [
      'yields what is no JSON',
      async function* () {
        yield 1n
        yield () => 1
        return 'end'
      },
    ],
    [
      'is none, with a next that throws',
      () => Object.assign({ next: null, return: null }, { [Symbol.asyncIterator]: 1 }),
    ],
  ])('and is a generator that %s is one result', async (_, execute) => {
    const { result, events } = await played(execute)
    expect([result.status, endsOf(events)]).toEqual(['done', 1])
    expect(events.every(({ type, ...event }) => type !== 'tool-progress' || 'value' in event)).toBe(true)
  })
})

describe('what a tool hands to another one', () => {
  const cycle = (): object => {
    const value: Record<string, unknown> = {}
    value['self'] = value
    return value
  }
  const handing = async (input: unknown) => {
    const got: unknown[] = []
    const tools = [
      made('pay', (given) => void got.push(given), { approval: true, input: anyObject }),
      made('a', (_, context) => context.call('pay', input as never)),
    ]
    const { assistant } = rig([calls('a'), 'done'], { tools, approve: () => 'approve-session' })
    const run = assistant.run('go')
    const events = await eventsOf(run)
    const shown = events.flatMap((event) => (event.type === 'approval-request' ? [event.input] : []))
    return { got, shown, told: results((await run.result).messages)[0] }
  }

  it.each<[string, unknown]>([
    ['a bigint', { n: 1n }],
    ['a cycle', cycle()],
    ['a function', () => 1],
  ])('and is no JSON is refused before anybody is asked: %s', async (_, input) => {
    const { got, shown, told } = await handing(input)
    expect([got, shown]).toEqual([[], []])
    expect(told).toMatchObject({ ok: false, text: 'The input for tool "pay" is no JSON' })
  })

  it('runs as it was shown to the person who approved it', async () => {
    const { got, shown } = await handing({ day: new Date(0), act: () => 1, n: undefined })
    expect(shown).toEqual([{ day: '1970-01-01T00:00:00.000Z' }])
    expect(got).toEqual(shown)
  })
})

describe('a cyclic schema', () => {
  const cycle: Record<string, unknown> = { type: 'object' }
  cycle['properties'] = { self: cycle }
  const byHand = (json: unknown): never =>
    ({
      '~standard': {
        version: 1,
        vendor: 'me',
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => json, output: () => json },
      },
    }) as never

  it('is refused where the tool is registered, as an input and as an output', () => {
    for (const side of ['input', 'output'])
      expect(() => toolRegistry().register(made('a', () => 1, { [side]: byHand(cycle) }))).toThrow(
        coded('schema-unsupported') as Error,
      )
  })

  it('by reference is no fault: arguments are checked as deep as they go', async () => {
    const input = jsonSchema({
      type: 'object',
      properties: { next: { $ref: '#' }, n: { type: 'number' } },
      required: ['n'],
      additionalProperties: false,
    })
    const registry = toolRegistry().register(made('a', (value) => value as never, { input: input as never }))
    expect(await registry.call('a', { n: 1, next: { n: '2' } })).toEqual({ result: { n: 1, next: { n: 2 } } })
    await expect(registry.call('a', { n: 1, next: { n: 'x' } })).rejects.toEqual(coded('tool-invalid-input'))
    const endless: Record<string, unknown> = { n: 1 }
    endless['next'] = endless
    await expect(registry.call('a', endless as never)).rejects.toEqual(coded('tool-invalid-input'))
  })
})
