// Models that break the port's contract.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { anyObject, eventsOf, made, pause, unanswered, within } from './rig.ts'

const finish = { type: 'finish', reason: 'stop', usage: {} }
const types =
  'run-start step-start text-start text-delta text-end reasoning-start reasoning-delta reasoning-end tool-input-start tool-input-delta tool-call approval-request approval-response tool-start tool-progress tool-end source file object-delta usage retry step-reset compaction warning observer-error step-end error run-end'.split(
    ' ',
  )

async function play(batches: unknown, then: unknown = [[finish]]) {
  let turn = 0
  let ran = 0
  const stream = async function* () {
    yield* (turn++ === 0 ? batches : then) as object[]
  }
  const model = { id: 'm', provider: 'p', capabilities: {}, stream }
  const tools = [made('a', () => ++ran, { input: anyObject })]
  const run = agent({ model: model as never, tools, env: { host: webHost }, limits: { steps: 3 } }).run('go')
  const events = await within(eventsOf(run), 6000)
  const result = await within(run.result)
  if (events === 'hung' || result === 'hung') throw new Error('hung')
  return { events, result, ran: () => ran }
}
const start = { type: 'tool-input-start', index: 0, callId: 'c', name: 'a' }
const say = (delta: unknown): object[] => [
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta },
  { type: 'text-end', id: '0' },
]

describe('whatever events come, readers see the closed list, one last event, and a valid transcript', () => {
  it.each([
    ['an unknown type', [[{ type: 'ping' }, finish]]],
    ['a forged end of the run', [[{ type: 'run-end', status: 'done', stop: 'end' }, finish]]],
    ['a forged approval request', [[{ type: 'approval-request', callId: 'c', id: 'x', delta: 'x' }, finish]]],
    ['null among the events', [[null, finish]]],
    ['a string in the place of an array', ['abc', [finish]]],
    ['an empty array', [[], [], [finish]]],
    ['two finishes', [[...say('x'), finish], [finish]]],
    ['events after finish', [[finish], say('late')]],
    ['a call after finish', [[finish], [start]]],
    [
      'deltas for unknown ids',
      [[{ type: 'text-delta', id: '9', delta: 'ghost' }, { type: 'tool-input-delta', index: 9, delta: '{}' }, finish]],
    ],
    ['a delta that is no text', [[...say(undefined), finish]]],
    ['a delta that is an object', [[...say({}), finish]]],
    ['a call without a name', [[{ ...start, name: undefined }, finish]]],
    ['a call with a number for a name', [[{ ...start, name: 5 }, finish]]],
    ['a call with a number for an id', [[{ ...start, callId: 5 }, finish]]],
    ['two starts with one index', [[start, start, { type: 'tool-input-delta', index: 0, delta: '{}' }, finish]]],
    ['a finish reason from the prototype', [[{ ...finish, reason: 'constructor' }]]],
    ['a finish reason __proto__', [[{ ...finish, reason: '__proto__' }]]],
    ['a finish without usage', [[{ type: 'finish', reason: 'stop' }]]],
    ['usage of texts', [[{ ...finish, usage: { input: 'many' } }]]],
    ['a source without a source', [[{ type: 'source' }, finish]]],
    [
      'a result of a tool nobody called',
      [[{ type: 'tool-result', callId: 'zz', name: 'a', ok: true, value: 1 }, finish]],
    ],
    ['provider data that is null', [[{ type: 'text-start', id: '0', providerData: null }, finish]]],
    [
      'a circular value',
      [
        [
          {
            type: 'tool-result',
            callId: 'zz',
            name: 'a',
            ok: true,
            value: ((o: never) => Object.assign(o, { o }))({} as never),
          },
          finish,
        ],
      ],
    ],
  ])('%s', async (_, batches) => {
    const { events, result } = await play(batches)
    for (const { type } of events) expect(types).toContain(type)
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1)
    expect(events.at(-1)?.type).toBe('run-end')
    expect(['done', 'failed', 'stopped']).toContain(result.status)
    expect(typeof result.stop).toBe('string')
    expect(unanswered(result.messages)).toEqual([])
    for (const { content } of result.messages)
      for (const part of content) if (part.type === 'text') expect(typeof part.text).toBe('string')
    expect(JSON.parse(JSON.stringify(result.messages)).length).toBe(result.messages.length)
    expect(result.text).not.toContain('undefined')
    for (const count of Object.values(result.usage)) expect(typeof count).toBe('number')
  })
  it('an unlisted finish reason is not taken for a normal end without a warning', async () => {
    const { events, result } = await play([[...say('half an ans'), { ...finish, reason: 'eos_maybe' }]])
    expect(events.some((event) => event.type === 'warning' || event.type === 'error')).toBe(true)
    void result
  })
  it('deltas that are not kept are not shown', async () => {
    const { events } = await play([[{ type: 'text-delta', id: '9', delta: 'ghost' }, finish]])
    expect(JSON.stringify(events)).not.toContain('ghost')
  })
  it('no finish fails as truncated, and no tool runs', async () => {
    const { result, ran } = await play([[start, { type: 'tool-input-delta', index: 0, delta: '{}' }]], [[start]])
    expect(result).toMatchObject({ status: 'failed' })
    expect(ran()).toBe(0)
  })
})

describe('streams that misbehave', () => {
  const runWith = (stream: () => unknown) =>
    agent({ model: { id: 'm', provider: 'p', capabilities: {}, stream } as never, env: { host: webHost } }).run('go')
  it.each([
    ['nothing', () => undefined],
    ['a plain array', () => [[finish]]],
    ['a promise', async () => [[finish]]],
    [
      'a throw',
      () => {
        throw new Error('no')
      },
    ],
    [
      'an iterator that throws',
      () => ({
        [Symbol.asyncIterator]: () => {
          throw new Error('no')
        },
      }),
    ],
    ['a next that gives no promise', () => ({ [Symbol.asyncIterator]: () => ({ next: () => ({ done: true }) }) })],
  ])('%s ends the run', async (_, stream) => {
    expect(await within(runWith(stream).result)).toMatchObject({ status: expect.stringMatching(/failed|done/) })
  })
  it('one that never ends and ignores its signal is closed by an abort', async () => {
    let closed = false
    const run = runWith(async function* () {
      try {
        for (;;) {
          await pause(2)
          yield []
        }
      } finally {
        closed = true
      }
    })
    await pause(20)
    run.abort()
    expect(await within(run.result)).toMatchObject({ status: 'aborted' })
    await pause(20)
    expect(closed).toBe(true)
  })
  it('one whose return gives no promise, or throws, keeps what was said when the run is aborted', async () => {
    for (const answer of [() => ({ done: true }), () => (undefined as never as { done: true }).done]) {
      const batches = [say('half').slice(0, 2)]
      const iterator = {
        next: async () => (batches.length ? { done: false, value: batches.pop() } : new Promise(() => {})),
        return: answer,
      }
      const model = {
        id: 'm',
        provider: 'p',
        capabilities: {},
        stream: () => ({ [Symbol.asyncIterator]: () => iterator }),
      }
      const run = agent({ model: model as never, env: { host: webHost } }).run('go')
      await pause(10)
      run.abort()
      expect(await within(run.result)).toMatchObject({ status: 'aborted', text: 'half' })
    }
  })
  it('one that parks for ever is asked to return when the run is aborted', async () => {
    let returned = false
    const run = runWith(() => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => ((returned = true), { done: true }),
      }),
    }))
    await pause(10)
    run.abort()
    expect(await within(run.result)).toMatchObject({ status: 'aborted' })
    await pause(10)
    expect(returned).toBe(true)
  })
})

it('arguments with __proto__ and constructor reach no prototype', async () => {
  let got: object = {}
  let turn = 0
  const stream = async function* () {
    yield turn++
      ? [finish]
      : [
          start,
          {
            type: 'tool-input-delta',
            index: 0,
            delta: '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"b":{"__proto__":{"admin":true}}}',
          },
          { ...finish, reason: 'tool-calls' },
        ]
  }
  const run = agent({
    model: { id: 'm', provider: 'p', capabilities: {}, stream } as never,
    env: { host: webHost },
    tools: [
      made(
        'a',
        (input) => {
          got = input as object
          return 1
        },
        { input: anyObject },
      ),
    ],
  }).run('go')
  await run.result
  expect((got as { admin?: boolean }).admin).toBeUndefined()
  expect((got as { b: { admin?: boolean } }).b.admin).toBeUndefined()
  expect(({} as { x?: number }).x).toBeUndefined()
})

describe('input', () => {
  const start = (input: unknown) =>
    agent({
      model: {
        id: 'm',
        provider: 'p',
        capabilities: {},
        stream: async function* () {
          yield [finish]
        },
      } as never,
      env: { host: webHost },
    }).run(input as never)
  const tool = (content: unknown): unknown => [
    { role: 'assistant', content: [{ type: 'tool-call', callId: 'c', name: 'a', input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', callId: 'c', name: 'a', ok: true, content }] },
  ]
  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a number', 5],
    ['an object', {}],
    ['null in the list', [null]],
    ['a hole', Object.assign(Array(2), { 1: { role: 'user', content: [] } })],
    ['content of null', [{ role: 'user', content: [null] }]],
    ['content with a hole', [{ role: 'user', content: Array(1) }]],
    ['a role of the prototype', [{ role: 'constructor', content: [] }]],
    ['a part type of the prototype', [{ role: 'user', content: [{ type: 'constructor' }] }]],
    ['null in a result', tool([null])],
    ['a number in a result', tool([5])],
    ['an unknown part in a result', tool([{ type: 'zzz' }])],
    ['a text of a number', [{ role: 'user', content: [{ type: 'text', text: 5 }] }]],
    ['a file with neither data nor url', [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png' }] }]],
    [
      'a file with bytes',
      [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: new Uint8Array(2) }] }],
    ],
    ['a bigint', [{ role: 'user', content: [{ type: 'json', value: 1n }] }]],
    ['provider data of null', [{ role: 'user', content: [{ type: 'text', text: 'x', providerData: 5 }] }]],
  ])('%s is refused with run-invalid-input', (_, input) => {
    expect(() => start(input)).toThrow(expect.objectContaining({ code: 'run-invalid-input' }))
  })
  it('two calls with one id in the history are mended or refused', async () => {
    const call = { type: 'tool-call', callId: 'c', name: 'a', input: {} }
    const result = { type: 'tool-result', callId: 'c', name: 'a', ok: true, content: [] }
    let run
    try {
      run = start([
        { role: 'user', content: [] },
        { role: 'assistant', content: [call, call] },
        { role: 'tool', content: [result, result] },
      ])
    } catch {
      return
    }
    const { messages } = await run.result
    const ids = messages.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('readers', () => {
  const run = (options: object = {}) =>
    agent({
      model: {
        id: 'm',
        provider: 'p',
        capabilities: {},
        stream: async function* () {
          for (let i = 0; i < 50; i++) {
            await pause(1)
            yield say('x')
          }
          yield [finish]
        },
      } as never,
      env: { host: webHost },
    }).run('go', options)
  it('concurrent next() gives each event once, in order', async () => {
    const iterator = run()[Symbol.asyncIterator]()
    const got = await within(Promise.all(Array.from({ length: 40 }, () => iterator.next())))
    expect(got === 'hung' ? got : got.map(({ value }) => value.seq)).toEqual(
      Array.from({ length: 40 }, (_, i) => i + 1),
    )
    await iterator.return?.()
  })
  it('leaving in the middle aborts; detached it goes on', async () => {
    for (const detached of [false, true]) {
      const one = run({ detached })
      for await (const event of one) if (event.type === 'text-delta') break
      expect(await within(one.result)).toMatchObject({ status: detached ? 'done' : 'aborted' })
    }
  })
  it('the stream cancelled while it pulls ends the run', async () => {
    const one = run()
    const reader = one.events.getReader()
    const pulling = reader.read()
    await reader.cancel()
    await pulling
    expect(await within(one.result)).toMatchObject({ status: 'aborted' })
    expect(() => one[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'run-already-read' }))
  })
})
