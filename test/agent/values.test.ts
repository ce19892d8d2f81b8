// Whatever a tool, a rule, a middleware or a schema hands over: an outcome, a valid transcript, plain JSON.
import { describe, expect, it } from 'vitest'
import { ok } from '../../src/tool/tool.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { anyObject, call, calls, eventsOf, made, pause, results, rig, unanswered, within } from './rig.ts'

const circular = (): object => {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const withGetter = (key: string, base: object = new Error('x')): object =>
  Object.defineProperty(base, key, {
    get: () => {
      throw new TypeError('from the getter')
    },
  })

describe('what a tool throws becomes a failed result, and the run goes on', () => {
  it.each([
    ['null', () => null],
    ['undefined', () => undefined],
    ['a string', () => 'text'],
    ['a symbol', () => Symbol('x')],
    ['a frozen error', () => Object.freeze(new Error('cold'))],
    ['a revoked proxy', revoked],
    ['an error whose message throws', () => withGetter('message')],
    ['an error whose name throws', () => withGetter('name')],
    ['an object whose name throws', () => withGetter('name', {})],
    ['an error whose message is an object', () => Object.assign(new Error(), { message: { code: 5 } })],
    ['an error whose message is a bigint', () => Object.assign(new Error(), { message: 5n })],
    ['an error whose name is a symbol', () => Object.assign(new Error('x'), { name: Symbol('n') })],
    ['an error from a null prototype', () => Object.create(null)],
  ])('%s', async (_, make) => {
    for (const execute of [
      () => {
        throw make()
      },
      async () => {
        await pause()
        throw make()
      },
    ]) {
      const { assistant } = rig([calls('a'), 'done'], { tools: [made('a', execute as never)] })
      const result = await within(assistant.run('go').result.catch((error: unknown) => ({ rejected: error })))
      expect(result).toMatchObject({ status: 'done' })
      const { messages, snapshot } = result as never as { messages: never; snapshot: object }
      expect(unanswered(messages)).toEqual([])
      expect(results(messages)[0]).toMatchObject({ ok: false, reason: 'failed', text: expect.any(String) })
      expect(
        (messages as { content: { content: { text: unknown }[] }[] }[])[2]?.content[0]?.content[0]?.text,
      ).toBeTypeOf('string')
      JSON.stringify(snapshot)
    }
  })
})

describe('what a model throws ends the run as failed', () => {
  it.each([
    ['a revoked proxy', revoked],
    ['an error whose message throws', () => withGetter('message')],
    ['an object whose name throws', () => withGetter('name', {})],
    ['null', () => null],
  ])('%s', async (_, make) => {
    const model = {
      id: 'm',
      provider: 'p',
      capabilities: {},
      stream: () => {
        throw make()
      },
    }
    const { assistant } = rig([], { model: model as never })
    const run = assistant.run('go')
    expect(await within(run.result.catch(() => 'rejected'))).toMatchObject({ status: 'failed' })
    const events = await within(eventsOf(run))
    expect(events === 'hung' ? events : events.at(-1)?.type).toBe('run-end')
  })
})

describe('what a tool returns that is no JSON is answered in-band, and transcript, events and snapshot stay JSON', () => {
  it.each([
    ['a circular object', circular],
    ['a bigint', () => 1n],
    ['a function', () => () => 1],
    ['a json part with a bigint', () => [{ type: 'json', value: 1n }]],
    ['a json part with a cycle', () => [{ type: 'json', value: circular() }]],
    ['a json part with a function', () => [{ type: 'json', value: () => 1 }]],
    ['a text part with a foreign cycle', () => [{ type: 'text', text: 'x', more: circular() }]],
    [
      'a text part with a throwing getter',
      () => [
        {
          type: 'text',
          text: 'x',
          get more() {
            throw new Error('no')
          },
        },
      ],
    ],
    ['details with a cycle', () => ok('x', { details: circular() as never })],
    ['details with a bigint', () => ok('x', { details: 1n as never })],
    ['a file part with bytes for data', () => [{ type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2]) }]],
    ['a revoked proxy', revoked],
    [
      'a thenable that throws',
      () =>
        Object.fromEntries([
          [
            ['th', 'en'].join(''),
            () => {
              throw new Error('no')
            },
          ],
        ]),
    ],
    [
      'a getter that throws',
      () => ({
        get a() {
          throw new Error('no')
        },
      }),
    ],
    [
      '10,000 levels',
      () => {
        let value: unknown = 1
        for (let i = 0; i < 10_000; i++) value = [value]
        return value
      },
    ],
  ])('%s', async (_, make) => {
    for (const execute of [
      make,
      async () => {
        await pause()
        return make()
      },
    ]) {
      const { assistant } = rig([calls('a'), 'done'], { tools: [made('a', execute as never)] })
      const run = assistant.run('go')
      const events = await eventsOf(run)
      const result = await run.result
      expect(result.status).toBe('done')
      expect(unanswered(result.messages)).toEqual([])
      const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
      expect(plain(result.messages)).toEqual(result.messages)
      plain(events)
      plain(result.snapshot)
    }
  })

  it('progress', async () => {
    const { assistant } = rig([calls('a'), 'done'], {
      tools: [
        made('a', (_, ctx) => {
          ctx.progress(circular() as never)
          ctx.progress(1n as never)
          return 1
        }),
      ],
    })
    const run = assistant.run('go')
    const events = await eventsOf(run)
    JSON.stringify(events)
  })

  it('a preview', async () => {
    const { assistant } = rig([calls('a'), 'done'], {
      tools: [made('a', () => 1, { approval: true, describeCall: () => circular() as never })],
    })
    const { snapshot, status } = await assistant.run('go').result
    expect(status).toBe('suspended')
    JSON.stringify(snapshot)
  })
})

it('a tool that changes its input changes nothing in the transcript', async () => {
  const tool = made(
    'a',
    (input: never) => {
      Object.assign(input, { n: 99, key: 'secret' })
      return 1
    },
    { input: anyObject } as never,
  )
  const { assistant } = rig([call('a', { n: 1 }), 'done'], { tools: [tool] })
  const run = assistant.run('go')
  const events = await eventsOf(run)
  const { messages } = await run.result
  expect(messages[1]?.content[0]).toMatchObject({ input: { n: 1 } })
  expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({ input: { n: 1 } })
  expect(JSON.stringify(messages)).not.toContain('secret')
})

it('a rule or an observer that changes the input changes nothing that runs', async () => {
  let got: unknown
  const tool = made('a', (input) => void (got = { ...(input as object) }), { input: anyObject })
  const change = ({ input }: { input: unknown }): undefined => void Object.assign(input as object, { n: 2 })
  const { assistant } = rig([call('a', { n: 1 }), 'done'], { tools: [tool], hooks: { onToolStart: change } })
  await assistant.run('go').result
  expect(got).toEqual({ n: 1 })
})

describe('a verdict that cannot be read denies', () => {
  it.each([
    ['a promise of a denial', async () => ({ action: 'deny', reason: 'no' })],
    ['a bare word', () => 'deny'],
    ['an unknown action', () => ({ action: 'block', reason: 'no' })],
    [
      'a throw',
      () => {
        throw new Error('no')
      },
    ],
  ])('%s', async (_, rule) => {
    let ran = 0
    const { assistant } = rig([calls('a'), 'done'], {
      tools: [made('a', () => ++ran)],
      middleware: [{ name: 'm', rules: [rule as never] }],
    })
    await assistant.run('go').result
    expect(ran).toBe(0)
  })
})

describe('what tool middleware gives that is no outcome leaves the transcript valid', () => {
  it.each([
    ['nothing', async () => undefined],
    ['a bare value', async () => 'text'],
    ['an outcome without parts', async () => ({ ok: true, value: 1 })],
    [
      'a throw',
      () => {
        throw new Error('no')
      },
    ],
  ])('%s', async (_, wrap) => {
    const { assistant } = rig([calls('a'), 'done'], {
      tools: [made('a', () => 1)],
      middleware: [{ name: 'm', tool: wrap as never }],
    })
    const run = assistant.run('go')
    const events = await eventsOf(run)
    const { messages } = await run.result
    expect(unanswered(messages)).toEqual([])
    expect(messages[2]?.content[0]).toMatchObject({ content: expect.any(Array) })
    expect(events.filter(({ type }) => type === 'tool-end')).toHaveLength(1)
  })
})

describe('a schema by hand that misbehaves is answered in-band', () => {
  const schema = (validate: (value: unknown) => unknown): never =>
    ({
      '~standard': {
        version: 1,
        vendor: 'me',
        validate,
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
      },
    }) as never
  it.each([
    ['gives nothing', () => undefined],
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['gives issues that are no list', () => ({ issues: 'bad' })],
    ['gives an issue of null', () => ({ issues: [null] })],
    ['gives an issue without message', () => ({ issues: [{}] })],
    ['gives a path with null', () => ({ issues: [{ message: 'x', path: [null] }] })],
    ['is asynchronous', async () => ({ value: {} })],
  ])('%s', async (_, validate) => {
    for (const side of ['input', 'output'] as const) {
      const { assistant } = rig([calls('a'), 'done'], { tools: [made('a', () => ({}), { [side]: schema(validate) })] })
      const result = await assistant.run('go').result
      expect(unanswered(result.messages)).toEqual([])
      expect([result.status, result.error?.code]).not.toEqual(['failed', 'run-internal'])
    }
  })

  it('a circular JSON Schema is refused when the tool is made', () => {
    const json = circular()
    const bad = {
      '~standard': {
        version: 1,
        vendor: 'me',
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => ({ type: 'object', ...json }), output: () => json },
      },
    }
    expect(() => rig([], { tools: [made('a', () => 1, { input: bad as never })] })).toThrow(/.*/)
  })
})

describe('registry.invoke never throws', () => {
  it.each([
    ['a cycle', circular],
    ['a bigint', () => 1n],
    ['null', () => null],
    ['undefined', () => undefined],
    ['a revoked proxy', revoked],
  ])('for %s as input', async (_, make) => {
    const registry = toolRegistry().register([made('bare', () => 1), made('with', () => 1, { input: anyObject })])
    for (const name of ['bare', 'with', 'nope'])
      expect(await registry.invoke(name, make() as never)).toHaveProperty('ok')
  })
  it('for a name that is no text', async () => {
    for (const name of [null, undefined, 5, {}])
      expect(await toolRegistry().invoke(name as never)).toHaveProperty('ok', false)
  })
})
